"""The demonstration league: a ladder of two example bots and two house bots, created and played over HTTP.

`demo.json` under KOZYR_VAR stores what was created, including tokens, so only this user can read it. Each step stores
its Idempotency-Key before its request, so a killed demonstration continues where it stopped. If the service has lost
its data, everything is created again.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from kozyr.starters.writing import EXAMPLES
from kozyr.terminal import echo
from kozyr_client import Client, KozyrError
from server.attention import Nap, attention_of
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
LONGEST_BACKOFF_S: Final = 5.0


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
BUSY_ROUNDS: Final = 500
"""From this number of rounds on, which take 50 MB of Redis, rounds follow `RARELY`. Old ones move to the archive."""
RARELY: Final[Mapping[str, Any]] = {"cron": "0 * * * *", "timezone": "UTC"}
LONGEST_ROUND_S: Final = 60.0
"""How long a rest waits for the end of a round, in seconds."""


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
    if not wait_until_usable(settings.url, over):
        return
    with AccountClients(settings.url) as accounts:
        try:
            league = league_of(accounts, memory)
        except KozyrError as error:
            if error.code not in ("bad_invitation", "invitation_needed"):
                raise
            say(f"no demonstration: {error}")
            return
        kept = [KeptBot(EXAMPLES / program, settings.url, token) for program, token in league.bots.items()]
        show = DemoShow(accounts, memory, league, kept, over)
        nap = Nap(attention_of(settings), show.begin, show.rest)
        try:
            nap.begin()
            while not over.wait(LOOK_EVERY_S):
                nap.look()
                if not nap.resting:
                    show.look()
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


class AccountClients:
    """The requests of the league's accounts. Each account keeps its connection."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._clients: dict[str | None, Client] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        for client in self._clients.values():
            client.close()

    def call(
        self, token: str | None, method: str, path: str, body: Json | None = None, key: str | None = None
    ) -> Json:
        """Return the response to a request with this token. Raise `KozyrError`."""
        client = self._clients.get(token)
        if client is None:
            client = self._clients[token] = Client(self._url, token)
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
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(self._kept, file, indent=1)
        fresh.replace(self._path)


def demo_ladder(settings: Settings) -> str | None:
    """Return the id of the ladder that was created; `None` if there is none."""
    made = DemoMemory(settings.var / MEMORY).made.get(LADDER_STEP)
    return None if made is None else str(made["id"])


def league_of(accounts: AccountClients, memory: DemoMemory) -> DemoLeague:
    """Return the league. Create what is missing."""
    if not _is_known(accounts, memory):
        say("the service does not know the demonstration created earlier; creating a new one")
        memory.forget()
    owners = {player.owner: _owner(accounts, memory, player.owner) for player in PLAYERS}
    bots: dict[str, Json] = {}
    for player in PLAYERS:
        body = {"name": player.bot, "description": f"examples/{player.program}"}
        step = f"bot {player.bot}"
        bots[player.program] = _post(accounts, memory, step, owners[player.owner], "/v1/bots", body)
    host = owners[PLAYERS[0].owner]
    ladder = str(_post(accounts, memory, LADDER_STEP, host, "/v1/ladders", dict(LADDER))["id"])
    for player in PLAYERS:
        _enter(accounts, memory, ladder, owners[player.owner], bots[player.program]["bot"]["bot"])
    for name in HOUSE_BOTS:
        _enter(accounts, memory, ladder, host, name)
    memory.once(
        "running", lambda _: accounts.call(host, "PATCH", f"/v1/ladders/{ladder}", {"state": "running"})
    )
    return DemoLeague(ladder, host, {program: str(made["token"]) for program, made in bots.items()})


def _is_known(accounts: AccountClients, memory: DemoMemory) -> bool:
    """Return whether the service knows the remembered tokens and ladder."""
    try:
        for step, made in memory.made.items():
            if "token" in made:
                accounts.call(made["token"], "GET", "/v1/token")
            elif step == LADDER_STEP:
                accounts.call(None, "GET", f"/v1/ladders/{made['id']}")
    except KozyrError as error:
        if error.status not in (401, 404):
            raise
        return False
    return True


def _enter(accounts: AccountClients, memory: DemoMemory, ladder: str, token: str, bot: str) -> None:
    try:
        _post(accounts, memory, f"entry {bot}", token, f"/v1/ladders/{ladder}/entries", {"bot": bot})
    except KozyrError as error:
        if error.code != "no_such_bot":
            raise
        say(f"{bot} is not entered: {error}")


def _owner(accounts: AccountClients, memory: DemoMemory, wanted: str) -> str:
    """Return the token of an owner with this name, or a similar one if it is taken."""
    while True:
        name = memory.name(wanted)
        try:
            return str(_post(accounts, memory, f"owner {name}", None, "/v1/owners", {"name": name})["token"])
        except KozyrError as error:
            if error.code != "name_taken":
                raise
            memory.rename(wanted)


def _post(
    accounts: AccountClients, memory: DemoMemory, step: str, token: str | None, path: str, body: Json
) -> Json:
    def make(key: str) -> Json:
        say(f"creating {step}")
        return accounts.call(token, "POST", path, body, key)

    return memory.once(step, make)


def start_round(accounts: AccountClients, league: DemoLeague) -> None:
    """Start a round, unless one is running."""
    try:
        accounts.call(league.token, "POST", f"/v1/ladders/{league.ladder}/rounds", key=secrets.token_hex(16))
    except KozyrError as error:
        if error.status != 409:
            raise
        say(f"no round was started: {error}")


class DemoShow:
    """The league while somebody looks, and its rest."""

    def __init__(
        self,
        accounts: AccountClients,
        memory: DemoMemory,
        league: DemoLeague,
        kept: Sequence[KeptBot],
        over: StopRequest,
    ) -> None:
        self._accounts, self._memory, self._league = accounts, memory, league
        self._kept, self._over = kept, over

    def begin(self) -> None:
        """Let rounds start by the schedule, and the bots play."""
        if self._last_round().get("number", 0) >= BUSY_ROUNDS:
            self._memory.once("rarely", lambda _: self._change({"schedule": RARELY}))
        self._set_state("running")
        start_round(self._accounts, self._league)
        for bot in self._kept:
            bot.start()

    def look(self) -> None:
        """Restart dead bots."""
        for bot in self._kept:
            bot.look()

    def rest(self) -> None:
        """Let no round start, and stop the bots when the last one is over."""
        say("nobody looks: the demonstration rests")
        self._set_state("paused")
        until = time.monotonic() + LONGEST_ROUND_S
        while self._last_round().get("state") == "running" and time.monotonic() < until:
            if self._over.wait(1.0):
                break
        end(self._kept)

    def _last_round(self) -> Json:
        path = f"/v1/ladders/{self._league.ladder}/rounds?limit=1"
        rounds = self._accounts.call(self._league.token, "GET", path)["rounds"]
        return rounds[0] if rounds else {}

    def _change(self, body: Json) -> Json:
        return self._accounts.call(self._league.token, "PATCH", f"/v1/ladders/{self._league.ladder}", body)

    def _set_state(self, state: str) -> None:
        try:
            self._change({"state": state})
        except KozyrError as error:
            if error.status != 409:  # it has the state
                raise


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
        self._failures = 0
        self._since = self._next_start = 0.0

    def start(self) -> None:
        command = [sys.executable, str(self.program)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=self._environment)
        self._since = time.monotonic()
        say(f"{self.program.name} plays (pid {self._process.pid})")

    def look(self) -> None:
        """Restart a dead bot, with backoff if it keeps dying early."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._next_start:
                self.start()
        elif (status := self._process.poll()) is not None:
            self._failures = 1 if now - self._since > LONGEST_BACKOFF_S else self._failures + 1
            pause = min(LONGEST_BACKOFF_S, 0.1 * 2.0 ** min(self._failures - 1, 16))
            say(f"{self.program.name} ended with status {status}; restarting in {pause:.1f} s")
            self._process, self._next_start = None, now + pause

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
