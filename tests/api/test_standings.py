"""The points per deal in standings equal those that `kozyr points` computes from exported records."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from tests.api.conftest import ApiWorld
from tests.api.test_void import played, records

Table = dict[str, dict[str, Any]]


def by_records(world: ApiWorld, path: Path) -> Table:
    """Return the points per bot as the command computes them."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records(world)), encoding="utf-8")
    result = CliRunner().invoke(main, ["points", "--from", str(path), "--json"])
    assert result.exit_code == 0, result.output
    (rows,) = json.loads(result.stdout)["presets"].values()
    return {row["bot"]: row["points_per_deal"] for row in rows}


def by_standings(world: ApiWorld, address: str) -> Table:
    """Return the points per bot as the service shows them."""
    lines = world.client.get(f"{address}/standings").json["standings"]
    return {
        line["bot"]: {
            "mean": line["points_per_deal"],
            "low": line["points_low"],
            "high": line["points_high"],
            "deals": line["deals"],
            "groups": line["groups"],
        }
        for line in lines
    }


def assert_agree(found: Table, expected: Table) -> None:
    """Check that means, deals and groups are equal.

    Interval ends may differ by a quarter of half the width, because the decks have no fixed seed.
    """
    assert set(found) == set(expected)
    for bot, one in found.items():
        other = expected[bot]
        assert (one["mean"], one["deals"], one["groups"]) == (other["mean"], other["deals"], other["groups"])
        half = (other["high"] - other["low"]) / 2
        assert half > 0
        assert (one["low"], one["high"]) == pytest.approx((other["low"], other["high"]), abs=half / 4)


@pytest.mark.parametrize("decks", [pytest.param("rotated", marks=pytest.mark.ci), "independent"])
def test_standings_equal_the_points_of_the_records(world: ApiWorld, tmp_path: Path, decks: str) -> None:
    address = played(world, 1, decks, repeats=50)
    assert_agree(by_standings(world, address), by_records(world, tmp_path / "all"))
    gone = records(world)[7]["id"]
    world.admin()("POST", f"/v1/matches/{gone}/void", {"reason": "a disk was full"})
    after = by_standings(world, address)
    assert {line["groups"] for line in after.values()} == {49}
    assert_agree(after, by_records(world, tmp_path / "void"))


@pytest.mark.parametrize("accept", ["application/json", "text/csv"])
def test_compressed_standings_follow_every_change(world: ApiWorld, accept: str) -> None:
    address = played(world, 1, "independent", repeats=12)
    plain, zipped = {"Accept": accept}, {"Accept": accept, "Accept-Encoding": "gzip"}
    seen = set[bytes]()
    for match in [None, *[record["id"] for record in records(world)[:2]]]:
        if match is not None:
            world.admin()("POST", f"/v1/matches/{match}/void", {"reason": "a disk was full"})
        expected = world.client.get(f"{address}/standings", headers=plain)
        for _ in range(2):
            answer = world.client.get(f"{address}/standings", headers=zipped)
            body = gzip.decompress(answer.data) if "Content-Encoding" in answer.headers else answer.data
            assert (body, answer.mimetype) == (expected.data, accept)
        seen.add(expected.data)
    assert len(seen) == 3
