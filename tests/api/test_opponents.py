"""Matches of two bots."""

from __future__ import annotations

import pytest

from tests.api.conftest import ApiWorld, Person, refused


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


def test_lists_have_the_matches_of_both_bots_in_any_order(world: ApiWorld, bots: list[Person]) -> None:
    first, second, third = [bot.name for bot in bots]
    for query in (f"bot={first}&opponent={second}", f"bot={second}&opponent={first}", f"opponent={second}"):
        (found,) = world.client.get(f"/v1/matches?{query}").json["matches"]
        assert [seat["bot"] for seat in found["seats"]] == [first, second]
        (record,) = world.client.get(f"/v1/records?{query}").text.splitlines()
        assert found["id"] in record
    assert world.client.get(f"/v1/matches?bot={second}&opponent={third}").json["matches"] == []
    for path in ("/v1/matches", "/v1/records"):
        refused(world.client.get(f"{path}?bot={first}&opponent=nobody/here"), 404, "no_such_bot")
