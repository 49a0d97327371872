"""What the organisers of a ladder may do: its owner, and the owners that it names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person, refused


class Cup:
    """A closed ladder of an owner, with a co-organiser and two house bots that have played a round."""

    def __init__(self, world: ApiWorld) -> None:
        self.world, self.owner, self.helper = world, world.owner(), world.owner()
        self.address = world.ladder(self.owner, "house/greedy", "house/random", access="closed")
        self.owner("PATCH", self.address, {"organisers": [self.helper.name]})

    @property
    def id(self) -> str:
        return self.address.rpartition("/")[2]

    def play(self, who: Person) -> str:
        """Start a round, play it and return a match."""
        self.world.play_round(who, self.address)
        return str(self.world.client.get(f"/v1/matches?ladder={self.id}").json["matches"][0]["id"])

    def shown(self) -> dict[str, Any]:
        found: dict[str, Any] = self.world.client.get(self.address).json
        return found


@pytest.fixture
def cup(world: ApiWorld) -> Cup:
    return Cup(world)


def test_a_co_organiser_may_do_what_the_owner_may(world: ApiWorld, cup: Cup) -> None:
    helper, stranger = cup.helper, world.owner()
    bot = world.bot(helper)
    assert cup.shown()["organisers"] == [helper.name]
    assert world.client.get("/v1/ladders").json["ladders"] == [cup.shown()]
    assert helper("PATCH", cup.address, {"name": "Renamed"}).json["name"] == "Renamed"
    assert helper("POST", f"{cup.address}/entries", {"bot": bot.name}).status_code == 200
    assert helper("DELETE", f"{cup.address}/entries/house/random").status_code == 200
    assert helper("POST", f"{cup.address}/entries", {"bot": "house/random"}).status_code == 200
    assert helper("GET", f"{cup.address}/access").json == {"rules": []}
    assert helper("PATCH", cup.address, {"organisers": [helper.name, stranger.name]}).status_code == 200
    assert stranger("PATCH", cup.address, {"organisers": []}).json["organisers"] == []
    refused(stranger("PATCH", cup.address, {"name": "Stolen"}), 403, "not_your_ladder")
    refused(helper("PATCH", cup.address, {"name": "Stolen"}), 403, "not_your_ladder")


def test_the_audit_log_names_the_co_organisers(world: ApiWorld, cup: Cup) -> None:
    cup.owner("PATCH", cup.address, {"organisers": []})
    last, first = cup.owner("GET", f"/v1/audit?ladder={cup.id}").json["entries"]
    assert (first["before"], first["after"]) == ({"organisers": []}, {"organisers": [cup.helper.name]})
    assert (last["before"], last["after"]) == (first["after"], first["before"])


def test_a_co_organiser_is_shown_with_its_present_name(world: ApiWorld, cup: Cup) -> None:
    former, present = cup.helper.name, f"new-{cup.helper.name}"[:32]
    assert cup.helper("PATCH", "/v1/owners/me", {"name": present}).status_code == 200
    changed = cup.owner("PATCH", cup.address, {"organisers": [former]})
    assert changed.json["organisers"] == cup.shown()["organisers"] == [present]


def test_nobody_removes_the_owner(world: ApiWorld, cup: Cup) -> None:
    names = [cup.owner.name, cup.helper.name]
    assert cup.helper("PATCH", cup.address, {"organisers": names}).json["organisers"] == [cup.helper.name]
    assert cup.helper("PATCH", cup.address, {"organisers": []}).json["owner"] == cup.owner.name
    assert cup.owner("PATCH", cup.address, {"name": "Mine"}).status_code == 200


def test_nobody_bans_the_owner_or_its_bots(world: ApiWorld, cup: Cup) -> None:
    bot = world.bot(cup.owner)
    cup.owner("POST", f"{cup.address}/entries", {"bot": bot.name})
    for name in (bot.name, cup.owner.name):
        ban = {"name": name, "rule": "banned", "reason": "a quarrel"}
        refused(cup.helper("POST", f"{cup.address}/access", ban), 422, "bad_value")
    assert cup.owner("GET", f"{cup.address}/access").json == {"rules": []}
    entries = world.client.get(f"{cup.address}/entries").json["entries"]
    assert bot.name in {each["bot"] for each in entries}


def test_an_unknown_co_organiser_is_refused_with_everything_else(world: ApiWorld, cup: Cup) -> None:
    before = cup.shown()
    changes = {"name": "Renamed", "organisers": ["nobody-there"]}
    refused(cup.owner("PATCH", cup.address, changes), 404, "no_such_owner")
    refused(cup.owner("PATCH", cup.address, {**changes, "organisers": ["house"]}), 422, "bad_value")
    many = [f"owner-{number}" for number in range(21)]
    refused(cup.owner("PATCH", cup.address, {"organisers": many}), 422, "invalid_body")
    assert cup.shown() == before


def test_an_organiser_strikes_a_result_of_the_own_ladder_alone(world: ApiWorld, cup: Cup) -> None:
    match, other = cup.play(cup.helper), Cup(world)
    foreign, void = other.play(other.owner), {"reason": "a wrong deck"}
    before = world.client.get(f"{cup.address}/standings").json["standings"]
    refused(cup.helper("POST", f"/v1/matches/{foreign}/void", void), 403, "not_your_ladder")
    casual = world.match(world.bot(cup.helper))["id"]
    for change in ("void", "rerun"):
        refused(cup.helper("POST", f"/v1/matches/{casual}/{change}", void), 403, "scope_missing")
    refused(cup.helper("POST", f"/v1/matches/{match}/void", {"reason": ""}), 422, "invalid_body")
    assert world.client.get(f"{cup.address}/standings").json["standings"] == before
    assert cup.helper("POST", f"/v1/matches/{match}/void", void).json["void"] is True
    played = {line["matches"] for line in world.client.get(f"{cup.address}/standings").json["standings"]}
    assert played == {0}
    (entry,) = world.admin()("GET", f"/v1/audit?target=match%20{match}").json["entries"]
    assert (entry["action"], entry["owner"], entry["reason"]) == ("void", cup.helper.name, "a wrong deck")
