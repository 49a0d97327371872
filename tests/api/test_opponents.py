"""Matches of two bots."""

from __future__ import annotations

import pytest

from tests.api.conftest import ApiWorld, Person, refused

LISTS = ("/v1/matches", "/v1/records")


@pytest.fixture
def bots(world: ApiWorld) -> list[Person]:
    """Three bots: the first has finished a match with each of the others."""
    first, *others = [world.bot() for _ in range(3)]
    for other in others:
        body = {"game": "durak", "seats": [first.name, other.name]}
        match = first("POST", "/v1/matches", body).json["id"]
        for bot in (first, other):
            bot("GET", "/v1/turns")
        assert first("POST", f"/v1/matches/{match}/resign").status_code == 200
    return [first, *others]


def test_a_list_has_the_matches_of_both_bots(world: ApiWorld, bots: list[Person]) -> None:
    first, second, third = [bot.name for bot in bots]
    found = world.client.get(f"/v1/matches?bot={first}&opponent={second}").json["matches"]
    assert [[seat["bot"] for seat in match["seats"]] for match in found] == [[first, second]]
    assert world.client.get(f"/v1/matches?bot={second}&opponent={third}").json["matches"] == []
    records = world.client.get(f"/v1/records?bot={second}&opponent={first}").text.splitlines()
    assert len(records) == 1
    assert found[0]["id"] in records[0]


def test_the_order_of_the_bots_does_not_matter(world: ApiWorld, bots: list[Person]) -> None:
    first, second, _ = [bot.name for bot in bots]
    lists = [f"bot={first}&opponent={second}", f"bot={second}&opponent={first}", f"opponent={second}"]
    found = [world.client.get(f"/v1/matches?{query}").json["matches"] for query in lists]
    assert found[0] == found[1] == found[2] != []


@pytest.mark.parametrize("path", LISTS)
def test_an_unknown_opponent_is_refused(world: ApiWorld, bots: list[Person], path: str) -> None:
    refused(world.client.get(f"{path}?bot={bots[0].name}&opponent=nobody/here"), 404, "no_such_bot")
