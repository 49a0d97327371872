"""The demonstration league: a ladder of two example bots and two house bots, created and played over HTTP.

`demo.json` under KOZYR_VAR stores what was created, including tokens, so only this user can read it. Each step stores
its Idempotency-Key before its request, so a killed demonstration continues where it stopped. If the service has lost
its data, everything is created again.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from kozyr.starters.writing import EXAMPLES
from kozyr.terminal import echo
from kozyr_client import Client, KozyrError
from server.config.folder import write_private
from server.config.settings import Settings
from server.probe import answers
from workers.stop_request import StopRequest

Json = dict[str, Any]

TRY_EVERY_S: Final = 0.05
"""How often the API is asked until it answers, in seconds."""
LOOK_EVERY_S: Final = 0.2
"""How often dead bots are noticed, in seconds."""
GRACE_S: Final = 1.5
"""How long bots may take to end before they are killed, in seconds."""
PAUSE_S: Final = 1.0
"""How long after its last start a bot that has died is started again, in seconds."""


class DemoPlayer(NamedTuple):
    """An example bot of the league. Each has its own owner, since bots of one owner never share a rated table."""

    owner: str
    bot: str
    program: str


PLAYERS: Final = (
    DemoPlayer("demo-anna", "first", "first_bot.py"),
    DemoPlayer("demo-boris", "careful", "careful_bot.py"),
)
HOUSE_BOTS: Final = ("house/random", "house/greedy")
LADDER: Final[Mapping[str, Any]] = {
    "name": "demo",
    "game": "durak",
    "seats": 2,
    "repeats": 3,
    # The bots enter before they run, so they can't be checked first.
    "check": False,
    "clock": {"move_ms": 1000, "bank_ms": 10_000},
    "schedule": {"cron": "* * * * *", "timezone": "UTC"},
}
LADDER_STEP: Final = "ladder"
MEMORY: Final = "demo.json"
LIVELY_S: Final = 1800.0
"""How long rounds follow the schedule of `LADDER` after each start, in seconds. Then they follow `RARELY`."""
RARELY: Final[Mapping[str, Any]] = {"cron": "0 * * * *", "timezone": "UTC"}


class DemoLeague(NamedTuple):
    """The ladder, its owner's token, and the bots' tokens by program."""

    ladder: str
    token: str
    bots: dict[str, str]


def run(settings: Settings) -> None:
    """Create the league if necessary, start a round and its bots, and keep the bots running until SIGTERM or SIGINT."""
    over = StopRequest()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    memory = DemoMemory(settings.var / MEMORY)
    url = settings.url
    if not wait_until_usable(url, over):
        return
    try:
        league = league_of(url, memory)
    except KozyrError as error:
        if error.code not in ("bad_invitation", "invitation_needed"):
            raise
        say(f"no demonstration: {error}")
        return
    kept = [KeptBot(EXAMPLES / program, url, token) for program, token in league.bots.items()]
    try:
        change_ladder(url, league, "PATCH", "", {"schedule": LADDER["schedule"]})
        change_ladder(url, league, "POST", "/rounds")
        lively_until = time.monotonic() + LIVELY_S
        while not over.wait(LOOK_EVERY_S):
            for bot in kept:
                bot.look()
            if time.monotonic() > lively_until:
                change_ladder(url, league, "PATCH", "", {"schedule": RARELY})
                lively_until = math.inf
    finally:
        end(kept)


def wait_until_usable(url: str, over: StopRequest) -> bool:
    """Wait for the API and its Redis. The clock and the workers may come later. Return false if `over` is set first."""
    while not over.is_set():
        if answers(url, 2.0, "/v1/ladders?limit=1"):
            return True
        over.wait(TRY_EVERY_S)
    return False


# 1. The league


def call(
    url: str, token: str | None, method: str, path: str, body: Json | None = None, key: str | None = None
) -> Json:
    """Return the response to a request with this token. Raise `KozyrError`."""
    with Client(url, token) as client:
        answer: Json = client.request(method, path, body=body, key=key)
        return answer


class DemoMemory:
    """The steps taken so far, in a file that only this user can read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: Json = {"keys": {}, "made": {}, "names": {}}
        with contextlib.suppress(FileNotFoundError, ValueError):
            self._kept |= json.loads(path.read_text(encoding="utf-8"))

    def once(self, step: str, make: Callable[[str], Json]) -> Json:
        """Return the result of a step. Take it with `make`, which gets the Idempotency-Key, if it was not taken."""
        if step not in self.made:
            key = self._kept["keys"].setdefault(step, secrets.token_hex(16))
            self._save()
            self.made[step] = make(key)
            self._save()
        answer: Json = self.made[step]
        return answer

    @property
    def made(self) -> Json:
        """The result of each step that was taken."""
        made: Json = self._kept["made"]
        return made

    def name(self, wanted: str) -> str:
        """Return the name used instead of `wanted`."""
        return str(self._kept["names"].get(wanted, wanted))

    def rename(self, wanted: str) -> None:
        """Choose another name, because `wanted` is taken."""
        self._kept["names"][wanted] = f"{wanted}-{secrets.token_hex(2)}"

    def forget(self) -> None:
        self._kept = {"keys": {}, "made": {}, "names": {}}
        self._save()

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        write_private(fresh, json.dumps(self._kept, indent=1).encode())
        fresh.replace(self._path)


def demo_ladder(settings: Settings) -> str | None:
    """Return the id of the ladder that was created; `None` if there is none."""
    made = DemoMemory(settings.var / MEMORY).made.get(LADDER_STEP)
    return None if made is None else str(made["id"])


def league_of(url: str, memory: DemoMemory) -> DemoLeague:
    """Return the league. Create what is missing."""
    if not _is_known(url, memory):
        say("the service does not know the demonstration created earlier; creating a new one")
        memory.forget()
    owners = {player.owner: _owner(url, memory, player.owner) for player in PLAYERS}
    bots: dict[str, Json] = {}
    for player in PLAYERS:
        body = {"name": player.bot, "description": f"examples/{player.program}"}
        step = f"bot {player.bot}"
        bots[player.program] = _post(url, memory, step, owners[player.owner], "/v1/bots", body)
    host = owners[PLAYERS[0].owner]
    ladder = str(_post(url, memory, LADDER_STEP, host, "/v1/ladders", dict(LADDER))["id"])
    for player in PLAYERS:
        _enter(url, memory, ladder, owners[player.owner], bots[player.program]["bot"]["bot"])
    for name in HOUSE_BOTS:
        _enter(url, memory, ladder, host, name)
    memory.once("running", lambda _: call(url, host, "PATCH", f"/v1/ladders/{ladder}", {"state": "running"}))
    return DemoLeague(ladder, host, {program: str(made["token"]) for program, made in bots.items()})


def _is_known(url: str, memory: DemoMemory) -> bool:
    """Return whether the service knows the remembered tokens and ladder."""
    try:
        for step, made in memory.made.items():
            if "token" in made:
                call(url, made["token"], "GET", "/v1/token")
            elif step == LADDER_STEP:
                call(url, None, "GET", f"/v1/ladders/{made['id']}")
    except KozyrError as error:
        if error.status not in (401, 404):
            raise
        return False
    return True


def _enter(url: str, memory: DemoMemory, ladder: str, token: str, bot: str) -> None:
    try:
        _post(url, memory, f"entry {bot}", token, f"/v1/ladders/{ladder}/entries", {"bot": bot})
    except KozyrError as error:
        if error.code != "no_such_bot":
            raise
        say(f"{bot} is not entered: {error}")


def _owner(url: str, memory: DemoMemory, wanted: str) -> str:
    """Return the token of an owner with this name, or a similar one if it is taken."""
    while True:
        name = memory.name(wanted)
        try:
            return str(_post(url, memory, f"owner {name}", None, "/v1/owners", {"name": name})["token"])
        except KozyrError as error:
            if error.code != "name_taken":
                raise
            memory.rename(wanted)


def _post(url: str, memory: DemoMemory, step: str, token: str | None, path: str, body: Json) -> Json:
    def make(key: str) -> Json:
        say(f"creating {step}")
        return call(url, token, "POST", path, body, key)

    return memory.once(step, make)


def change_ladder(url: str, league: DemoLeague, method: str, path: str, body: Json | None = None) -> None:
    """Send a request about the ladder, which may refuse it: a round may be running, or somebody has closed it."""
    key = secrets.token_hex(16) if method == "POST" else None
    try:
        call(url, league.token, method, f"/v1/ladders/{league.ladder}{path}", body, key)
    except KozyrError as error:
        if error.status != 409:
            raise
        say(f"the ladder is left as it is: {error}")


# 2. The bots


class KeptBot:
    """An example bot in its own process, restarted when it dies. It gets a URL and a token and no other settings. It
    stays in this process's group, so that it dies when the group is killed."""

    def __init__(self, program: Path, url: str, token: str) -> None:
        self.program = program
        ours = {name: value for name, value in os.environ.items() if not name.startswith("KOZYR_")}
        # Not on the command line, which every user of the machine can read.
        self._environment = {**ours, "KOZYR_URL": url, "KOZYR_TOKEN": token}
        self._process: subprocess.Popen[bytes] | None = None
        self._next_start = 0.0

    def start(self) -> None:
        command = [sys.executable, str(self.program)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=self._environment)
        self._next_start = time.monotonic() + PAUSE_S
        say(f"{self.program.name} plays (pid {self._process.pid})")

    def look(self) -> None:
        """Start the bot, and start it again when it has died."""
        if self._process is not None and (status := self._process.poll()) is not None:
            say(f"{self.program.name} ended with status {status}")
            self._process = None
        if self._process is None and time.monotonic() >= self._next_start:
            self.start()

    def terminate(self) -> None:
        """Send SIGTERM."""
        if self._process is not None:
            self._process.terminate()

    def wait(self, seconds: float) -> None:
        """Wait for the end of the process, and kill it after `seconds`."""
        if self._process is not None:
            try:
                self._process.wait(max(0.0, seconds))
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def end(kept: Sequence[KeptBot]) -> None:
    for bot in kept:
        bot.terminate()
    until = time.monotonic() + GRACE_S
    for bot in kept:
        bot.wait(until - time.monotonic())


def say(text: str) -> None:
    """Write a line to the log."""
    echo(text)
