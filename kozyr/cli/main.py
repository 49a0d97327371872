"""The command line. Each process of the service is a command, and `up` runs them all.

A command in a module of its own is imported when it is called, and the others import heavy modules when they run. This
keeps `kozyr --help` fast and imports nothing before gevent patches.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

import click

from kozyr.cli.errors import REFUSED, fail
from kozyr.cli.groups import DeferredCommand, MainGroup
from kozyr.terminal import echo

if TYPE_CHECKING:
    from server.config.settings import Settings
    from server.embedded import EmbeddedRedis
    from server.supervisor import Child

P = ParamSpec("P")
R = TypeVar("R")

OPENAPI = Path("openapi.yaml")
PYPROJECT = Path("pyproject.toml")
SHOW_AFTER_S: Final = 0.5
"""How often `kozyr up` looks whether all processes have started, before it shows any, in seconds."""
ANSWER_S: Final = 0.05
"""How long `kozyr up` waits for an answer of its API before it looks after its other processes, in seconds."""
HEAD_START_S: Final = 5.0
"""How long the API may start before the clock starts as well, and the status is shown in any case, in seconds."""


def plainly(command: Callable[P, R]) -> Callable[P, R]:
    """Print errors that the user can fix without a traceback and exit with status 2."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except Exception as why:
            if not isinstance(why, _errors_of_users()):
                raise
            # A process of `kozyr up` has put its name before its last words.
            echo(f"kozyr: {str(why).removeprefix('kozyr: ')}", err=True)
            sys.exit(2)

    return run


def _errors_of_users() -> tuple[type[Exception], ...]:
    from redisio.errors import RefusedByRedis
    from referee.storage.redis_data_version import UnknownDataVersion
    from server.config.folder import UnusableFolder
    from server.config.settings import SettingError
    from server.embedded import EmbeddedRedisError
    from server.supervisor import CannotWork

    return SettingError, UnusableFolder, EmbeddedRedisError, CannotWork, UnknownDataVersion, RefusedByRedis


def attached_settings() -> Settings:
    """Return the settings with Redis and the secret filled in: as given, or from the `kozyr up` that runs in var/."""
    from server.config.settings import load
    from server.embedded import attached
    from server.supervisor import tie_to_parent

    tie_to_parent()
    return attached(load())


@click.group(cls=MainGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kozyr", message="%(prog)s %(version)s")
def main() -> None:
    """Kozyr, a league server for bots that play Russian card games.

    Settings are environment variables. `kozyr settings` lists them with their values.
    """


@main.command()
@click.option("--demo/--no-demo", default=True, help="Also run the demonstration league.  [default: demo]")
@plainly
def up(demo: bool) -> None:
    """Start the whole service on this machine.

    Starts Redis (unless KOZYR_REDIS_URL is set), the API, the clock, a worker and a demonstration league. Restarts
    processes that die. Ctrl-C stops everything. Logs are in the folder log under KOZYR_VAR.
    """
    from dataclasses import replace

    from server import embedded
    from server.config.kept_secret import kept_secret
    from server.config.settings import load
    from server.supervisor import Supervisor

    settings = load()
    with _alone(settings):
        _port_is_free(settings)
        own_redis = settings.embedded
        if own_redis:
            server = embedded.of(settings)
            server.prepare(_recover)
            server.release()
            secret = settings.secret or kept_secret(settings)
            settings = replace(settings, redis_url=server.url, secret=secret)
        else:
            settings = embedded.attached(settings)
        supervisor = Supervisor(children(settings, own_redis=own_redis, demo=demo))
        over = threading.Event()

        def show() -> None:
            until = time.monotonic() + HEAD_START_S
            while not supervisor.has_started_all() and time.monotonic() < until:
                if over.wait(SHOW_AFTER_S):
                    return
            from server.panel import watch  # large, and the processes start faster without it

            watch(settings, supervisor.health, over)

        display = threading.Thread(target=show, daemon=True)
        display.start()
        try:
            supervisor.run()
        finally:
            over.set()
            display.join(timeout=1.0)
            if own_redis:
                embedded.url_file(settings).unlink(missing_ok=True)


def children(settings: Settings, *, own_redis: bool, demo: bool) -> list[Child]:
    """Return the processes of `kozyr up` in stages: Redis, the service, the demonstration.

    The API takes longest to start. So at first it has one processor, and the others share another: the worker and the
    demonstration start when Redis is there, and the clock when the API answers, or after `HEAD_START_S`. No time passes
    before the API answers.
    """
    from dataclasses import replace

    from server import embedded
    from server.probe import answers
    from server.supervisor import Child

    logs = settings.var / "log"
    environment = settings.environment()

    def redis_is_there() -> bool:
        return not own_redis or embedded.answers(embedded.of(settings).url)

    began = time.monotonic()

    def api_has_started() -> bool:
        return time.monotonic() - began > HEAD_START_S or answers(settings.url, ANSWER_S)

    def child(name: str, stage: int, **more: bool | Callable[[], bool]) -> Child:
        command = [sys.executable, "-m", "kozyr", name]
        return Child(name, command, stage, environment, logs / f"{name}.log", **more)  # type: ignore[arg-type]  # by name

    kept = [
        child("api", 1, reloads=True),
        child("clock", 1, starts_when=api_has_started),
        child("worker", 1, starts_when=redis_is_there),
    ]
    if own_redis:
        # `kozyr redis` refuses to run while KOZYR_REDIS_URL is set.
        kept.insert(
            0, replace(child("redis", 0, needed=True), environment={**environment, "KOZYR_REDIS_URL": ""})
        )
    if demo:
        kept.append(child("demo", 2, once=True, starts_when=redis_is_there))
    return kept


@main.command()
@click.option(
    "--cut-damage", is_flag=True, help="Only cut the append-only file off where it is damaged, and end."
)
@plainly
def redis(cut_damage: bool) -> None:
    """Run the embedded Redis in the foreground.

    Its data are in the folder redis under KOZYR_VAR. Other commands with the same KOZYR_VAR find it there. If a power
    cut has damaged the end of the append-only file, that end is cut off, and the damaged file is kept beside it.
    """
    from server import embedded
    from server.config.folder import usable
    from server.config.settings import load
    from server.supervisor import tie_to_parent

    tie_to_parent()
    settings = load()
    if not settings.embedded:
        raise click.ClickException("KOZYR_REDIS_URL is set, so the embedded Redis is not used")
    server = embedded.of(settings)
    if cut_damage:
        server.prepare(functools.partial(_recover, all_of_it=True))
        server.release()
        return
    url = embedded.url_file(settings)
    with usable(settings.var):
        url.parent.mkdir(parents=True, exist_ok=True)
        embedded.keep_text(url, server.url + "\n")
    server.run(_recover)


def _recover(server: EmbeddedRedis, *, all_of_it: bool = False) -> None:
    """Mend the append-only file of a prepared server, and print what was done."""
    if not (all_of_it or server.may_be_damaged()):
        return
    from server.backup.recovery import recover

    if done := recover(server, all_of_it=all_of_it):
        echo(f"kozyr: {done}", err=True)
    elif all_of_it:
        echo("nothing is damaged")
    server.socket.unlink(missing_ok=True)  # so the next start knows that this file was checked


@main.command()
@plainly
def api() -> None:
    """Run the HTTP API under gunicorn.

    SIGHUP reloads the code without closing the port. SIGTERM stops it.
    """
    from server.config.keys import signing_key
    from server.supervisor import is_supervised

    alone = not is_supervised()
    settings = attached_settings()
    signing_key(settings)  # report an unusable key once, before the workers start
    if alone:  # else the worker of `kozyr up` checks the data, and gunicorn starts without redis-py
        _check_data(settings)
    os.environ.update(settings.environment())
    from server.launch import serve

    serve(settings)


@main.command()
@plainly
def clock() -> None:
    """Run the deadline loop.

    Applies expired deadlines and starts the rounds and seasons that are due. Several clocks may run at once.
    """
    settings = attached_settings()
    from server.processes import run_clock

    run_clock(settings)


@main.command()
@plainly
def worker() -> None:
    """Run an RQ worker.

    It plays ladder rounds, updates ratings and asks the house bots that think. Run several to use more processors.
    """
    settings = attached_settings()
    from server.processes import run_worker

    run_worker(settings)


@main.command()
@plainly
def demo() -> None:
    """Play the demonstration league on a running service.

    Creates two owners, two bots and a ladder over HTTP, once, and keeps the bots running.
    """
    settings = attached_settings()
    from server.demo import run

    run(settings)


@main.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if openapi.yaml is outdated or invalid.")
@click.option("--stdout", is_flag=True, help="Print the document instead of writing the file.")
@plainly
def openapi(check: bool, stdout: bool) -> None:
    """Write openapi.yaml into the current folder.

    The document is generated from the code.
    """
    from server.app import openapi_text

    _is_current_version()
    fresh = openapi_text()
    if stdout:
        echo(*fresh.splitlines())
        return
    if not check:
        OPENAPI.write_text(fresh, encoding="utf-8")
        return
    import yaml
    from openapi_spec_validator import validate

    kept = OPENAPI.read_text(encoding="utf-8") if OPENAPI.exists() else ""
    if kept != fresh:
        import difflib

        different = difflib.unified_diff(
            kept.splitlines(), fresh.splitlines(), "openapi.yaml", "the code", lineterm=""
        )
        echo(*list(different)[:60], err=True)
        fail("openapi.yaml is outdated: run `kozyr openapi` and commit it", REFUSED)
    validate(yaml.safe_load(fresh))
    echo("openapi.yaml is current and valid")


def _is_current_version() -> None:
    """Fail if the checkout in the current folder has another version than the installed package."""
    import tomllib
    from importlib.metadata import version

    stated = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"] if PYPROJECT.exists() else {}
    if stated.get("name") == "kozyr" and stated["version"] != version("kozyr"):
        fail(
            f"{PYPROJECT} has version {stated['version']}, but {version('kozyr')} is installed: "
            "run `make docs`",
            REFUSED,
        )


@main.command()
@click.option("--markdown", is_flag=True, help="Print the page docs/settings.md.")
@click.option("--json", "as_json", is_flag=True, help="Print the values in force as a JSON document.")
@plainly
def settings(markdown: bool, as_json: bool) -> None:
    """List every setting with its value, users and meaning."""
    from server.config.settings import as_markdown, load, rows, shown, written

    if markdown:
        echo(*as_markdown().splitlines())
        return
    from rich.table import Table

    from kozyr.console import console

    now = load()
    if as_json:
        values = {row.variable: (written(getattr(now, name)), row) for name, row in rows().items()}
        known = {name: value and shown(row, value) for name, (value, row) in values.items()}
        import json

        echo(json.dumps(known, ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("variable", "in force", "used by", "meaning"):
        table.add_column(heading, overflow="fold")
    for name, row in rows().items():
        value = written(getattr(now, name))
        in_force = f"({row.default})" if value is None else shown(row, value)
        table.add_row(row.variable, in_force, row.used_by, row.meaning)
    console().print(table)


_DEFERRED: Final = (
    ("admin", "operators.admins:admin", "Issue, list and revoke admin tokens."),
    (
        "archive",
        "operators.archive:archive",
        "Show, fill and verify the archive of finished matches, and write its monthly dumps.",
    ),
    ("audit", "operators.admin:audit", "Print the audit log as NDJSON, newest first."),
    (
        "backup",
        "operators.backup:backup",
        "Write a backup of the running service into a new FOLDER, and verify it.",
    ),
    ("bot", "author.account:bot", "Create, list and change your bots."),
    ("challenge", "author.match:challenge", "Create a match of your bot against others and print its id."),
    ("check", "commands.check:check", "Run the conformance check of a bot on the service at URL."),
    (
        "compare",
        "author.compare:compare",
        "Compare two bots, such as two versions of your own, in unrated duplicate groups on the service.",
    ),
    ("connect", "author.connect:connect", "Play on the service at URL with your program."),
    ("data", "operators.data:data", "Check and repair the stored data."),
    ("disable", "operators.admin:disable", "Disable a bot, or an owner with all of its bots."),
    ("drain", "operators.service:drain", "Let running matches end and start no new ones."),
    ("enable", "operators.admin:enable", "Enable a disabled bot or owner."),
    ("export", "commands.export:export", "Write the records of the service at URL to a file, oldest first."),
    (
        "healthy",
        "operators.healthy:healthy",
        "Exit with status 0 if the process of this KIND on this host works, else with 1.",
    ),
    ("ladder", "commands.ladder:ladder", "Create, enter, start and watch ladders."),
    ("login", "author.account:login", "Keep a token for the service at URL in your profile."),
    ("match", "author.match:match", "Create, list and show matches."),
    ("new-bot", "author.new_bot:new_bot", "Write a bot in LANG into the new folder DIR."),
    (
        "new-league",
        "operators.new_league:new_league",
        "Begin a new league where the old one was lost.",
    ),
    ("pause", "operators.service:pause", "Pause the service: stop all clocks."),
    ("play", "commands.play:play", "Play a tournament on this machine, without a service."),
    (
        "points",
        "commands.points:points",
        "Compute points per deal from records, by preset, with 95 % intervals over groups.",
    ),
    ("profile", "author.profile:profile", "List, choose and remove profiles."),
    (
        "rate",
        "commands.rate:rate",
        "Compute ratings from records.",
    ),
    ("register", "author.account:register", "Register the owner NAME on the service at URL."),
    ("replay", "commands.replay:replay", "Replay a finished match."),
    ("rerun", "operators.admin:rerun", "Play the void MATCH of a ladder again."),
    ("restore", "operators.backup:restore", "Restore the backup in FOLDER, and verify it."),
    ("resume", "operators.service:resume", "Resume after a pause or a drain."),
    ("review", "commands.review:review", "Find the mistakes of a finished match."),
    ("token", "author.account:token", "List, create, replace and revoke tokens."),
    ("verify", "commands.verify:verify", "Verify records and their proofs."),
    ("view", "commands.view:view", "Write the page of a finished match as one HTML file."),
    ("void", "operators.admin:void", "Declare that MATCH does not count."),
    (
        "watch",
        "author.match:watch",
        "Watch a match until it is over, or what happens to your bots, a line per event.",
    ),
)
"""By command: the module and the name in it, and the first sentence of its help."""

for _name, _target, _help in _DEFERRED:
    main.add_command(DeferredCommand(_name, f"kozyr.cli.{_target}", _help))


@contextlib.contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """Hold the lock that lets one `kozyr up` at a time use var/."""
    from server.config.folder import usable
    from server.embedded import EmbeddedRedisError

    with usable(settings.var):
        settings.var.mkdir(parents=True, exist_ok=True)
        opened = (settings.var / "up.lock").open("a", encoding="utf-8")
    with opened as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EmbeddedRedisError(
                f"`kozyr up` already runs in {settings.var}: stop it, or set KOZYR_VAR to another folder"
            ) from None
        yield


def _port_is_free(settings: Settings) -> None:
    import socket

    from server.config.settings import SettingError

    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as why:
            raise SettingError(
                "KOZYR_PORT", str(settings.port), f"can't listen on {settings.host} ({why})"
            ) from None


def _check_data(settings: Settings) -> None:
    """Raise `UnknownDataVersion` for data that this release can't read, and `RefusedByRedis`. If Redis is away, leave
    it to the processes."""
    from redis.exceptions import RedisError

    from server.stored_data import claim_first, connected

    with contextlib.suppress(RedisError):
        claim_first(connected(settings), settings)


if __name__ == "__main__":
    main()
