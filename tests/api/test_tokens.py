"""Tokens: no token gains scopes that it was not given."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person

LONG_AGO = "2020-01-01T00:00:00Z"


def token(owner: Person, *scopes: str, bot: str | None = None, **more: Any) -> Person:
    """Create a token of the owner or one of its bots, with only these scopes."""
    response = owner("POST", "/v1/tokens", {"scopes": list(scopes), "bot": bot, **more})
    assert response.status_code == 201, response.text
    return Person(owner.client, owner.name, response.json["token"], response.json["details"]["id"])


def refused(response: Any, code: str, status: int = 403) -> None:
    assert (response.status_code, response.json["code"]) == (status, code), response.text


def test_a_token_cannot_grant_scopes_that_it_lacks(world: ApiWorld) -> None:
    owner = world.owner()
    league = token(owner, "league")
    for scopes in (["challenge"], ["league", "read"]):
        response = league("POST", "/v1/tokens", {"scopes": scopes})
        refused(response, "scope_missing")
        assert response.json["scope"] in ("challenge", "read")
    response = league("POST", "/v1/tokens", {})
    assert response.json["details"]["scopes"] == ["league"]
    for scope in ("admin", "play"):
        refused(owner("POST", "/v1/tokens", {"scopes": [scope]}), "bad_value", 422)
    refused(token(owner, "read", "challenge")("POST", "/v1/tokens", {"scopes": ["read"]}), "scope_missing")


def test_a_new_bot_gets_no_scope_that_its_creator_lacks(world: ApiWorld) -> None:
    owner = world.owner()
    league = token(owner, "league")
    made = league("POST", "/v1/bots", {"name": "mute"})
    bot = Person(world.client, "", made.json["token"])
    assert bot("GET", "/v1/token").json["scopes"] == ["play"]
    seats = [made.json["bot"]["bot"], "house/random"]
    refused(bot("POST", "/v1/matches", {"game": "durak", "seats": seats}), "scope_missing")
    refused(league("POST", "/v1/tokens", {"bot": "mute", "scopes": ["challenge"]}), "scope_missing")
    assert owner("POST", "/v1/tokens", {"bot": "mute", "scopes": ["challenge"]}).status_code == 201
    refused(owner("POST", "/v1/tokens", {"bot": "mute", "scopes": ["league"]}), "bad_value", 422)


@pytest.mark.parametrize("scopes", [["read"], ["read", "challenge"], ["bot"]])
def test_a_token_without_league_rotates_and_revokes_only_itself(world: ApiWorld, scopes: list[str]) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    of_bot = scopes == ["bot"]
    scopes, name = (["read"], bot.name.partition("/")[2]) if of_bot else (scopes, None)
    lesser = token(owner, *scopes, bot=name)
    for other in (bot,) if of_bot else (owner, bot):
        known = other("GET", "/v1/token").json["id"]
        refused(lesser("POST", f"/v1/tokens/{known}/rotate"), "scope_missing")
        refused(lesser("DELETE", f"/v1/tokens/{known}"), "scope_missing")
        assert other("GET", "/v1/token").status_code == 200
    refused(lesser("POST", "/v1/tokens", {}), "scope_missing")
    refused(lesser("GET", "/v1/turns"), "scope_missing")
    response = lesser("POST", f"/v1/tokens/{lesser.id}/rotate")
    assert response.json["details"]["scopes"] == sorted(scopes)
    assert lesser("GET", "/v1/token").status_code == 401
    fresh = Person(world.client, "", response.json["token"])
    assert fresh("DELETE", f"/v1/tokens/{response.json['details']['id']}").status_code == 204


def test_rotating_another_token_requires_its_scopes(world: ApiWorld) -> None:
    owner = world.owner()
    league = token(owner, "league")
    whole = owner("GET", "/v1/token").json["id"]
    refused(league("POST", f"/v1/tokens/{whole}/rotate"), "scope_missing")
    assert owner("GET", "/v1/token").status_code == 200


def test_tokens_of_other_owners_cannot_be_changed(world: ApiWorld) -> None:
    victim, thief = world.owner(), world.owner()
    bot = world.bot(victim)
    for known in (victim("GET", "/v1/token").json["id"], bot("GET", "/v1/token").json["id"]):
        for person in (thief, world.bot(thief)):
            refused(person("POST", f"/v1/tokens/{known}/rotate"), "not_your_token")
            refused(person("DELETE", f"/v1/tokens/{known}"), "not_your_token")
    refused(thief("PATCH", f"/v1/bots/{bot.name}", {"disabled": True}), "not_your_bot")
    refused(thief("GET", "/v1/tokens", query_string={"bot": bot.name.partition("/")[2]}), "no_such_bot", 404)


def test_a_rotated_token_stops_working_after_the_overlap(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    known = bot("GET", "/v1/token").json["id"]
    response = bot("POST", f"/v1/tokens/{known}/rotate", {"overlap_s": 3600})
    fresh = Person(world.client, "", response.json["token"])
    assert bot("GET", "/v1/token").json["expires"] is not None
    assert fresh("GET", "/v1/token").json["expires"] is None
    assert fresh("GET", "/v1/turns").status_code == bot("GET", "/v1/turns").status_code == 200
    assert bot("POST", f"/v1/tokens/{known}/rotate").status_code == 201
    assert bot("GET", "/v1/turns").status_code == 401
    late = owner("POST", "/v1/tokens", {"expires": LONG_AGO})
    refused(late, "bad_value", 422)
    assert late.json["detail"].startswith('expires: "2020-01-01T00:00:00.000Z" is refused')
