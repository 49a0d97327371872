"""`kozyr replay`: a record step by step, as text, as frames, and with keys in a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.registry import GAMES
from kozyr.cli.main import main
from tests.support.command_line import tournament
from tests.support.live import ROOT


@pytest.fixture(scope="module", params=list(GAMES))
def records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with records of a few matches between house bots."""
    return tournament(tmp_path_factory.mktemp("replay") / "records.ndjson", request.param)


def first(records: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(records.read_text().splitlines()[0])
    return found


def replay(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, words)])


def shown(*words: str | Path) -> list[str]:
    done = replay(*words)
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def test_every_move_and_every_hand_is_a_line(records: Path) -> None:
    record = first(records)
    lines = shown(records, "--match", record["id"])
    moves = [move for move in record["moves"] if move["seat"] is not None]
    reported = [
        line.partition("  ")[2].partition(" (")[0] for line in lines if "(" in line or "  exchange" in line
    ]
    assert reported[: len(moves)] == [move["move"] for move in moves]
    deals = sum(line.startswith("deal ") and "dealt by" in line for line in lines)
    assert deals == sum(move["seat"] is None for move in record["moves"])
    assert lines[-1] == f"the match is over (rules): {' '.join(map(str, record['scores']))}"


def test_a_seat_sees_no_other_hand(records: Path) -> None:
    record = first(records)
    for frame in map(json.loads, shown(records, "--match", record["id"], "--seat", "1", "--json")):
        table = frame.get("observation", frame.get("changes"))
        assert "hands" not in table or table["hands"] is None
        assert table.get("seat") in (1, None)
    lines = shown(records, "--match", record["id"], "--seat", "1", "--deal", "1")
    hands = [line for line in lines if line[:3] in ("> 0", "  0", "> 1", "  1")]
    assert "??" in hands[0]
    assert "??" not in hands[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["{file}"], "has several records; choose one with --match"),
        (["{file}", "--match", "nobody"], "has no record of match nobody"),
        (["{file}", "--match", "{id}", "--seat", "11"], "the match has the seats 0 to"),
        (["{file}", "--match", "{id}", "--deal", "99"], "no such deal was dealt"),
        (["{file}.gone"], ".gone is neither the id of a match nor a file"),
    ],
)
def test_what_can_t_be_shown_says_why(records: Path, words: Sequence[str], why: str) -> None:
    done = replay(*[word.format(file=records, id=first(records)["id"]) for word in words])
    assert done.exit_code == 2
    assert why in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seats": None}, "seats: a list of bots is expected"),
        ({"seats": [{"id": "a"}], "scores": [0]}, "'bot' is missing"),
        ({"scores": ["0", "-1"]}, "scores: a whole number for each seat is expected"),
        ({"scores": [0]}, "scores: a whole number for each seat is expected"),
    ],
)
@pytest.mark.parametrize("command", ["replay", "review", "view"])
def test_a_malformed_record_is_refused_in_one_sentence(
    records: Path, tmp_path: Path, command: str, change: dict[str, Any], why: str
) -> None:
    file = tmp_path / "wrong"
    file.write_text(json.dumps({**first(records), **change}))
    done = CliRunner().invoke(main, [command, str(file)])
    assert done.exit_code == 2
    assert f"record {first(records)['id']} can't be replayed: {why}" in done.output
    assert done.output.count("\n") == 1


def test_keys_step_through_the_match(records: Path, tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_text(json.dumps(first(records)))
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "kozyr.cli.main", "replay", str(file)]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, cwd=ROOT) as process:
        os.close(terminal)
        seen = read_until(master, b"q quit")
        assert "1 of " in seen
        for key, place in ((b" ", "2 of "), (b" ", "3 of "), (b"b", "2 of "), (b"p", "1 of ")):
            os.write(master, key)
            assert place in read_until(master, b"q quit")
        os.write(master, b"q")
        assert process.wait(30) == 0
    os.close(master)


def test_a_terminal_that_goes_away_is_one_sentence(records: Path, tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_text(json.dumps(first(records)))
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "kozyr.cli.main", "replay", str(file)]
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        os.close(terminal)
        read_until(master, b"q quit")
        os.close(master)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 2
    assert errors.startswith("kozyr: the terminal can't be used: ")
    assert errors.count("\n") == 1


def read_until(master: int, end: bytes) -> str:
    found = b""
    while end not in found:
        found += os.read(master, 4096)
    return found.decode(errors="replace")
