"""`kozyr connect` at a real service: good programs, programs that fail in every way, and the conformance check."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
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
ILLEGAL = READ + "for turn in lines: print('castle', flush=True)"
SLOW_CLOCK = {"move_ms": 600_000, "bank_ms": 0, "grace_ms": 250, "strikes": 3}


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service, f"bridges-{secrets.token_hex(4)}")


def words(folder: Path, program: str) -> list[str]:
    (folder / "program.py").write_text(program)
    return ["--", sys.executable, str(folder / "program.py")]


def connect(league: LiveLeague, bot: LiveBot, *more: str) -> subprocess.CompletedProcess[str]:
    return league.service.kozyr("connect", league.service.url, *more, KOZYR_TOKEN=bot.token)


def timeouts(league: LiveLeague, match: str) -> int:
    moves = league.record(match)["moves"]
    return sum(move["seat"] == 0 and move.get("by") == "timeout" for move in moves)


@pytest.mark.parametrize("per_match", [[], pytest.param(["--per-match"], marks=pytest.mark.ci)])
def test_a_program_plays_many_matches_and_reads_each_event_once(
    league: LiveLeague, tmp_path: Path, per_match: list[str]
) -> None:
    bot = league.bot(f"good{len(per_match)}")
    matches = [league.match([bot, "house/random"]) for _ in range(4)]
    ended = connect(league, bot, "--matches", "4", "--json", *per_match, *words(tmp_path, GOOD))
    assert ended.returncode == 0, ended.stderr
    finished = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {each["match"] for each in finished} == set(matches)
    assert {each["ending"] for each in finished} == {"rules"}
    assert "match " not in ended.stderr
    assert sum(timeouts(league, match) for match in matches) == 0


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (DIES_LATER, ["it ended with status 3", "out of ideas"]),
        (ILLEGAL, ["'castle' is not a legal move: print one of legal_moves or free_moves exactly"]),
    ],
    ids=["crash", "illegal"],
)
def test_a_failure_of_the_program_is_reported_and_costs_no_strike(
    request: pytest.FixtureRequest, league: LiveLeague, tmp_path: Path, program: str, said: list[str]
) -> None:
    bot = league.bot(request.node.callspec.id)
    match = league.match([bot, "house/random"])
    ended = connect(league, bot, "--matches", "1", *words(tmp_path, program))
    assert ended.returncode == 0, ended.stderr
    assert [each for each in said if each not in ended.stderr] == []
    assert timeouts(league, match) == 0


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


READS_WORDS = """
import re, sys
message = []
for line in sys.stdin:
    if line.strip():
        message.append(line.rstrip("\\n"))
        continue
    assert re.match(r"(Podkidnoy Durak, match|Подкидной дурак, матч) ", message[0]), message
    asked = next(at for at, line in enumerate(message) if line in ("Answer with one move:", "Ответьте одним ходом:"))
    move = message[asked + 1].split(" | ")[-1]
    print(f"`{move.lower()}.`", flush=True)
    message = []
"""


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
def test_a_program_plays_by_turns_in_words(league: LiveLeague, tmp_path: Path, language: str) -> None:
    bot = league.bot(f"reader-{language}")
    match = league.match([bot, "house/greedy"])
    options = ("--matches", "1", "--text", "--lang", language)
    ended = connect(league, bot, *options, *words(tmp_path, READS_WORDS))
    assert ended.returncode == 0, ended.stderr
    assert "match " not in ended.stderr, ended.stderr
    assert timeouts(league, match) == 0
