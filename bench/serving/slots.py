"""Which slots of a Redis Cluster each kind of load hits: commands, and what they cost Redis.

The service runs on one server with `cluster-enabled`, whose slow log keeps every command with its time. Commands inside
a script are part of the script. The time excludes reading the command and sending its answer.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
import redis as redis_py

from bench.support.load import Load, Next, request
from bench.support.rounds import played_ladder
from bench.support.service import MEASURED
from bench.support.tables import CLOCK, CONNECTIONS, BenchTables, answer
from kozyr.serve.embedded import EmbeddedRedis
from tests.support.live import LiveService

SECONDS: Final = 3.0
PLAYERS: Final = 16
REPEATS: Final = 300
KEPT: Final = 2_000_000
"""The most commands that the slow log keeps."""
SPREAD: Final = "matches, bots and groups, in their own slots"
KEEPING: Final = "deadlines and clocks of the 64 buckets"
SHOWN: Final = 0.01
"""The fewest commands for a unit of a slot that has a line."""
_SPREAD: Final = re.compile(r"\d\d|(bot|conduct|events|group):.*|matches:bot:.*")
"""The hash tags of which there are many: buckets of matches, bots, accounts and groups."""
_NAMED: Final = re.compile(r"(ladder|ratings|matches:\w+):.*")


class Hits(NamedTuple):
    """The commands of a measurement and their µs, by slot, for each unit of work."""

    commands: Mapping[str, float]
    micros: Mapping[str, float]

    def cell(self, slot: str) -> str:
        """Return the cell of a slot."""
        commands = self.commands.get(slot, 0.0)
        return f"{commands:.2f} / {self.micros[slot]:.1f}" if commands >= SHOWN / 2 else "–"


def report() -> list[str]:
    """Return the lines of the table."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kb")))
        server = EmbeddedRedis(folder / "cluster", appendfsync="no", cluster=True).start()
        stack.callback(server.stop)
        queue = EmbeddedRedis(folder / "queue", appendfsync="no").start()
        stack.callback(queue.stop)
        cluster = {"KOZYR_QUEUE_REDIS_URL": queue.url, "KOZYR_REDIS_CLUSTER": "yes"}
        parts = ("clock", "api", "worker")
        service = stack.enter_context(
            LiveService(folder / "s", parts, settings=MEASURED | cluster, redis_url=server.url)
        )
        found = _measured(service, _SlowLog(server.url))
    _, *works = found.values()
    micros = Counter[str]()
    for hits in works:
        micros.update(hits.micros)
    shown = [slot for slot in micros if any(hits.commands.get(slot, 0) >= SHOWN for hits in works)]
    return [
        f"| commands / µs for | {' | '.join(found)} |",
        "| --- |" + " --- |" * len(found),
        *(
            f"| {slot} | {' | '.join(hits.cell(slot) for hits in found.values())} |"
            for slot in sorted(shown, key=lambda slot: -micros[slot])
        ),
    ]


def _measured(service: LiveService, log: _SlowLog) -> dict[str, Hits]:
    tables = BenchTables(service)
    idle = log.hits(_idle, {})
    moves = Load(service.url, [tables.single(seed) for seed in range(CONNECTIONS)])
    polls = Load(service.url, [_polls_and_moves(tables, seed) for seed in range(CONNECTIONS)])
    players = [_Player(tables, seed) for seed in range(PLAYERS)]
    matches = Load(service.url, [player.next for player in players])

    def ran(load: Load, requests: int = 1) -> Callable[[], float]:
        load.run(SECONDS)  # so that tokens and matches are remembered
        return lambda: load.run(SECONDS) and load.answered / requests

    def played() -> float:
        before = sum(player.played for player in players)
        matches.run(SECONDS)
        return sum(player.played for player in players) - before

    def in_a_round() -> float:
        with service.http() as client:
            played_ladder(client, REPEATS, owner="rounds")
        return 2 * REPEATS

    found = {"a second": idle, "a move": log.hits(ran(moves), idle.commands)}
    found["a move after a poll"] = log.hits(ran(polls, 2), idle.commands)
    matches.run(SECONDS)
    found["a casual match"] = log.hits(played, idle.commands)
    found["a match of a round"] = log.hits(in_a_round, idle.commands)
    for load in (moves, polls, matches):
        load.close()
    return found


def _idle() -> float:
    time.sleep(SECONDS)
    return SECONDS


def _polls_and_moves(tables: BenchTables, seed: int) -> Next:
    """Return polls and moves in turn."""
    token, _ = tables.against_random(f"polls-{seed}", 1)
    rng = random.Random(seed)
    polled = False

    def dialogue(body: bytes | None) -> bytes:
        nonlocal polled
        turns = orjson.loads(body)["turns"] if polled and body is not None else []
        polled = not turns
        if not turns:
            return request("GET", "/v1/turns?wait=5", token)
        path = f"/v1/matches/{turns[0]['match']}/moves"
        return request("POST", path, token, orjson.dumps(answer(turns[0], rng)))

    return dialogue


class _Player:
    """A bot that creates matches of one deal against a house bot and plays them."""

    def __init__(self, tables: BenchTables, seed: int) -> None:
        name = f"casual-{seed}"
        self.played = 0
        self._token, self._rng = tables.bot(name), random.Random(seed)
        self._new = orjson.dumps(
            {"game": "durak", "seats": [f"bench/{name}", "house/random"], "clock": CLOCK}
        )

    def next(self, body: bytes | None) -> bytes:
        """Return the next request."""
        if body is None:
            return request("POST", "/v1/matches", self._token, self._new)
        found: dict[str, Any] = orjson.loads(body)
        if "seats" in found:  # the new match
            return request("GET", "/v1/turns?wait=5", self._token)
        turns = found["turns"] if "turns" in found else [found["next"]]
        if turns and turns[0] is not None:
            path = f"/v1/matches/{turns[0]['match']}/moves?wait=5"
            return request("POST", path, self._token, orjson.dumps(answer(turns[0], self._rng)))
        self.played += 1
        return request("POST", "/v1/matches", self._token, self._new)


class _SlowLog:
    """Redis's slow log with every command."""

    def __init__(self, url: str) -> None:
        self._redis = redis_py.Redis.from_url(url, protocol=2)
        self._redis.config_set("slowlog-max-len", KEPT)

    def hits(self, work: Callable[[], float], idle: Mapping[str, float]) -> Hits:
        """Return the commands of this work for each unit that it returns, without those of an idle service."""
        self._redis.slowlog_reset()
        self._redis.config_set("slowlog-log-slower-than", 0)
        began = time.perf_counter()
        units = max(1.0, work())
        seconds = time.perf_counter() - began
        self._redis.config_set("slowlog-log-slower-than", -1)
        commands, micros = Counter[str](), Counter[str]()
        self._redis.set_response_callback("SLOWLOG GET", lambda rows: rows)
        rows: list[Any] = self._redis.execute_command("SLOWLOG GET", KEPT)  # type: ignore[no-untyped-call]  # redis-py's
        for _, _, took, command, client, *_ in rows:
            if client and not client.startswith(b"?") and (slot := _slot(command)) is not None:
                commands[slot] += 1
                micros[slot] += took
        each = {slot: micros[slot] / count for slot, count in commands.items()}
        left = {slot: max(0.0, count - idle.get(slot, 0.0) * seconds) for slot, count in commands.items()}
        return Hits(
            {slot: count / units for slot, count in left.items()},
            {slot: count * each[slot] / units for slot, count in left.items()},
        )


def _slot(command: list[bytes]) -> str | None:
    """Return the hash tag or the key of a command, `SPREAD` for one of many, or `None` without a key."""
    name, *words = (word.decode(errors="replace") for word in command)
    at = 2 if name in {"EVALSHA", "EVAL"} else 0
    if name == "PUBLISH" or len(words) <= at or not words[at].startswith("kozyr:"):
        return None
    key = words[at]
    tag = re.search(r"\{(.*?)\}", key)
    if tag is None:
        return SPREAD if key.startswith(("kozyr:rate:", "kozyr:idempotency:")) else f"`{key}`"
    if tag[1].isdecimal() and key.endswith((":deadlines", ":clock")):
        return KEEPING
    if _SPREAD.fullmatch(tag[1]):
        return SPREAD
    named = _NAMED.sub(r"\1:…", tag[1])
    return f"`{{{named}}}`"
