"""Seasons over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from league.ladders.model import Totals
from tests.api.conftest import ApiWorld, Person, refused


def with_a_round(world: ApiWorld, owner: Person) -> str:
    """Return the path of a ladder of house bots with one round played."""
    address = world.ladder(owner, "house/random", "house/greedy", rated=False)
    number = world.play_round(owner, address)
    assert world.client.get(f"{address}/rounds/{number}").json["state"] == "done"
    return address


def test_a_season_ended_by_hand_can_still_be_read_with_its_winners(world: ApiWorld) -> None:
    owner = world.owner()
    address = with_a_round(world, owner)
    standings = world.client.get(address + "/standings").json
    table = world.client.get(address + "/crosstable").json
    assert (standings["season"], table["season"]) == (1, 1)
    begun = owner("POST", address + "/seasons")
    assert begun.status_code == 201
    assert begun.headers["Location"] == address + "/seasons/2"
    assert world.client.get(begun.headers["Location"]).json == begun.json
    assert world.client.get(address).json["season"] == 2
    current = world.client.get(address + "/standings").json
    assert [line["matches"] for line in current["standings"]] == [0, 0]
    assert world.client.get(address + "/crosstable").json["cells"] == []
    assert world.client.get(address + "/standings?season=1").json == standings
    assert world.client.get(address + "/crosstable?season=1").json == table
    present, past = world.client.get(address + "/seasons").json["seasons"]
    assert (present["number"], present["ended"], present["winners"]) == (2, None, [])
    assert (past["number"], past["complete"], past["first_round"], past["last_round"]) == (1, True, 1, 1)
    firsts = [line["bot"] for line in standings["standings"] if line["place"] == 1]
    assert [winner["bot"] for winner in past["winners"]] == firsts
    assert world.client.get(address + "/rounds/1").json["season"] == 1


def test_records_and_rounds_name_their_season(world: ApiWorld) -> None:
    owner = world.owner()
    address = with_a_round(world, owner)
    owner("POST", address + "/seasons")
    world.play_round(owner, address)
    records: list[dict[str, Any]] = [
        world.client.get(f"/v1/matches/{match['id']}/record").json
        for match in world.client.get(f"/v1/matches?ladder={address.rpartition('/')[2]}").json["matches"]
    ]
    assert sorted((record["round"], record["season"]) for record in records) == [(1, 1), (2, 2)]
    rounds = world.client.get(address + "/rounds").json["rounds"]
    assert [(each["number"], each["season"]) for each in rounds] == [(2, 2), (1, 1)]


def test_a_season_that_cannot_end_or_does_not_exist_is_refused(world: ApiWorld) -> None:
    owner, stranger = world.owner(), world.owner()
    address = with_a_round(world, owner)
    refused(stranger("POST", address + "/seasons"), 403, "not_your_ladder")
    refused(world.client.post(address + "/seasons"), 401, "token_missing")
    key = {"Idempotency-Key": "the-first-end"}
    first = owner("POST", address + "/seasons", headers=key)
    again = owner("POST", address + "/seasons", headers=key)
    assert (again.status_code, again.json) == (201, first.json)
    assert refused(owner("POST", address + "/seasons"), 409, "season_empty")["season"] == 2
    for path in ("/seasons/3", "/standings?season=3", "/crosstable?season=3"):
        refused(world.client.get(address + path), 404, "no_such_season")
    for query in ("season=0", "season=x", "seasons=1"):
        refused(world.client.get(f"{address}/standings?{query}"), 422, "invalid_query")
    refused(world.client.get("/v1/ladders/lnone/seasons"), 404, "no_such_ladder")


def test_a_bot_without_standing_keeps_its_name_in_the_rows_of_others(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a once-only ladder, a bot's own matches can all be void while matches of others against it are not."""
    owner = world.owner()
    address = with_a_round(world, owner)
    gone = world.bot(owner)
    assert owner("POST", address + "/entries", {"bot": gone.name}).status_code == 200
    owner("DELETE", f"{address}/entries/{gone.name}")
    row = {"house-random": {gone.id: Totals(matches=1, wins=1)}}
    monkeypatch.setattr(world.services.ladders.store, "cross", lambda *_: row)
    table = world.client.get(address + "/crosstable").json
    assert {"bot": gone.name, "id": gone.id} in table["bots"]
    rows = world.client.get(address + "/crosstable", headers={"Accept": "text/csv"})
    assert rows.status_code == 200
    assert gone.name in rows.text
