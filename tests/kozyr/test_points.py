"""`kozyr points`: points per preset from records alone, plain and adjusted for luck."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bots.house import HOUSE_BOTS
from kozyr.cli.main import main
from kozyr.local.match import play
from kozyr.local.plan import LocalPlan
from records.match.session import Seat
from records.results import luck

BOTS = tuple(Seat(f"house/{name}", f"house-{name}", "1", house=True) for name in ("greedy", "random"))


def some(game: str, seats: int, deals: int) -> list[dict[str, Any]]:
    plan = LocalPlan.checked(
        game=game, options={}, seats=seats, bots=BOTS, deals=deals, seed=2, fill=BOTS[1], duplicate=False
    )
    return [play(plan, fixture, HOUSE_BOTS, {}).record for fixture in plan.fixtures()]


@pytest.fixture(scope="module", autouse=True)
def few_decks() -> Iterator[None]:
    """Let 20 decks define the average slant, in place of 1,000: they take a minute."""
    baseline = luck.Baseline
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(luck, "Baseline", lambda playout: baseline(playout, decks=20))
        yield


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return some("durak", 2, 12) + some("kryt", 3, 12)


def points(folder: Path, records: list[dict[str, Any]], *words: str) -> Result:
    (folder / "records").write_text("".join(json.dumps(record) + "\n" for record in records))
    return CliRunner().invoke(main, ["points", "--from", str(folder / "records"), *words])


def test_bots_are_sorted_by_points_in_each_preset(records: list[dict[str, Any]], tmp_path: Path) -> None:
    output = json.loads(points(tmp_path, records, "--json").output)["presets"]
    assert list(output) == ["durak/2", "kryt/3"]
    for rows in output.values():
        assert [row["bot"] for row in rows] == ["house/greedy", "house/random"]
        for row in rows:
            found = row["points_per_deal"]
            assert found["low"] is None or found["low"] < found["mean"] < found["high"]
    assert output["kryt/3"][1]["points_per_deal"]["deals"] == 24


@pytest.fixture(scope="module")
def adjusted(records: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the command prints for the first matches with `--adjusted`."""
    return points(tmp_path_factory.mktemp("adjusted"), records[:4], "--adjusted").output


def test_the_order_of_the_records_changes_nothing(
    records: list[dict[str, Any]], adjusted: str, tmp_path: Path
) -> None:
    mixed = random.Random(1).sample(records, len(records))
    assert points(tmp_path, mixed).output == points(tmp_path, records).output
    assert points(tmp_path, records[3::-1], "--adjusted").output == adjusted


def test_a_line_that_is_not_a_record_is_named(records: list[dict[str, Any]], tmp_path: Path) -> None:
    ended = points(tmp_path, [*records, {"id": "x"}])
    assert ended.exit_code == 2
    assert "line 25 of" in ended.output
    assert "it lacks deals, " in ended.output


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"ending": "foo"}, "'foo' is not a valid Ending"),
        ({"seats": None}, "seats: a list of bots is expected"),
        ({"seats": [{"bot": "a/b"}] * 2}, "'id' is missing"),
        ({"moves": [1, 2]}, "moves: a list of objects is expected"),
        ({"moves": [{}]}, "'seat' is missing"),
        ({"scores": [0]}, "scores: a whole number for each seat is expected"),
        ({"scores": ["0", "-1"]}, "scores: a whole number for each seat is expected"),
        ({"preset": ["durak/2"]}, "['durak/2'] can't be an id, a preset or the name of a bot"),
        ({"preset": "\ud800"}, "surrogates not allowed"),
        ({"group": {}}, "unhashable type: 'dict'"),
        ({"annotations": [{}]}, "'kind' is missing"),
    ],
)
def test_a_malformed_record_is_named(
    records: list[dict[str, Any]], tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    ended = points(tmp_path, [records[0], {**records[1], **change}])
    assert ended.exit_code == 2
    assert ended.output.startswith(f"kozyr: record 2 ({records[1]['id']}): ")
    assert why in ended.output
    assert ended.output.count("\n") == 1
