"""Kozyr, a student's server, boardgame.io and Colyseus: moves a second of one core, latency, and what outlives kill -9.

Every server, with its processes and its Redis, has one core to itself; the load has another one where there is one.
Only the measured server is under load, and the servers take turns. Each run opens 64 new matches, because boardgame.io
copies the log of a match with each move, and would become slower with every run of a match.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final

import httpx

from bench.peers.load import LoadSeat, Offered, SeatsLoad
from bench.peers.seats import BoardgameSeat, ColyseusSeat, kozyr_seat, student_seat
from bench.support.measure import at_least, at_most, interleaved, percentile, ratio
from bench.support.service import MEASURED
from bench.support.tables import CONNECTIONS, BenchTables
from tests.support.live import LiveService
from tests.support.ports import free_port

HERE: Final = Path(__file__).resolve().parent
RUN_S: Final = 2.0
RATE: Final = 1000
OFFERED_ROUNDS: Final = 5
BEFORE_KILL_S: Final = 1.0
KOZYR: Final = "Kozyr"
STUDENT: Final = "the student's server"
TARGET: Final = 1.5
CORES: Final = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [None]
SERVER_CORE: Final = CORES[-1]
LOAD_CORE: Final = CORES[0]
_numbers = count()


class Peer:
    """A running server. `open_seat` takes the number of a seat and returns it in a new match."""

    def __init__(self, service: LiveService, open_seat: Callable[[int], LoadSeat]) -> None:
        self._service, self._open_seat = service, open_seat

    def load(self, connections: int = CONNECTIONS) -> SeatsLoad:
        """Return a load of seats in new matches."""
        return SeatsLoad(self._service.url, [self._open_seat(next(_numbers)) for _ in range(connections)])

    def kill(self) -> None:
        """Send SIGKILL to all processes, the database first."""
        for part in self._service.parts:
            self._service.kill(part)

    def start(self) -> None:
        """Start the processes again."""
        with pinned(SERVER_CORE):
            for part in self._service.parts:
                self._service.start(part)

    def stored_turn(self, seat: LoadSeat) -> int | None:
        """Return the turn that is stored as open in a seat's match, 0 without a match, `None` if it can't be read.

        boardgame.io ends when it reads a file that was half written at the kill, so it is started again.
        """
        try:
            return seat.stored_turn()
        except (RuntimeError, ConnectionError, httpx.HTTPError):
            self.kill()
            self.start()
            return None


def report() -> list[str]:
    """Return the lines of the tables of all peers."""
    with ExitStack() as stack:
        peers, skipped = _started(STARTS, stack)
        tables = [*_most(peers), "", *_offered(peers), "", *_killed(peers)]
        return [*tables, "", *skipped] if skipped else tables


def beside_the_student() -> list[str]:
    """Return the lines of the tables of Kozyr and the student's server."""
    with ExitStack() as stack:
        peers, skipped = _started({STUDENT: STARTS[STUDENT]}, stack)
        return skipped or [*_most(peers), "", *_offered(peers)]


def _started(
    starts: Mapping[str, Callable[[Path, ExitStack], Peer]], stack: ExitStack
) -> tuple[dict[str, Peer], list[str]]:
    """Start Kozyr and these peers. Return those that run, and a line for each that can't."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kb")))
    skipped = []
    with pinned(SERVER_CORE):
        peers = {KOZYR: _kozyr(folder / "ours", stack)}
        for name, start in starts.items():
            try:
                peers[name] = start(folder / str(len(peers)), stack)
            except Absent as why:
                skipped.append(f"{name}: skipped: {why}")
    stack.enter_context(pinned(LOAD_CORE))
    return peers, skipped


class Absent(Exception):
    """A peer that can't be measured here. The text says why."""


def node_command(name: str, *arguments: str) -> list[str]:
    """Return the command of a peer's server on Node.js. Raise `Absent` without Node.js or the peer's packages."""
    node = shutil.which("node")
    if node is None:
        raise Absent("Node.js is absent")
    # npm writes this file at the end of an installation.
    if not (HERE / name / "node_modules" / ".package-lock.json").is_file():
        raise Absent("its packages are not installed: run `make bench-peers` where npm is")
    return [node, str(HERE / name / "server.js"), *arguments]


def node_service(folder: Path, name: str, *arguments: str) -> LiveService:
    """Return the service of a peer's server on Node.js, not started. Raise `Absent` if it can't run."""
    port = free_port()
    command = node_command(name, str(port), *arguments)
    return LiveService(
        folder, ["api"], settings=MEASURED, commands={"api": command}, port=port, ready_path="/games"
    )


def _kozyr(folder: Path, stack: ExitStack) -> Peer:
    service = stack.enter_context(LiveService(folder, settings=MEASURED))
    return Peer(service, partial(kozyr_seat, BenchTables(service), service.port))


def _student(folder: Path, stack: ExitStack) -> Peer:
    if find_spec("fastapi") is None:
        raise Absent("FastAPI is not installed")
    serve = (
        "import os, uvicorn; os.environ['REDIS_URL'] = os.environ['KOZYR_REDIS_URL']; "
        "uvicorn.run('bench.peers.student:app', port=int(os.environ['KOZYR_PORT']), log_level='warning')"
    )
    service = LiveService(
        folder,
        ["redis", "api"],
        commands={"api": [sys.executable, "-c", serve]},
        settings=MEASURED,
        ready_path="/openapi.json",
    )
    stack.enter_context(service)
    return Peer(
        service, partial(student_seat, stack.enter_context(service.http()), service.redis, service.port)
    )


def _boardgame(folder: Path, stack: ExitStack, *, files: bool) -> Peer:
    service = node_service(folder, "boardgame", *([str(folder / "matches")] if files else []))
    return _on_node(service, BoardgameSeat, stack)


def _colyseus(folder: Path, stack: ExitStack) -> Peer:
    return _on_node(node_service(folder, "colyseus"), ColyseusSeat, stack)


def _on_node(service: LiveService, seat: Callable[[httpx.Client, int], LoadSeat], stack: ExitStack) -> Peer:
    stack.enter_context(service)
    return Peer(service, partial(seat, stack.enter_context(service.http())))


STARTS: Final[Mapping[str, Callable[[Path, ExitStack], Peer]]] = {
    STUDENT: _student,
    "boardgame.io, in memory": partial(_boardgame, files=False),
    "boardgame.io, FlatFile": partial(_boardgame, files=True),
    "Colyseus": _colyseus,
}


def _most(peers: Mapping[str, Peer]) -> list[str]:
    """Return the table of moves per second."""
    tails: dict[str, list[float]] = {name: [] for name in peers}

    def rate(name: str) -> float:
        with closing(peers[name].load()) as load:
            found = load.run(RUN_S)
        tails[name].append(1000 * percentile(load.latencies, 0.99))
        return found

    found = interleaved({name: partial(rate, name) for name in peers})
    lines = [
        f"| {CONNECTIONS} connections, one core | moves/s | p99, ms | beside the student's | at least |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, rates in found.items():
        share = ratio(rates, found[STUDENT]) if STUDENT in found else None
        wanted = at_least(share, TARGET) if name == KOZYR and share is not None else ""
        cells = [name, f"{statistics.median(rates):,.0f}", f"{statistics.median(tails[name]):.1f}"]
        lines.append(_row(*cells, "" if share is None else f"{share:.2f}", wanted))
    return lines


def _offered(peers: Mapping[str, Peer]) -> list[str]:
    """Return the table of latencies at a fixed rate."""
    found: dict[str, list[Offered]] = {name: [] for name in peers}
    for _ in range(OFFERED_ROUNDS):
        for name, peer in peers.items():
            with closing(peer.load()) as load:
                found[name].append(load.offer(RATE, RUN_S))

    def median(name: str, share: float) -> float:
        return statistics.median(1000 * percentile(run.latencies, share) for run in found[name])

    lines = [
        f"| {RATE:,} moves/s offered, one core | p50, ms | p99, ms | p99, at most | unanswered |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, runs in found.items():
        limit = ""
        if name == KOZYR and STUDENT in found:
            limit = at_most(median(name, 0.99), round(median(STUDENT, 0.99), 1))
        unanswered = statistics.median(run.unanswered for run in runs)
        lines.append(
            _row(name, f"{median(name, 0.5):.1f}", f"{median(name, 0.99):.1f}", limit, f"{unanswered:,.0f}")
        )
    return lines


def _killed(peers: Mapping[str, Peer]) -> list[str]:
    """Return the table of what is there after all processes of a server were killed under load and started again."""
    lines = [
        f"| kill -9 of all processes under load, {CONNECTIONS} matches | kept | lost | unreadable "
        "| acknowledged moves lost in the kept |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, peer in peers.items():
        with closing(peer.load()) as load:
            load.run_until_killed(BEFORE_KILL_S, peer.kill)
            peer.start()
            acknowledged = [seat.turn for seat in load.seats]
            stored = [peer.stored_turn(seat) for seat in load.seats]
        pairs = zip(stored, acknowledged, strict=True)
        missing = [last - turn for turn, last in pairs if turn and turn < last]
        kept = sum(1 for turn in stored if turn)
        moves = f"{sum(missing):,} in {len(missing)} matches" if missing else "0" if kept else ""
        lines.append(_row(name, str(kept), str(stored.count(0)), str(stored.count(None)), moves))
    return lines


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


@contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """Keep this thread, and the processes that it starts, on a core. Linux only."""
    if core is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
