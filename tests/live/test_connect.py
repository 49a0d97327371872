"""`kozyr connect` at a real service: good programs, programs that fail in every way, and the conformance check."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.league import LiveBot, LiveLeague
from tests.support.live import ROOT, LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

READ = "import json, os, sys\nlines = (json.loads(line) for line in sys.stdin)\n"
GOOD = (
    READ
    + """
seen = {}
for turn in lines:
    assert turn["line_protocol"] == 1 and turn["table"]["game"] == "durak", turn
    assert "KOZYR_TOKEN" not in os.environ
    for event in turn["events"]:
        seen[turn["match"]] = seen.get(turn["match"], 0) + 1
        assert event["n"] == seen[turn["match"]], (turn["match"], event)
    print(turn["observation"]["legal_moves"][-1], flush=True)
"""
)
DIES_LATER = (
    READ
    + """
for number, turn in enumerate(lines):
    if number == 5:
        print("out of ideas", file=sys.stderr)
        sys.exit(3)
    print(turn["observation"]["legal_moves"][0], flush=True)
"""
)
DIES_AT_ONCE = "import sys\nsys.exit('no module named genius')"
SILENT = "import time\ntime.sleep(3600)"
TALKATIVE = READ + "for turn in lines: print('x' * 5000, flush=True)"
BINARY = READ + "for turn in lines: sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()"
TWO_LINES = READ + "for turn in lines: print(turn['observation']['legal_moves'][0] + '\\nbye', flush=True)"
ILLEGAL = READ + "for turn in lines: print('castle', flush=True)"
SLOW_CLOCK = {"move_ms": 600_000, "bank_ms": 0, "grace_ms": 250, "strikes": 3}
QUICK_CLOCK = {"move_ms": 1000, "bank_ms": 0, "grace_ms": 250, "strikes": 1000}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with LiveService(tmp_path_factory.mktemp("connect")) as service:
        yield service


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service, "bridges")


def words(folder: Path, program: str) -> list[str]:
    (folder / "program.py").write_text(program)
    return ["--", sys.executable, str(folder / "program.py")]


def connect(url: str, token: str, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kozyr", "connect", url, *more],
        cwd=ROOT,
        env={**os.environ, "KOZYR_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def timeouts(league: LiveLeague, match: str, seat: int = 0) -> int:
    moves = league.record(match)["moves"]
    return sum(move["seat"] == seat and move.get("by") == "timeout" for move in moves)


@pytest.mark.parametrize("per_match", [[], ["--per-match"]])
def test_a_program_plays_many_matches_and_reads_each_event_once(
    league: LiveLeague, tmp_path: Path, per_match: list[str]
) -> None:
    bot = league.bot(f"good{len(per_match)}")
    matches = [league.match([bot, "house/random"]) for _ in range(4)]
    ended = connect(
        league.service.url, bot.token, "--matches", "4", "--json", *per_match, *words(tmp_path, GOOD)
    )
    assert ended.returncode == 0, ended.stderr
    finished = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {each["match"] for each in finished} == set(matches)
    assert {each["ending"] for each in finished} == {"rules"}
    assert "match " not in ended.stderr
    assert sum(timeouts(league, match) for match in matches) == 0


def test_two_programs_find_each_other(league: LiveLeague, tmp_path: Path) -> None:
    bots, ended = [league.bot("seeker"), league.bot("finder")], {}

    def play(bot: LiveBot) -> None:
        found = ("--find", "durak", "--matches", "2", "--json")
        ended[bot.name] = connect(league.service.url, bot.token, *found, *words(tmp_path, GOOD))

    threads = [threading.Thread(target=play, args=(bot,)) for bot in bots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    played = [
        sorted(json.loads(line)["match"] for line in each.stdout.splitlines()) for each in ended.values()
    ]
    assert {each.returncode for each in ended.values()} == {0}, ended
    assert len(played[0]) == 2
    assert played[0] == played[1]


def test_a_crash_shows_standard_error_and_the_program_plays_on(league: LiveLeague, tmp_path: Path) -> None:
    bot = league.bot("crashing")
    match = league.match([bot, "house/random"])
    ended = connect(league.service.url, bot.token, "--matches", "1", *words(tmp_path, DIES_LATER))
    assert ended.returncode == 0, ended.stderr
    assert "it ended with status 3" in ended.stderr
    assert "| out of ideas" in ended.stderr
    assert timeouts(league, match) == 0


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (TALKATIVE, "more than 4096 bytes for one turn: print only the move"),
        (BINARY, "not UTF-8: print the move as plain text"),
        (TWO_LINES, "more than one line for one turn: print one line for each turn"),
        (SILENT, "no answer in time: print one line for each turn, and flush it"),
        (DIES_AT_ONCE, "it ended with status 1"),
    ],
    ids=["too much", "not UTF-8", "two lines", "nothing", "dies at once"],
)
def test_a_program_that_never_answers_ends_the_bridge_with_a_sentence(
    league: LiveLeague, tmp_path: Path, request: pytest.FixtureRequest, program: str, expected: str
) -> None:
    bot = league.bot(request.node.callspec.id.lower().replace(" ", "-"))
    league.match([bot, "house/random"], clock=QUICK_CLOCK)
    ended = connect(
        league.service.url, bot.token, "--matches", "1", "--starting", "0", *words(tmp_path, program)
    )
    assert ended.returncode == 1, ended.stderr
    assert expected in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("kozyr: the program failed 3 times and never answered")
    assert "Traceback" not in ended.stderr


def test_an_illegal_move_costs_no_strike_and_is_reported(league: LiveLeague, tmp_path: Path) -> None:
    bot = league.bot("illegal")
    match = league.match([bot, "house/random"])
    ended = connect(league.service.url, bot.token, "--matches", "1", *words(tmp_path, ILLEGAL))
    assert ended.returncode == 0, ended.stderr
    assert "'castle' is not a legal move: print one of legal_moves or free_moves exactly" in ended.stderr
    assert timeouts(league, match) == 0


def test_the_same_program_passes_the_conformance_check(league: LiveLeague, tmp_path: Path) -> None:
    bot = league.bot("checked")
    kozyr = [sys.executable, "-m", "kozyr"]
    ended = subprocess.run(
        [*kozyr, "check", league.service.url, "--token", bot.token, *words(tmp_path, GOOD)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "passed"), ended.stdout + ended.stderr


WAITS = (
    READ
    + """
import pathlib, time
for turn in lines:
    pathlib.Path("asked").write_text(str(os.getpid()))
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    print(turn["observation"]["legal_moves"][0], flush=True)
"""
)


@contextlib.contextmanager
def asked_bridge(league: LiveLeague, bot: LiveBot, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run `kozyr connect` in the folder, as soon as its program was asked for a move. It waits for the file `go`."""
    command = [sys.executable, "-m", "kozyr", "connect", league.service.url]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KOZYR_TOKEN": bot.token}
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [*command, *words(folder, WAITS)], cwd=folder, stderr=errors, env=environment
        )
    try:
        eventually((folder / "asked").exists, "the program is asked")
        yield process
    finally:
        process.kill()
        process.wait()


def interrupt(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Send Ctrl-C, and wait until it is noticed."""
    process.send_signal(signal.SIGINT)
    eventually(lambda: "no new match begins" in (folder / "errors").read_text(), "the signal is noticed")


def test_ctrl_c_finishes_the_running_match_and_begins_no_other(league: LiveLeague, tmp_path: Path) -> None:
    bot = league.bot("finishing")
    match = league.match([bot, "house/random"], clock=SLOW_CLOCK)
    with asked_bridge(league, bot, tmp_path) as process:
        interrupt(process, tmp_path)
        eventually(lambda: not league.get(f"/v1/bots/{bot.name}", league.token)["online"], "the bot leaves")
        later = league.match([bot, "house/random"], clock=SLOW_CLOCK)
        (tmp_path / "go").touch()
        assert process.wait(60) == 0
    assert league.record(match)["ending"] == "rules"
    assert timeouts(league, match) == 0
    assert league.get(f"/v1/matches/{later}", bot.token)["status"] == "waiting"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "asked").read_text()), 0)


def test_a_second_ctrl_c_ends_the_bridge_at_once(league: LiveLeague, tmp_path: Path) -> None:
    bot = league.bot("stopping")
    match = league.match([bot, "house/random"], clock=SLOW_CLOCK)
    with asked_bridge(league, bot, tmp_path) as process:
        interrupt(process, tmp_path)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert league.get(f"/v1/matches/{match}", bot.token)["status"] == "running"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "asked").read_text()), 0)


def test_ctrl_c_ends_a_bridge_without_matches(league: LiveLeague, tmp_path: Path) -> None:
    bot = league.bot("interrupted")
    match = league.match([bot, "house/random"], clock=SLOW_CLOCK)
    (tmp_path / "go").touch()
    with asked_bridge(league, bot, tmp_path) as process:
        eventually(lambda: league.get(f"/v1/matches/{match}", bot.token)["status"] == "finished")
        interrupt(process, tmp_path)
        assert process.wait(60) == 0


def test_an_address_without_a_service_is_reported(tmp_path: Path) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        ended = connect(url, "kozyr_x", *words(tmp_path, GOOD))
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert f"no service answers at {url}" in ended.stderr
    assert "check the address" in ended.stderr


def test_an_address_that_ends_with_v1_is_explained(league: LiveLeague, tmp_path: Path) -> None:
    url = f"{league.service.url}/v1"
    ended = connect(url, "kozyr_x", *words(tmp_path, GOOD))
    assert ended.returncode != 0
    assert ended.stderr == f"kozyr: {url} answers 404: leave out /v1 at the end of the address\n"


def test_the_token_of_an_owner_is_reported(league: LiveLeague, tmp_path: Path) -> None:
    ended = connect(league.service.url, league.token, *words(tmp_path, GOOD))
    assert (ended.returncode, ended.stderr) == (
        2,
        "kozyr: the token is that of an owner: create a bot with `kozyr bot create NAME`\n",
    )


@pytest.fixture
def hundred(league: LiveLeague) -> tuple[LiveBot, str]:
    bot = league.bot("hundred")
    return bot, league.match([bot, "house/random"], deals=5)


def test_a_program_that_dies_after_a_hundred_moves_gets_the_events_of_the_current_deal(
    league: LiveLeague, hundred: tuple[LiveBot, str], tmp_path: Path
) -> None:
    bot, match = hundred
    again = """
    if not seen and turn["deal"] > 1:
        assert turn["events"][0]["type"] == "deal", turn["events"][0]
        assert turn["events"][0]["deal"] == turn["deal"] == turn["observation"]["deal"]
        seen[turn["match"]] = turn["events"][0]["n"] - 1
"""
    program = GOOD.replace("    for event in turn", again + "    for event in turn")
    program = program.replace("seen = {}", "seen, asked = {}, 0").replace(
        "    print(turn", "    asked += 1\n    if asked > 100: os._exit(9)\n    print(turn"
    )
    ended = connect(league.service.url, bot.token, "--matches", "1", *words(tmp_path, program))
    assert ended.returncode == 0, ended.stderr
    assert "it ended with status 9" in ended.stderr
    assert "AssertionError" not in ended.stderr
    assert timeouts(league, match) == 0
