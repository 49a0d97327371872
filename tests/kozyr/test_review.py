"""`kozyr review`: mistakes of a record file as text and as JSON, the same in every run."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from engine.registry import GAMES
from kozyr.cli.main import main
from records.reviews import judge as evaluation
from records.reviews.decisions import count
from records.reviews.judge import ReviewSettings
from tests.support.records import greedy_record


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate decisions with a few playouts."""
    monkeypatch.setattr(evaluation, "SETTINGS", ReviewSettings(2, (4, 6), 2))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with the record of a short match."""
    record = greedy_record(GAMES["durak"].table(2, {}), Random(3), most=25)
    more = {"preset": "durak/2", "scores": [0, -1], "group": None, "ending": "rules", "ended": None}
    path = tmp_path / "records.ndjson"
    path.write_text(json.dumps({**record, **more}) + "\n")
    return path


def review(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["review", *map(str, words)])


def test_json_has_every_decision_the_same_in_every_run(file: Path) -> None:
    found, again = review(file, "--json"), review(file, "--json")
    assert found.exit_code == 0, found.output
    assert found.stdout == again.stdout
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(lines) == count(json.loads(file.read_text()))[0]
    assert lines[0].keys() == {
        "deal", "move", "seat", "played", "best", "regret", "low", "high", "mistake", "worlds",
        "value", "margin", "costs",
    }  # fmt: skip


def test_text_has_the_mistakes_and_the_sums_of_seats(file: Path) -> None:
    everything = review(file, "--all").stdout.splitlines()
    total = count(json.loads(file.read_text()))[0]
    assert len(everything) == total + 2
    short = review(file).stdout.splitlines()
    assert short[-2:] == everything[-2:]
    assert set(short) <= set(everything)
