"""Interventions over the API: only by admins, logged, and done once per idempotency key."""

from __future__ import annotations

from typing import Any

import pytest

from league.operators.audit import AuditActor
from tests.api.conftest import ApiWorld, Person, refused

MATCH = "17" + "a" * 26
ACTS: list[tuple[str, dict[str, Any]]] = [
    *((f"/v1/service/{state}", {}) for state in ("pause", "drain", "resume")),
    *((f"/v1/bots/a-b/c-d/{act}", {"reason": "r"}) for act in ("disable", "enable")),
    *((f"/v1/owners/a-b/{act}", {"reason": "r"}) for act in ("disable", "enable", "replace-token")),
    ("/v1/tokens/t1/revoke", {"reason": "r"}),
    ("/v1/invitations", {}),
    ("/v1/admins", {"name": "eve"}),
    ("/v1/ladders/l1/state", {"state": "paused"}),
    ("/v1/ladders/l1/entries/a-b/c-d/withdraw", {}),
]


def lines(world: ApiWorld, **wanted: str) -> list[dict[str, Any]]:
    response = world.admin()("GET", "/v1/audit", query_string=wanted)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json["entries"]
    return found


def test_only_admins_may_administer(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    for path, body in ACTS:
        for person in (owner, bot):
            response = person("POST", path, body)
            assert (response.status_code, response.json["code"]) == (403, "scope_missing"), path
        assert world.client.post(path, json=body).status_code == 401
    for path in ("/v1/service", "/v1/audit", "/v1/admins"):
        assert bot("GET", path).json["code"] == "scope_missing"
        assert world.client.get(path).status_code == 401
    assert lines(world) == []


def named_admin(world: ApiWorld, name: str) -> Person:
    """Create an admin with a name."""
    response = world.admin()("POST", "/v1/admins", {"name": name, "note": "a laptop", "reason": "on duty"})
    assert response.status_code == 201, response.text
    return Person(world.client, name, response.json["token"], response.json["details"]["id"])


def test_the_audit_log_names_the_admin_who_did_it(world: ApiWorld) -> None:
    ann, bob = named_admin(world, "ann"), named_admin(world, "bob")
    fool = f"/v1/bots/{world.bot().name}"
    for admin, act in ((ann, "disable"), (bob, "enable")):
        assert admin("POST", f"{fool}/{act}", {"reason": "collusion"}).status_code == 200
    by = {line["action"]: (line["owner"], line["token"]) for line in lines(world)}
    assert (by["disable"], by["enable"]) == (("ann", ann.id), ("bob", bob.id))
    assert [line["action"] for line in lines(world, token=bob.id)] == ["enable"]


def test_the_audit_log_names_the_issuer_of_an_admin_token_and_never_its_text(world: ApiWorld) -> None:
    ann = named_admin(world, "ann")
    bob = ann("POST", "/v1/admins", {"name": "bob", "expires": "2099-01-01T00:00:00Z"}).json
    first, second = lines(world, action="issue")[::-1]
    assert (first["owner"], first["target"], first["reason"]) == ("admin", "admin ann", "on duty")
    assert (second["owner"], second["target"]) == ("ann", "admin bob")
    assert second["after"] == {"token": bob["details"]["id"]}
    assert bob["details"]["expires"].startswith("2099-01-01")
    assert bob["token"] not in str(lines(world))
    listed = ann("GET", "/v1/admins").json["tokens"]
    assert [(token["kind"], token["name"]) for token in listed] == [("admin", "ann"), ("admin", "bob")]


def test_a_revoked_admin_token_stops_working_and_an_admin_may_rotate_its_own(world: ApiWorld) -> None:
    ann, bob = named_admin(world, "ann"), named_admin(world, "bob")
    fresh = ann("POST", f"/v1/tokens/{ann.id}/rotate").json
    assert fresh["details"]["name"] == "ann"
    assert ann("GET", "/v1/service").status_code == 401
    ann = Person(world.client, "ann", fresh["token"])
    assert ann("POST", f"/v1/tokens/{bob.id}/rotate").json["code"] == "scope_missing"
    assert ann("POST", f"/v1/tokens/{bob.id}/revoke", {"reason": "off duty"}).status_code == 204
    assert bob("GET", "/v1/service").status_code == 401
    assert [token["name"] for token in ann("GET", "/v1/admins").json["tokens"]] == ["ann"]


@pytest.mark.parametrize(("name", "code"), [("admin", "name_taken"), ("A b", "invalid_body")])
def test_every_admin_has_a_unique_name(world: ApiWorld, name: str, code: str) -> None:
    assert world.admin()("POST", "/v1/admins", {"name": name}).json["code"] == code


def test_an_admin_is_neither_owner_nor_bot(world: ApiWorld) -> None:
    admin = world.admin()
    assert admin("GET", "/v1/token").json["scopes"] == ["admin", "read"]
    for method, path, body in (
        ("GET", "/v1/turns", None),
        ("POST", "/v1/bots", {"name": "fool"}),
        ("POST", "/v1/matches", {"game": "durak", "seats": ["house/random", "house/random"]}),
        ("POST", "/v1/tokens", {}),
    ):
        assert admin(method, path, body).json["code"] == "scope_missing", path


def test_a_paused_service_creates_nothing_and_every_response_shows_the_pause(world: ApiWorld) -> None:
    admin, bot = world.admin(), world.bot()
    match, body = world.match(bot)["id"], {"game": "durak", "seats": [bot.name, "house/random"]}
    paused = admin("POST", "/v1/service/pause", {"reason": "a new version"}).json
    assert (paused["state"], paused["reason"]) == ("paused", "a new version")
    assert paused["matches"] == {"running": 0, "waiting": 1, "open": 0}
    refusal = bot("POST", "/v1/matches", body)
    assert refused(refusal, 503, "service_paused")["retryable"] is True
    assert "Retry-After" in refusal.headers
    assert world.client.get("/readyz").json["service"] == "paused"
    polled = bot("GET", "/v1/turns?wait=2").json
    (turn,) = polled["turns"]
    assert (polled["service"], turn["match"]) == ("paused", match)
    moved = bot.move(turn)
    assert (moved["charged_ms"], moved["service"]) == (0, "paused")
    assert admin("POST", "/v1/service/resume").json["state"] == "running"
    assert bot("POST", "/v1/matches", body).status_code == 201


def test_an_announcement_stands_until_it_is_replaced(world: ApiWorld) -> None:
    admin, path = world.admin(), "/v1/service/announcement"
    assert admin("POST", path, {"text": "Tonight a new disk."}).json["announcement"] == "Tonight a new disk."
    assert admin("POST", "/v1/service/pause").json["announcement"] == "Tonight a new disk."
    refused(admin("POST", path, {"text": "x" * 501}), 422, "invalid_body")
    refused(admin("POST", path, {"text": "\x1b[2J"}), 422, "bad_value")
    refused(world.owner()("POST", path, {"text": "mine"}), 403, "scope_missing")
    assert admin("GET", "/v1/service").json["announcement"] == "Tonight a new disk."
    assert admin("POST", "/v1/service/resume").json["announcement"] == "Tonight a new disk."
    assert admin("POST", path, {"text": ""}).json["announcement"] == ""
    last = lines(world)[0]
    assert (last["action"], last["before"]) == ("announce", {"text": "Tonight a new disk."})


def finished(world: ApiWorld) -> str:
    """Return a finished match."""
    bot = world.bot()
    match = world.match(bot)["id"]
    world.turn(bot)
    assert bot("POST", f"/v1/matches/{match}/resign").json["status"] == "finished"
    return match


def test_the_record_of_a_void_match_is_annotated(world: ApiWorld) -> None:
    match = finished(world)
    record = world.client.get(f"/v1/matches/{match}/record").json
    response = world.admin()("POST", f"/v1/matches/{match}/void", {"reason": "collusion"})
    assert (response.status_code, response.json["void"], response.json["ending"]) == (200, True, "resigned")
    again = world.client.get(f"/v1/matches/{match}/record").json
    (remark,) = again.pop("annotations")
    assert (remark["kind"], remark["reason"]) == ("void", "collusion")
    assert again == record
    assert [one["id"] for one in world.client.get("/v1/matches?void=true").json["matches"]] == [match]
    assert world.client.get("/v1/matches?void=false").json["matches"] == []
    (line,) = lines(world)
    assert (line["action"], line["target"], line["outcome"]) == ("void", f"match {match}", "done")
    assert (line["before"]["void"], line["after"]["void"]) == (False, True)


def test_actions_that_concern_others_require_a_reason(world: ApiWorld) -> None:
    owner = world.owner()
    assert world.admin()("POST", f"/v1/matches/{MATCH}/void", {}).json["code"] == "invalid_body"
    assert world.admin()("POST", f"/v1/owners/{owner.name}/disable", {}).json["code"] == "bad_value"
    assert world.admin()("POST", f"/v1/bots/{world.bot(owner).name}/disable", {}).json["code"] == "bad_value"
    assert lines(world) == []


def test_refused_actions_are_logged_too(world: ApiWorld) -> None:
    match = finished(world)
    response = world.admin()("POST", f"/v1/matches/{match}/rerun", {"reason": "r"})
    assert (response.status_code, response.json["code"]) == (409, "not_rerunnable")
    assert [(line["action"], line["outcome"]) for line in lines(world)] == [("rerun", "not_rerunnable")]


def test_a_repeated_action_with_a_key_is_done_and_logged_once(world: ApiWorld) -> None:
    path, key = "/v1/invitations", {"Idempotency-Key": "i"}
    responses = [world.admin()("POST", path, {"expires_in_s": 60}, headers=key).json for _ in range(2)]
    assert responses[0] == responses[1]
    assert [line["action"] for line in lines(world)] == ["invite"]


def test_an_owner_who_lost_the_token_gets_another_and_the_old_one_stops(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    response = world.admin()("POST", f"/v1/owners/{owner.name}/replace-token", {"reason": "lost laptop"})
    assert response.status_code == 201, response.text
    assert owner("GET", "/v1/owners/me").json["code"] == "token_invalid"
    fresh = Person(world.client, owner.name, response.json["token"], response.json["details"]["id"])
    assert fresh("GET", "/v1/owners/me").json["owner"]["name"] == owner.name
    assert bot("GET", "/v1/token").status_code == 200
    assert [(line["action"], line["target"]) for line in lines(world)] == [
        ("replace_token", f"owner {owner.name}")
    ]
    assert response.json["token"] not in str(lines(world))


def test_disabled_bots_and_owners_are_refused_with_the_reason(world: ApiWorld) -> None:
    admin, owner, me = world.admin(), world.owner(), world.bot()
    bot = world.bot(owner)
    path = f"/v1/bots/{bot.name}"
    response = admin("POST", f"{path}/disable", {"reason": "floods"})
    assert (response.json["disabled"], response.json["disabled_reason"]) == (True, "floods")
    assert owner("PATCH", path, {"disabled": False}).json["disabled"] is True
    assert bot("GET", "/v1/turns").status_code == 401
    refusal = me("POST", "/v1/matches", {"game": "durak", "seats": [me.name, bot.name]})
    assert refused(refusal, 409, "bot_unavailable")["reason"] == "disabled"
    assert admin("POST", f"{path}/enable").json["disabled_reason"] is None
    assert bot("GET", "/v1/turns").status_code == 200
    logged = lines(world, target=f"bot {bot.name}")
    assert [(line["action"], line["after"]) for line in logged] == [
        ("enable", {"disabled_reason": None}),
        ("disable", {"disabled_reason": "floods"}),
    ]
    assert admin("POST", "/v1/bots/house/random/disable", {"reason": "r"}).json["code"] == "no_such_bot"
    assert admin("POST", f"/v1/owners/{owner.name}/disable", {"reason": "spam"}).json["reason"] == "spam"
    assert [who("GET", "/v1/token").status_code for who in (owner, bot)] == [401, 401]
    assert world.client.get(path).json["disabled"] is True
    refusal = me("POST", "/v1/matches", {"game": "durak", "seats": [me.name, bot.name]})
    assert refused(refusal, 409, "bot_unavailable")["reason"] == "disabled"
    assert admin("POST", f"/v1/owners/{owner.name}/enable").status_code == 200
    assert [who("GET", "/v1/token").status_code for who in (owner, bot)] == [200, 200]
    assert admin("POST", "/v1/owners/house/disable", {"reason": "r"}).json["code"] == "no_such_owner"


def test_an_admin_revokes_anybodys_token(world: ApiWorld) -> None:
    bot = world.bot()
    token = bot("GET", "/v1/token").json["id"]
    assert world.admin()("POST", f"/v1/tokens/{token}/revoke", {"reason": "leaked"}).status_code == 204
    assert bot("GET", "/v1/token").status_code == 401
    assert lines(world)[0]["before"]["name"] == bot.name
    assert world.admin()("POST", f"/v1/tokens/{token}/revoke").json["code"] == "no_such_token"


def test_the_log_is_filtered_and_the_newest_comes_first(world: ApiWorld) -> None:
    admin = world.admin()
    for number in range(7):
        admin("POST", "/v1/invitations", {"expires_in_s": 60 + number})
    admin("POST", "/v1/service/resume")
    found = [line["before"]["expires_in_s"] for line in lines(world, action="invite")]
    assert found == list(range(66, 59, -1))
    whole = lines(world)
    assert [line["id"] for line in whole] == sorted((line["id"] for line in whole), reverse=True)
    middle = whole[3]["at"]
    assert all(line["at"] >= middle for line in lines(world, since=middle))
    assert all(line["at"] <= middle for line in lines(world, until=middle))
    assert lines(world, token="admin") == whole
    assert lines(world, token="t1") == []


def test_an_interrupted_action_is_logged_without_an_outcome(world: ApiWorld) -> None:
    audit = world.services.administration.audit
    with pytest.raises(KeyboardInterrupt), audit.act(AuditActor("cli", "me"), "void", "match 1", ""):
        raise KeyboardInterrupt
    (line,) = lines(world)
    assert (line["token"], line["owner"], line["outcome"], line["after"]) == ("cli", "me", None, None)
