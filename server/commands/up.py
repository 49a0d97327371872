"""`kozyr up`: the whole service on this machine."""

from __future__ import annotations

import contextlib
import fcntl
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from server.commands.processes import recover
from server.commands.shared import plainly

if TYPE_CHECKING:
    from server.config.settings import Settings
    from server.supervisor import Child


@click.command()
@click.option("--demo/--no-demo", default=True, help="Also run the demonstration league.  [default: demo]")
@plainly
def up(demo: bool) -> None:
    """Start the whole service on this machine.

    Starts Redis (unless KOZYR_REDIS_URL is set), the API, the clock, a worker and a demonstration league. Restarts
    processes that die. Ctrl-C stops everything. Logs are in the folder log under KOZYR_VAR.
    """
    from dataclasses import replace

    from server import embedded
    from server.config.folder import kept_secret
    from server.config.settings import load
    from server.status import watch
    from server.supervisor import Supervisor

    settings = load()
    with _alone(settings):
        _port_is_free(settings)
        own_redis = settings.embedded
        if own_redis:
            server = embedded.of(settings)
            server.prepare(recover)
            server.release()
            secret = settings.secret or kept_secret(settings)
            settings = replace(settings, redis_url=server.url, secret=secret)
        else:
            settings = embedded.attached(settings)
        supervisor = Supervisor(children(settings, own_redis=own_redis, demo=demo))
        over = threading.Event()

        display = threading.Thread(target=watch, args=(settings, supervisor.health, over), daemon=True)
        display.start()
        try:
            supervisor.run()
        finally:
            over.set()
            display.join(timeout=1.0)
            if own_redis:
                embedded.url_file(settings).unlink(missing_ok=True)


def children(settings: Settings, *, own_redis: bool, demo: bool) -> list[Child]:
    """Return the processes of `kozyr up` in stages: Redis, the service, the demonstration. All but the API, which takes
    longest to start, wait for Redis."""
    from dataclasses import replace

    from server import embedded
    from server.supervisor import Child

    logs = settings.var / "log"
    environment = settings.environment()

    def redis_is_there() -> bool:
        return not own_redis or embedded.answers(embedded.of(settings).url)

    def child(name: str, stage: int, **more: bool | Callable[[], bool]) -> Child:
        command = [sys.executable, "-m", "kozyr", name]
        return Child(name, command, stage, environment, logs / f"{name}.log", **more)  # type: ignore[arg-type]  # by name

    kept = [
        child("api", 1, reloads=True),
        child("clock", 1, starts_when=redis_is_there),
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
