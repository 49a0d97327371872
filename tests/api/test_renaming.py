"""Renaming bots and owners over HTTP: old names lead to new ones, and records stay verifiable."""

from __future__ import annotations

import pytest

from records.names import current_name
from records.verify import check_proof, verify
from tests.api.conftest import ApiWorld, Person, refused


def own_name(bot: Person) -> str:
    return bot.name.partition("/")[2]


def test_an_old_name_of_a_bot_leads_to_the_new_one(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    changed = owner("PATCH", f"/v1/bots/{bot.name}", {"name": "renamed", "version": "7"})
    assert changed.status_code == 200, changed.text
    full = f"{owner.name}/renamed"
    assert (changed.json["bot"], changed.json["version"]) == (full, "7")
    for name in (bot.name, full):
        assert world.client.get(f"/v1/bots/{name}").json["bot"] == full
    assert [each["bot"] for each in owner("GET", f"/v1/bots?owner={owner.name}").json["bots"]] == [full]
    assert bot("GET", "/v1/token").json["name"] == full


def test_an_old_name_of_an_owner_leads_to_the_new_one(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    new = f"{owner.name}-now"
    renamed = owner("PATCH", "/v1/owners/me", {"name": new})
    assert (renamed.status_code, renamed.json["name"]) == (200, new)
    full = f"{new}/{own_name(bot)}"
    for name in (bot.name, full):
        assert world.client.get(f"/v1/bots/{name}").json["bot"] == full
    later = owner("POST", "/v1/bots", {"name": "later"}).json["bot"]["bot"]
    assert later == f"{new}/later"
    assert world.client.get(f"/v1/bots/{owner.name}/later").json["bot"] == later
    for name in (owner.name, new):
        found = world.client.get(f"/v1/bots?owner={name}").json["bots"]
        assert {each["bot"] for each in found} == {full, later}


@pytest.mark.parametrize("free_again", [False, True])
def test_nobody_else_takes_a_name_that_leads_elsewhere(world: ApiWorld, free_again: bool) -> None:
    owner, other = world.owner(), world.owner()
    bot = world.bot(owner)
    owner("PATCH", f"/v1/bots/{bot.name}", {"name": "renamed"})
    owner("PATCH", "/v1/owners/me", {"name": f"{owner.name}-now"})
    if free_again:  # its own old name is still its own
        assert owner("PATCH", "/v1/owners/me", {"name": owner.name}).json["name"] == owner.name
    refused(world.client.post("/v1/owners", json={"name": owner.name}), 409, "name_taken")
    refused(other("PATCH", "/v1/owners/me", {"name": owner.name}), 409, "name_taken")
    other_bot = world.bot(other)
    second = owner("POST", "/v1/bots", {"name": "second"}).json["bot"]["bot"]
    refused(owner("PATCH", f"/v1/bots/{second}", {"name": "renamed"}), 409, "name_taken")
    refused(owner("PATCH", f"/v1/bots/{other_bot.name}", {"name": "mine"}), 403, "not_your_bot")


def test_a_refused_name_changes_nothing(world: ApiWorld) -> None:
    owner = world.owner()
    first, second = world.bot(owner), world.bot(owner)
    for name, status, code in (("house", 409, "name_taken"), ("A b", 422, "invalid_body")):
        refused(owner("PATCH", "/v1/owners/me", {"name": name}), status, code)
    for name in (own_name(second), "person"):
        refused(owner("PATCH", f"/v1/bots/{first.name}", {"name": name, "version": "9"}), 409, "name_taken")
    assert owner("GET", "/v1/owners/me").json["owner"]["name"] == owner.name
    found = world.client.get(f"/v1/bots/{first.name}").json
    assert (found["bot"], found["version"]) == (first.name, "1")


def test_records_show_the_new_name_and_still_verify(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    made = bot("POST", "/v1/matches", {"game": "durak", "seats": [bot.name, "house/greedy"]}).json["id"]
    bot("POST", f"/v1/matches/{made}/resign")
    before = world.client.get(f"/v1/matches/{made}/record").json
    assert [seat["bot"] for seat in before["seats"]] == [bot.name, "house/greedy"]
    owner("PATCH", "/v1/owners/me", {"name": f"{owner.name}-now"})
    after = world.client.get(f"/v1/matches/{made}/record").json
    full = f"{owner.name}-now/{own_name(bot)}"
    assert [seat["bot"] for seat in after["seats"]] == [full, "house/greedy"]
    assert after["proof"] == before["proof"]
    key = world.client.get("/v1/keys").json["keys"][0]["key"]
    assert verify(after) == check_proof(after, [key]) == []
    assert [each["id"] for each in bot("GET", f"/v1/matches?bot={bot.name}").json["matches"]] == [made]


def test_a_ban_follows_the_owner_to_its_new_name(world: ApiWorld) -> None:
    host, guest = world.owner(), world.owner()
    bot = world.bot(guest)
    ladder = world.ladder(host, rated=False)
    access, entries = f"{ladder}/access", f"{ladder}/entries"
    host("POST", access, {"name": guest.name, "rule": "banned"})
    new = f"{guest.name}-now"
    guest("PATCH", "/v1/owners/me", {"name": new})
    assert [rule["name"] for rule in host("GET", access).json["rules"]] == [new]
    refused(guest("POST", entries, {"bot": f"{new}/{own_name(bot)}"}), 409, "entry_refused")
    assert host("POST", access, {"name": guest.name, "rule": None}).json["rules"] == []
    assert guest("POST", entries, {"bot": bot.name}).json["bot"] == f"{new}/{own_name(bot)}"


def test_an_excluded_owner_stays_excluded_under_a_new_name(world: ApiWorld) -> None:
    shy, other = world.owner(), world.owner()
    bot, rival = world.bot(shy), world.bot(other)
    policy = {"excluded_owners": [other.name]}
    assert shy("PATCH", f"/v1/bots/{bot.name}", {"match_policy": policy}).status_code == 200
    other("PATCH", "/v1/owners/me", {"name": f"{other.name}-now"})
    challenge = {"game": "durak", "seats": [rival.name, bot.name]}
    refused(rival("POST", "/v1/matches", challenge), 409, "bot_unavailable")


def test_another_process_learns_the_new_name(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    ident = world.client.get(f"/v1/bots/{bot.name}").json["id"]
    monkeypatch.setattr("records.names._CURRENT", {})
    with monkeypatch.context() as patch:
        patch.setattr("league.accounts.service.learn", lambda names: None)
        owner("PATCH", f"/v1/bots/{bot.name}", {"name": "renamed"})
    assert current_name(ident, bot.name) == bot.name
    accounts = world.services.accounts
    monkeypatch.setattr(accounts, "_renamings", 0)
    accounts.learn_names(at_once=True)
    assert current_name(ident, bot.name) == f"{owner.name}/renamed"
