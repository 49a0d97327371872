"""A finished match that is declared void leaves no trace in ratings and standings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from tests.api.conftest import ApiWorld

Rated = dict[str, tuple[float, float, int]]
"""By bot: mu, sigma and how many groups it played."""


def played(world: ApiWorld, rounds: int, decks: str, repeats: int = 1) -> str:
    """Return the path of a rated ladder of two house bots after this number of rounds."""
    owner = world.owner()
    address = world.ladder(owner, "house/greedy", "house/random", rated=True, decks=decks, repeats=repeats)
    for _ in range(rounds):
        world.play_round(owner, address)
    return address


def records(world: ApiWorld) -> list[dict[str, Any]]:
    """Return all records, in the order in which their matches ended."""
    return [json.loads(line) for line in world.client.get("/v1/records").text.splitlines()]


def rated(world: ApiWorld) -> Rated:
    """Return the ratings as the service shows them."""
    world.services.ratings.catch_up("durak/2")
    lines = world.client.get("/v1/ratings?preset=durak/2").json.get("ratings", [])
    return {line["bot"]: (line["mu"], line["sigma"], line["groups"]) for line in lines}


def recounted(found: list[dict[str, Any]], path: Path) -> Rated:
    """Return the ratings as `kozyr rate` computes them from these records."""
    path.write_text("".join(json.dumps(record) + "\n" for record in found), encoding="utf-8")
    result = CliRunner().invoke(main, ["rate", "--from", str(path), "--json"])
    assert result.exit_code == 0, result.output
    lines = [line for preset in json.loads(result.stdout)["presets"] for line in preset["bots"]]
    return {line["bot"]: (line["mu"], line["sigma"], line["groups"]) for line in lines}


def points(world: ApiWorld, address: str) -> dict[str, tuple[int, int, int]]:
    """Return matches, deals and points per bot in the ladder."""
    lines = world.client.get(f"{address}/standings").json["standings"]
    return {line["bot"]: (line["matches"], line["deals"], line["points"]) for line in lines}


def summed(found: list[dict[str, Any]]) -> dict[str, tuple[int, int, int]]:
    """Return matches, deals and points per bot from these records, which all include both bots."""
    seats = [{seat["bot"]: number for number, seat in enumerate(record["seats"])} for record in found]
    return {
        bot: (
            len(found),
            sum(record["deals"] for record in found),
            sum(record["scores"][seat[bot]] for record, seat in zip(found, seats, strict=True)),
        )
        for bot in ("house/greedy", "house/random")
    }


@pytest.mark.parametrize("which", [0, 1], ids=["the first over", "the last over"])
def test_a_rotated_group_with_a_void_match_leaves_no_trace(
    world: ApiWorld, tmp_path: Path, which: int
) -> None:
    address = played(world, 3, "rotated")
    before = records(world)
    group = before[2]["group"]
    assert [record["group"] for record in before].count(group) == 2
    others = [record for record in before if record["group"] != group]
    gone = [record["id"] for record in before if record["group"] == group]
    assert rated(world) == recounted(before, tmp_path / "all")

    response = world.admin()("POST", f"/v1/matches/{gone[which]}/void", {"reason": "a disk was full"})
    assert response.json["void"] is True

    assert rated(world) == recounted(others, tmp_path / "others")
    assert rated(world) == recounted(records(world), tmp_path / "exported")
    assert points(world, address) == summed(others)
    seen = world.client.get(f"/v1/groups/{group}").json
    assert (seen["status"], seen["result"]) == ("over", None)


def test_a_void_match_without_a_group_is_taken_back_alone(world: ApiWorld, tmp_path: Path) -> None:
    address = played(world, 3, "independent")
    first, gone, last = before = records(world)
    assert rated(world) == recounted(before, tmp_path / "all")
    world.admin()("POST", f"/v1/matches/{gone['id']}/void", {"reason": "a disk was full"})
    assert rated(world) == recounted([first, last], tmp_path / "others")
    assert rated(world) == recounted(records(world), tmp_path / "exported")
    assert points(world, address) == summed([first, last])
