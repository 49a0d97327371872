"""Access to ladders over HTTP, and ladders that admins create for others."""

from __future__ import annotations

from tests.api.conftest import ApiWorld, refused

LADDER = {"name": "A ladder", "game": "durak", "seats": 2, "rated": False}


def test_an_owner_invites_and_bans(world: ApiWorld) -> None:
    owner, guest = world.owner(), world.owner()
    bot = world.bot(guest)
    ladder = world.ladder(owner, access="invitation")
    entries, access = f"{ladder}/entries", f"{ladder}/access"
    assert "invited" in refused(guest("POST", entries, {"bot": bot.name}), 409, "entry_refused")["detail"]
    response = owner("POST", access, {"name": guest.name, "rule": "invited"})
    assert [(rule["name"], rule["rule"]) for rule in response.json["rules"]] == [(guest.name, "invited")]
    assert guest("POST", entries, {"bot": bot.name}).status_code == 200
    owner("POST", access, {"name": bot.name, "rule": "banned", "reason": "collusion"})
    assert guest("GET", entries).json["entries"] == []
    assert "collusion" in refused(guest("POST", entries, {"bot": bot.name}), 409, "entry_refused")["detail"]
    assert len(owner("GET", access).json["rules"]) == 2
    assert len(owner("POST", access, {"name": bot.name, "rule": None}).json["rules"]) == 1
    assert guest("POST", entries, {"bot": bot.name}).status_code == 200


def test_rules_are_the_owners_alone(world: ApiWorld) -> None:
    owner, other = world.owner(), world.owner()
    access = f"{world.ladder(owner)}/access"
    refused(other("GET", access), 403, "not_your_ladder")
    refused(other("POST", access, {"name": "house", "rule": "banned"}), 403, "not_your_ladder")
    refused(owner("POST", access, {"name": "nobody", "rule": "banned"}), 404, "no_such_owner")
    refused(owner("POST", access, {"name": "Nobody!", "rule": "banned"}), 422, "invalid_body")


def test_an_admin_creates_a_ladder_that_belongs_to_an_owner(world: ApiWorld) -> None:
    owner, admin = world.owner(), world.admin()
    address, key = f"/v1/owners/{owner.name}/ladders", {"Idempotency-Key": "k1"}
    first = admin("POST", address, LADDER, headers=key)
    assert (first.status_code, first.json["owner"]) == (201, owner.name)
    assert admin("POST", address, LADDER, headers=key).json == first.json
    assert len(world.client.get("/v1/ladders").json["ladders"]) == 1
    assert owner("PATCH", f"/v1/ladders/{first.json['id']}", {"state": "running"}).status_code == 200
    refused(owner("POST", address, LADDER), 403, "scope_missing")
    refused(admin("POST", "/v1/owners/nobody/ladders", LADDER), 404, "no_such_owner")
    entries = admin("GET", "/v1/audit?action=create_ladder").json["entries"]
    assert [entry["after"] for entry in entries] == [{"ladder": first.json["id"]}]
