"""Forgetting an owner: no answer of the service names it any more, and records stay verifiable."""

from __future__ import annotations

import pytest

from records.verify import check_proof, verify
from tests.api.conftest import ApiWorld, Person, refused
from tests.support.stored import keys_that_contain

SECRETS = ("leokadia", "mephisto")
"""The names that are forgotten."""


def remembered(world: ApiWorld) -> tuple[Person, Person, str, str]:
    """Return an owner with these names, its bot, a match that it played and a ladder that it entered."""
    owner = world.owner()
    bot = world.bot(owner)
    owner("PATCH", f"/v1/bots/{bot.name}", {"name": SECRETS[1], "description": "by Leokadia"})
    owner("PATCH", "/v1/owners/me", {"name": SECRETS[0]})
    full = "/".join(SECRETS)
    made = bot("POST", "/v1/matches", {"game": "durak", "seats": [full, "house/greedy"]}).json["id"]
    bot("POST", f"/v1/matches/{made}/resign")
    host = world.owner()
    ladder = world.ladder(host, full, rated=False).rpartition("/")[2]
    host("POST", f"/v1/ladders/{ladder}/access", {"name": full, "rule": "banned", "reason": f"{full} cheats"})
    shy = world.bot(host)
    policy = {"excluded_owners": [SECRETS[0]]}
    host("PATCH", f"/v1/bots/{shy.name}", {"match_policy": policy})
    owner("POST", "/v1/webhooks", {"url": "https://hooks.example.com/k", "events": ["ladder.entered"]})
    return owner, bot, made, ladder


def forgotten(world: ApiWorld) -> str:
    response = world.admin()("POST", f"/v1/owners/{SECRETS[0]}/forget", {"reason": "a request"})
    assert response.status_code == 200, response.text
    return str(response.json["name"])


def test_no_answer_names_a_forgotten_owner_and_its_records_still_verify(world: ApiWorld) -> None:
    owner, bot, match, ladder = remembered(world)
    before = world.client.get(f"/v1/matches/{match}/record").json
    refused(owner("POST", f"/v1/owners/{SECRETS[0]}/forget", {"reason": "me"}), 403, "scope_missing")
    pseudonym = forgotten(world)
    reader, admin = world.owner(), world.admin()
    paths = (
        *("/v1/bots", f"/v1/matches/{match}", f"/v1/matches/{match}/record", "/v1/matches", "/v1/records"),
        *(f"/v1/ladders/{ladder}/entries?withdrawn=true", f"/v1/ladders/{ladder}/standings"),
    )
    answers = [reader("GET", path).text for path in paths]
    answers.append(admin("GET", "/v1/audit").text)
    for text in answers:
        assert not any(secret in text.lower() for secret in (*SECRETS, owner.name, bot.name)), text
    assert f"{pseudonym}/bot-1" in answers[1]
    for name in (f"{SECRETS[0]}/{SECRETS[1]}", bot.name):
        refused(world.client.get(f"/v1/bots/{name}"), 404, "no_such_bot")
    ban = next(each for each in admin("GET", f"/v1/audit?ladder={ladder}").json["entries"])
    assert (ban["action"], ban["reason"]) == ("ban", f"{pseudonym}/bot-1 cheats")
    after = world.client.get(f"/v1/matches/{match}/record").json
    assert (after["proof"], after["seats"][0]["id"]) == (before["proof"], before["seats"][0]["id"])
    key = world.client.get("/v1/keys").json["keys"][0]["key"]
    assert verify(after) == check_proof(after, [key]) == []
    for person in (owner, bot):
        refused(person("GET", "/v1/token"), 401, "token_invalid")
    (found,) = world.client.get(f"/v1/bots?owner={pseudonym}").json["bots"]
    assert (found["bot"], found["description"], found["disabled"]) == (f"{pseudonym}/bot-1", "", True)


def test_redis_keeps_none_of_the_names(world: ApiWorld) -> None:
    _, bot, _, _ = remembered(world)
    full = "/".join(SECRETS)
    bot("POST", "/v1/matches", {"game": "durak", "seats": [full, "house/greedy"]})
    assert len(keys_that_contain(world.services.redis, *SECRETS)) > 10
    forgotten(world)
    assert keys_that_contain(world.services.redis, *SECRETS) == []


def test_forgetting_may_be_repeated_and_the_name_is_free(world: ApiWorld) -> None:
    remembered(world)
    pseudonym = forgotten(world)
    again = world.admin()("POST", f"/v1/owners/{pseudonym}/forget", {"reason": "again"})
    assert (again.status_code, again.json["name"]) == (200, pseudonym)
    made = world.client.post("/v1/owners", json={"name": SECRETS[0]})
    assert made.status_code == 201
    token = {"Authorization": f"Bearer {made.json['token']}"}
    assert world.client.get("/v1/webhooks", headers=token).json["webhooks"] == []


@pytest.mark.parametrize(
    ("owner", "reason", "status", "code"),
    [
        ("nobody", "asked", 404, "no_such_owner"),
        ("house", "asked", 404, "no_such_owner"),
        ("", " ", 422, "bad_value"),
    ],
)
def test_a_refused_request_forgets_nobody(
    world: ApiWorld, owner: str, reason: str, status: int, code: str
) -> None:
    known = world.owner()
    refused(
        world.admin()("POST", f"/v1/owners/{owner or known.name}/forget", {"reason": reason}), status, code
    )
    assert known("GET", "/v1/owners/me").json["owner"]["name"] == known.name
