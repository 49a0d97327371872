"""The bridge of `kozyr connect` without a service: slow starts, pauses after failures, busy programs and short clocks.

Programs wait for files, and clocks are set by hand, so no result depends on the speed of the machine.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from kozyr.connect.bridge import NO_MOVE, Bridge, ProgramCommand, UselessProgram, margin_s
from kozyr.connect.player import LONGEST_PAUSE_S, ConnectedProgram, NoTimeLeft
from kozyr.lines.program import ProgramFailed
from kozyr_client import AsyncClient, KozyrError, Turn
from records.instants import text_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

LONG_S = 120.0
READ = """
import json, os, pathlib, sys, time
def wait(name):
    while not pathlib.Path(name).exists():
        time.sleep(0.005)
turns = (json.loads(line) for line in sys.stdin)
"""
ECHO = READ + "for turn in turns: print(turn['turn'], os.getpid(), flush=True)"
LOADS = READ + "wait('loaded')\nfor turn in turns: print(turn['turn'], os.getpid(), flush=True)"
THINKS = READ + (
    "for turn in turns:\n"
    "    pathlib.Path('thinks').touch(); wait('thought'); print(turn['turn'], os.getpid(), flush=True)"
)
"""Programs that answer with the number of the turn and their process id."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as threads:
        yield threads


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(text: str) -> list[str]:
    Path("program.py").write_text(text)
    return [sys.executable, "program.py"]


async def ask(player: ConnectedProgram, number: int, within: float = LONG_S) -> tuple[int, int]:
    """Ask, and return the number of the answered turn and the id of the process."""

    async def line() -> bytes:
        return b'{"turn": %d}\n' % number

    turn, process = (await player.ask(time.monotonic() + within, line)).split()
    return int(turn), int(process)


async def there(name: str) -> None:
    await asyncio.to_thread(eventually, Path(name).exists, f"the file {name}")


async def test_the_pause_counts_from_the_failure(clock: Clock, threads: ThreadPoolExecutor) -> None:
    player = ConnectedProgram(program("raise SystemExit(1)"), threads, clock=clock)
    for number in range(8):
        with pytest.raises(ProgramFailed):
            await ask(player, number)
        assert number or player.pause_s() == 0.2
    assert player.pause_s() == LONGEST_PAUSE_S
    clock.now += 3
    assert player.pause_s() == LONGEST_PAUSE_S - 3
    clock.now += 3
    assert player.pause_s() == 0.0


async def test_a_program_that_loads_is_kept_and_its_overdue_answer_is_discarded(
    clock: Clock, threads: ThreadPoolExecutor
) -> None:
    player = ConnectedProgram(program(LOADS), threads, clock=clock)
    for number in (1, 2, 3):
        with pytest.raises(NoTimeLeft, match="still starting; it may take 10 s"):
            await ask(player, number, within=0.0)
    Path("loaded").touch()
    turn, process = await ask(player, 4)
    assert (turn, player.failures) == (4, 0)
    assert await ask(player, 5) == (5, process), "the program was not restarted"
    await player.close()


async def test_a_question_longer_than_a_pipe_survives_a_slow_start(
    clock: Clock, threads: ThreadPoolExecutor
) -> None:
    async def long_line() -> bytes:
        return b'{"turn": 1, "rest": "%s"}\n' % (b"x" * 300_000)

    player = ConnectedProgram(program(LOADS), threads, clock=clock)
    with pytest.raises(NoTimeLeft):
        await player.ask(time.monotonic(), long_line)
    Path("loaded").touch()
    assert (await ask(player, 2))[0] == 2
    await player.close()


async def test_a_program_that_starts_for_too_long_is_killed(
    clock: Clock, threads: ThreadPoolExecutor
) -> None:
    player = ConnectedProgram(program(LOADS), threads, clock=clock, starting_s=30.0)
    with pytest.raises(NoTimeLeft, match="30 s"):
        await ask(player, 1, within=0.0)
    clock.now += 30
    with pytest.raises(ProgramFailed, match="no answer in time"):
        await ask(player, 2, within=0.0)
    assert player.failures == 1
    await player.close()


async def test_a_turn_that_expires_while_it_waits_does_not_kill_the_program(
    clock: Clock, threads: ThreadPoolExecutor
) -> None:
    player = ConnectedProgram(program(THINKS), threads, clock=clock)
    first = asyncio.create_task(ask(player, 1))
    await there("thinks")
    second = asyncio.create_task(ask(player, 2))
    await asyncio.sleep(0)
    clock.now = time.monotonic() + 2 * LONG_S
    Path("thought").touch()
    turn, process = await first
    with pytest.raises(
        NoTimeLeft, match="busy with other turns: use --per-match, or lower its bot's max_matches"
    ):
        await second
    clock.now = 0.0
    assert (turn, player.failures) == (1, 0)
    assert await ask(player, 3) == (3, process)
    await player.close()


class BotService:
    """A client of a service where every match is Durak for two. `trouble` is what it raises instead."""

    def __init__(self) -> None:
        self.trouble: KozyrError | None = None

    async def match(self, match: str) -> dict[str, Any]:
        if self.trouble is not None:
            raise self.trouble
        return {"game": "durak", "seats": [None, None], "options": {}}

    async def events(self, match: str, after: int) -> dict[str, Any]:
        return {"events": []}


def turn_of(match: str, *moves: str, left_ms: int = 120_000) -> Turn:
    return Turn(
        {
            "match": match,
            "turn": 1,
            "deal": 1,
            "deadline": text_of(left_ms),
            "now": text_of(0),
            "observation": {"legal_moves": list(moves)},
        }
    )


def bridge(command: ProgramCommand, output: list[str]) -> tuple[Bridge, BotService]:
    service = BotService()
    client = cast("AsyncClient", service)
    return Bridge(client, client, command, output.append), service


FAILS_IN_KING = (
    READ + "for turn in turns:\n    if turn['match'] == 'king': sys.exit(3)\n    print('b', flush=True)"
)


async def test_a_program_per_match_that_always_fails_costs_its_own_match() -> None:
    lines: list[str] = []
    both, _ = bridge(ProgramCommand(program(FAILS_IN_KING), per_match=True), lines)
    assert await both.choose(turn_of("durak", "a", "b")) == "b"
    assert await both.choose(turn_of("king", "a", "b")) == "a"
    assert await both.choose(turn_of("durak", "a", "b")) == "b"
    await both.close()
    assert sum("it ended with status 3" in each for each in lines) == 3


async def test_programs_per_match_of_which_none_answers_end_the_bridge() -> None:
    only, _ = bridge(ProgramCommand(program(FAILS_IN_KING), per_match=True), [])
    with pytest.raises(UselessProgram, match="failed 3 times and never answered"):
        await only.choose(turn_of("king", "a", "b"))
    await only.close()


async def test_where_no_moves_are_listed_the_programs_move_is_sent_as_it_is() -> None:
    both, _ = bridge(ProgramCommand(program(FAILS_IN_KING), per_match=True), [])
    assert await both.choose(turn_of("durak")) == "b"
    # The service refuses this, and the time of the turn runs out.
    assert await both.choose(turn_of("king")) == NO_MOVE
    await both.close()


async def test_factored_moves_are_legal_and_the_first_stands_in_for_a_failure() -> None:
    both, _ = bridge(ProgramCommand(program(FAILS_IN_KING), per_match=True), [])
    for match, move in (("durak", "b"), ("king", "beat 6C 7C")):
        turn = turn_of(match)
        forms = [{"move": "beat X Y", "X": ["6C"], "Y": ["6C", "7C"]}, {"move": "b"}]
        turn["observation"]["factored_moves"] = forms
        assert await both.choose(turn) == move
    await both.close()


async def test_a_match_that_the_service_does_not_describe_costs_one_turn() -> None:
    lines: list[str] = []
    one, service = bridge(ProgramCommand(program(FAILS_IN_KING)), lines)
    service.trouble = KozyrError("unreachable", None, {"detail": "away"})
    assert await one.choose(turn_of("durak", "a", "b")) == "a"
    service.trouble = None
    assert await one.choose(turn_of("durak", "a", "b")) == "b"
    await one.close()
    assert "the service doesn't describe the match" in lines[0]


READS = READ + (
    "for turn in turns:\n"
    "    print([event['n'] for event in turn['events']], file=open('read', 'a'))\n"
    "    if turn['turn'] == 2: sys.exit(1)\n"
    "    print('b', flush=True)"
)


@pytest.mark.parametrize(
    ("deal", "expected"),
    [(1, [[1, 2, 3, 4], [], [1, 2, 3, 4]]), (3, [[8, 9, 10], [], [8, 9, 10]])],
    ids=["first deal", "later deal"],
)
async def test_a_program_that_is_started_again_reads_the_events_of_the_current_deal_only(
    deal: int, expected: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[dict[str, Any]] = [{"n": 1, "type": "started"}]
    for number in range(1, deal + 1):
        events += [{"n": len(events) + 1, "type": "deal", "deal": number}]
        events += [{"n": len(events) + 1 + more, "type": "move"} for more in range(2)]

    async def page(service: BotService, match: str, after: int) -> dict[str, Any]:
        return {"events": events[after:]}

    monkeypatch.setattr(BotService, "events", page)
    one, _ = bridge(ProgramCommand(program(READS)), [])
    for number in (1, 2):
        turn = turn_of("durak", "a", "b")
        await one.choose(Turn({**turn, "turn": number, "deal": deal}))
    await one.close()
    assert [json.loads(line) for line in Path("read").read_text().splitlines()][:3] == expected


LOADS_FIRST = (
    READ + "pathlib.Path('started').touch(); wait('loaded')\nfor turn in turns: print('b', flush=True)"
)


async def test_a_program_that_loads_for_one_match_costs_no_other_match_its_deadline() -> None:
    one, _ = bridge(ProgramCommand(program(LOADS_FIRST), starting_s=3600.0), [])
    patient = asyncio.create_task(one.choose(turn_of("patient", "a", "b")))
    await there("started")
    hurried = one.choose(turn_of("hurried", "a", "b", left_ms=200))
    assert await asyncio.wait_for(hurried, LONG_S / 4) == "a"
    assert not patient.done()
    Path("loaded").touch()
    assert await patient == "b"
    await one.close()


@pytest.mark.parametrize("request_", ["match", "events"])
async def test_a_service_that_hangs_costs_no_turn_its_deadline(
    request_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(*_: object) -> None:
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(BotService, request_, hangs)
    one, _ = bridge(ProgramCommand(program(FAILS_IN_KING), starting_s=3600.0), [])
    choosing = one.choose(turn_of("durak", "a", "b", left_ms=400))
    assert await asyncio.wait_for(choosing, LONG_S / 4) in ("a", "b")
    await one.close()


@pytest.mark.parametrize(
    ("line", "move", "facts"),
    [
        ('{"move": "b", "facts": {"thoughts": "x"}}', "b", {"thoughts": "x"}),
        ("b", "b", {}),
        ('{"move": "b"}', "a", {}),
        ('{"move": "b", "facts": 7}', "a", {}),
        ('{"move": "b", "facts"', "a", {}),
        ('{"move": "c", "facts": {"thoughts": "x"}}', "a", {}),
    ],
)
async def test_a_program_reports_facts_with_its_move(line: str, move: str, facts: dict[str, Any]) -> None:
    only, _ = bridge(ProgramCommand(program(READ + f"for turn in turns: print({line!r}, flush=True)")), [])
    turn = turn_of("durak", "a", "b")
    assert (await only.choose(turn), turn.facts) == (move, facts)
    await only.close()


@pytest.mark.parametrize(("left", "kept"), [(120.0, 0.3), (1.2, 0.3), (0.4, 0.1), (0.1, 0.025)])
def test_a_short_clock_leaves_the_program_most_of_its_time(left: float, kept: float) -> None:
    assert margin_s(left) == pytest.approx(kept)
