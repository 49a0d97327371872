"""Streams on one worker: memory per watcher, and the time from a commit to the frame that a watcher receives.

A thousand watchers stream the frames of twenty matches, then of a single one, while bots move. A commit is timed by the
wake-up message from its script, a frame by its arrival at each watcher.
"""

from __future__ import annotations

import selectors
import socket
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import orjson
import redis

from bench.support.bench_matches import BenchMatches
from bench.support.load import connect, request
from bench.support.measure import at_most, percentile, resident
from bench.support.service import MEASURED
from tests.support.live import LiveService
from tests.support.waiting import eventually

WATCHERS = 1000
MOVES = 100
CROWDS = (20, 1)
"""Among how many matches the watchers are spread."""
MOST_KIB, MOST_MS = 30.0, 100.0
SILENCE_S = 0.3
PATIENCE_S = 10.0
OPENING_S = 300.0


def report() -> list[str]:
    """Return the lines of the table."""
    lines = [f"| {WATCHERS} streams on one worker | | at most |", "| --- | --- | --- |"]
    for matches in CROWDS:
        each, delays = _measured(matches)
        spread = "one match" if matches == 1 else f"{matches} matches"
        kib, p50, p99 = each / 1024, 1000 * percentile(delays, 0.5), 1000 * percentile(delays, 0.99)
        lines += [
            f"| memory of each watcher of {spread}, KiB | {kib:.1f} | {at_most(kib, MOST_KIB)} |",
            f"| commit to frame, {spread}, p50 ms | {p50:.1f} | |",
            f"| commit to frame, {spread}, p99 ms | {p99:.1f} | {at_most(p99, MOST_MS)} |",
        ]
    return lines


def _measured(matches: int) -> tuple[float, list[float]]:
    """Return the bytes per watcher, and the delays of all frames in seconds."""
    one_address = {"KOZYR_CONNECTIONS": str(32 * WATCHERS)}  # all watchers have it
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder), ["redis", "api"], settings={**MEASURED, **one_address}) as service,
    ):
        tables = BenchMatches(service)
        tokens = [tables.bot("player-0"), tables.bot("player-1")]
        seats = ["bench/player-0", "bench/player-1"]
        found = [tables.match(seats, tokens[0], deals=1000) for _ in range(matches)]
        for token in tokens:
            tables.turns(token, 0)
        (worker,) = service.api_workers()
        _watch(service, found[0]).close()
        before = resident(worker)
        watchers: dict[str, list[socket.socket]] = {match: [] for match in found}
        for number in range(WATCHERS):
            match = found[number % matches]
            watchers[match].append(_watch(service, match))
        eventually(lambda: tables.metric("kozyr_waiting_polls") >= WATCHERS, within=OPENING_S)
        time.sleep(SILENCE_S)
        each = (resident(worker) - before) / WATCHERS
        return each, _moves(service, tables, tokens, watchers)


def _watch(service: LiveService, match: str) -> socket.socket:
    sock = connect(service.port)
    sock.sendall(request("GET", f"/v1/matches/{match}/stream?kind=frames"))
    return sock


def _moves(
    service: LiveService,
    tables: BenchMatches,
    tokens: Sequence[str],
    watchers: dict[str, list[socket.socket]],
) -> list[float]:
    channel = redis.Redis.from_url(service.redis_url).pubsub()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
    channel.subscribe("kozyr:wake")
    channel.parse_response()
    delays: list[float] = []
    for number in range(MOVES):
        turns = [turn for token in tokens for turn in tables.turns(token, 0)]
        turn = turns[number % len(turns)]
        crowd = watchers[turn["match"]]
        for sock in crowd:
            _drain(sock)
        while channel.parse_response(block=False, timeout=0):
            pass
        body = orjson.dumps({"turn": turn["turn"], "move": turn["observation"]["legal_moves"][-1]})
        with connect(service.port) as sender:
            path = f"/v1/matches/{turn['match']}/moves"
            sender.sendall(request("POST", path, tokens[turn["seat"]], body))
            channel.parse_response(timeout=1)
            delays += _arrivals(crowd, time.perf_counter())
    return delays


def _arrivals(crowd: Sequence[socket.socket], committed: float) -> list[float]:
    """Return for each watcher when its frame arrived, in seconds after the commit."""
    delays: list[float] = []
    with selectors.DefaultSelector() as selector:
        for sock in crowd:
            selector.register(sock, selectors.EVENT_READ)
        while len(delays) < len(crowd):
            ready = selector.select(PATIENCE_S)
            assert ready, "a watcher got no frame"
            for key, _ in ready:
                delays.append(time.perf_counter() - committed)
                selector.unregister(key.fileobj)
    return delays


def _drain(sock: socket.socket) -> None:
    sock.setblocking(False)
    try:
        while sock.recv(1 << 16):
            pass
    except BlockingIOError:
        pass
