"""The audit log of a ladder over HTTP: what organisers and operators did to it."""

from __future__ import annotations

from typing import Any

from tests.api.conftest import ApiWorld, Person, refused


def of(ladder: str) -> str:
    """Return the address of the audit log of the ladder with this path."""
    return f"/v1/audit?ladder={ladder.rpartition('/')[2]}"


def log(owner: Person, ladder: str, query: str = "") -> list[dict[str, Any]]:
    response = owner("GET", of(ladder) + query)
    assert response.status_code == 200, response.text
    entries: list[dict[str, Any]] = response.json["entries"]
    return entries


def test_bans_withdrawals_and_changes_are_in_the_ladders_log(world: ApiWorld) -> None:
    owner, guest = world.owner(), world.owner()
    bots = [world.bot(guest), world.bot(guest)]
    address = world.ladder(owner, *bots)
    owner("DELETE", f"{address}/entries/{bots[0].name}")
    owner("POST", f"{address}/access", {"name": bots[1].name, "rule": "banned", "reason": "collusion"})
    owner("PATCH", address, {"state": "paused"})
    found = log(owner, address)
    assert [entry["action"] for entry in found] == ["ladder_state", "ban", "withdraw"]
    by = {(entry["owner"], entry["ladder"], entry["outcome"]) for entry in found}
    assert by == {(owner.name, address.rpartition("/")[2], "done")}
    state, ban, withdrawal = found
    assert (state["before"]["state"], state["after"]["state"]) == ("open", "paused")
    assert (ban["before"], ban["reason"]) == ({"names": [bots[1].name]}, "collusion")
    assert withdrawal["before"] == {"bot": bots[0].name}
    assert log(owner, address, "&action=ban") == [ban]


def test_instants_in_entries_are_those_of_the_wire(world: ApiWorld) -> None:
    owner, admin = world.owner(), world.admin()
    address = world.ladder(owner, world.bot(owner), decks="rotated")
    assert owner("POST", f"{address}/release").status_code == 200
    instant = owner("POST", f"{address}/freeze").json["freeze"]
    assert owner("POST", f"{address}/release").status_code == 200
    facts = [(entry["action"], entry["before"], entry["after"]) for entry in log(owner, address)]
    assert facts == [
        ("release", {"freeze": instant}, None),
        ("freeze", None, {"freeze": instant}),
        ("release", {"freeze": None}, None),
    ]
    issued = admin("POST", "/v1/admins", {"name": "ann", "expires": "2099-01-01T00:00:00Z"})
    (entry,) = admin("GET", "/v1/audit?action=issue").json["entries"]
    assert entry["before"] == {"expires": issued.json["details"]["expires"]}


def test_an_owner_who_withdraws_its_own_bot_leaves_no_entry_and_a_refused_action_does(
    world: ApiWorld,
) -> None:
    owner, guest = world.owner(), world.owner()
    bot = world.bot(guest)
    ladder = world.ladder(owner, bot)
    assert guest("DELETE", f"{ladder}/entries/{bot.name}").status_code == 200
    assert log(owner, ladder) == []
    refused(owner("POST", f"{ladder}/seasons"), 409, "season_empty")
    (entry,) = log(owner, ladder)
    assert (entry["action"], entry["outcome"]) == ("end_season", "season_empty")


def test_what_operators_do_to_a_ladder_is_in_its_log(world: ApiWorld) -> None:
    owner, admin, guest = world.owner(), world.admin(), world.owner()
    bot = world.bot(guest)
    ladder = world.ladder(owner, bot)
    admin("POST", f"{ladder}/entries/{bot.name}/withdraw", {"reason": "broken"})
    admin("POST", f"{ladder}/state", {"state": "paused", "reason": "maintenance"})
    assert [entry["reason"] for entry in log(owner, ladder)] == ["maintenance", "broken"]
    found = admin("GET", of(ladder)).json
    assert found["entries"] == log(owner, ladder)


def test_the_log_has_no_entries_of_other_ladders_or_readers(world: ApiWorld) -> None:
    owner, other = world.owner(), world.owner()
    first, second = world.ladder(owner), world.ladder(other)
    for person, ladder in ((owner, first), (other, second)):
        person("PATCH", ladder, {"access": "closed"})
    assert [entry["target"] for entry in log(owner, first)] == [f"ladder {first.rpartition('/')[2]}"]
    refused(other("GET", of(first)), 403, "not_your_ladder")
    refused(world.bot(owner)("GET", of(first)), 403, "scope_missing")
    refused(world.client.get(of(first)), 401, "token_missing")
    refused(owner("GET", "/v1/audit"), 403, "scope_missing")
