"""Ladders as files: exported here, imported here or on another server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person, refused

SETTINGS = {
    "name": "Cup",
    "description": "Two days",
    "game": "durak",
    "seats": 2,
    "format": "swiss",
    "parameters": {"rounds": 3},
    "clock": {"move_ms": 700, "bank_ms": 1000, "increment_ms": 5, "grace_ms": 10, "strikes": 2},
    "schedule": {"cron": "0 18 * * *", "timezone": "Europe/Moscow"},
    "check": False,
    "access": "invitation",
}


def cup(world: ApiWorld, owner: Person) -> tuple[str, str, str]:
    """Return the address of a ladder, and two bots in it: the owner's and a guest's."""
    mine, guest = world.bot(owner).name, world.owner()
    theirs = world.bot(guest).name
    address = "/v1/ladders/" + owner("POST", "/v1/ladders", SETTINGS).json["id"]
    owner("POST", f"{address}/access", {"name": theirs, "rule": "invited"})
    owner("POST", f"{address}/access", {"name": "house/greedy", "rule": "banned", "reason": "too strong"})
    for who, bot in ((owner, mine), (owner, "house/random"), (guest, theirs)):
        assert who("POST", f"{address}/entries", {"bot": bot}).status_code == 200
    return address, mine, theirs


def test_an_imported_ladder_is_exported_as_it_was(world: ApiWorld) -> None:
    owner = world.owner()
    address, mine, theirs = cup(world, owner)
    file = owner("GET", f"{address}/export").json
    assert file["entries"] == sorted([mine, theirs, "house/random"])
    made = owner("POST", "/v1/ladders/import", file)
    assert made.status_code == 201
    assert made.headers["Location"] == f"/v1/ladders/{made.json['ladder']['id']}"
    assert sorted(made.json["entered"]) == sorted([mine, "house/random"])
    assert [each["name"] for each in made.json["left_out"]] == [theirs]
    again = owner("GET", f"/v1/ladders/{made.json['ladder']['id']}/export").json
    assert again == {**file, "entries": sorted([mine, "house/random"])}
    kept = {name: made.json["ladder"][name] for name in SETTINGS}
    assert kept == SETTINGS


def test_a_template_has_the_settings_alone(world: ApiWorld) -> None:
    owner = world.owner()
    address, *_ = cup(world, owner)
    file = owner("GET", f"{address}/export?template=true").json
    assert (file["entries"], file["access"]) == ([], [])
    assert owner("POST", "/v1/ladders/import", file).json["left_out"] == []
    king = world.client.get(world.ladder(owner, game="king", seats=4)).json
    file = owner("GET", f"/v1/ladders/{king['id']}/export").json
    assert owner("POST", "/v1/ladders/import", file).json["ladder"]["deals"] == king["deals"] == 12
    refused(world.owner()("GET", f"{address}/export?template=true"), 403, "not_your_ladder")


def test_who_is_unknown_on_the_other_server_is_named(world: ApiWorld) -> None:
    owner = world.owner()
    rules = [{"name": "stranger", "rule": "banned"}, {"name": "house", "rule": "invited"}]
    file = {
        "kozyr_ladder": 1,
        "settings": {**SETTINGS, "access": "invitation"},
        "entries": ["house/greedy", "stranger/bot", world.bot().name],
        "access": rules,
    }
    made = owner("POST", "/v1/ladders/import", file).json
    left_out = [each["name"] for each in made["left_out"]]
    assert left_out == ["stranger", "stranger/bot", file["entries"][2]]
    found = owner("GET", f"/v1/ladders/{made['ladder']['id']}/access").json["rules"]
    assert [rule["name"] for rule in found] == sorted(["house", file["entries"][2]])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"settings": {**SETTINGS, "game": "chess"}}, "no_such_game"),
        ({"settings": {**SETTINGS, "seats": 9}}, "bad_table"),
        ({"settings": {**SETTINGS, "schedule": {"cron": "now and then"}}}, "bad_value"),
        ({"settings": {**SETTINGS, "prize": 1}}, "invalid_body"),
        ({"settings": {"name": "Cup"}}, "invalid_body"),
        ({"kozyr_ladder": 2}, "invalid_body"),
        ({"entries": ["nobody"]}, "invalid_body"),
        ({"access": [{"name": "house", "rule": "jailed"}]}, "invalid_body"),
    ],
)
def test_a_file_that_can_not_be_played_creates_nothing(
    world: ApiWorld, change: dict[str, Any], code: str
) -> None:
    file = {"kozyr_ladder": 1, "settings": SETTINGS, **change}
    status = 404 if code == "no_such_game" else 422
    refused(world.owner()("POST", "/v1/ladders/import", file), status, code)
    assert world.client.get("/v1/ladders").json["ladders"] == []
