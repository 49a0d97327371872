"""Tokens: no token comes to more than it was given, whatever it asks for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person

LONG_AGO = "2020-01-01T00:00:00Z"


def token(owner: Person, *scopes: str, bot: str | None = None, **more: Any) -> Person:
    """Another token of the owner, or of a bot of its, with these scopes alone."""
    said = owner("POST", "/v1/tokens", {"scopes": list(scopes), "bot": bot, **more})
    assert said.status_code == 201, said.text
    return Person(owner.client, owner.name, said.json["token"], said.json["details"]["id"])


def refused(said: Any, code: str, status: int = 403) -> None:
    assert (said.status_code, said.json["code"]) == (status, code), said.text


def test_a_token_mints_no_token_with_more_than_it_has(world: ApiWorld) -> None:
    owner = world.owner()
    league = token(owner, "league")
    for scopes in (["challenge"], ["league", "read"]):
        said = league("POST", "/v1/tokens", {"scopes": scopes})
        refused(said, "scope_missing")
        assert said.json["scope"] in ("challenge", "read")
    said = league("POST", "/v1/tokens", {})
    assert said.json["details"]["scopes"] == ["league"]
    for scope in ("admin", "play"):
        refused(owner("POST", "/v1/tokens", {"scopes": [scope]}), "bad_value", 422)
    refused(token(owner, "read", "challenge")("POST", "/v1/tokens", {"scopes": ["read"]}), "scope_missing")


def test_bots_get_no_scope_either_that_their_maker_lacks(world: ApiWorld) -> None:
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


@pytest.mark.parametrize("scopes", [["read"], ["read", "challenge"]])
def test_a_lesser_token_of_an_owner_rotates_and_revokes_itself_alone(
    world: ApiWorld, scopes: list[str]
) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    lesser = token(owner, *scopes)
    for other in (owner, bot):
        known = other("GET", "/v1/token").json["id"]
        refused(lesser("POST", f"/v1/tokens/{known}/rotate"), "scope_missing")
        refused(lesser("DELETE", f"/v1/tokens/{known}"), "scope_missing")
        assert other("GET", "/v1/token").status_code == 200
    said = lesser("POST", f"/v1/tokens/{lesser.id}/rotate")
    assert said.json["details"]["scopes"] == sorted(scopes)
    assert lesser("GET", "/v1/token").status_code == 401
    fresh = Person(world.client, "", said.json["token"])
    assert fresh("DELETE", f"/v1/tokens/{said.json['details']['id']}").status_code == 204


def test_league_alone_does_not_come_to_another_tokens_scopes_by_rotating_it(world: ApiWorld) -> None:
    owner = world.owner()
    league = token(owner, "league")
    whole = owner("GET", "/v1/token").json["id"]
    refused(league("POST", f"/v1/tokens/{whole}/rotate"), "scope_missing")
    assert owner("GET", "/v1/token").status_code == 200


def test_a_bots_tokens_know_nothing_of_each_other(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    name = bot.name.partition("/")[2]
    reading = token(owner, "read", bot=name)
    playing = bot("GET", "/v1/token").json["id"]
    refused(reading("POST", f"/v1/tokens/{playing}/rotate"), "scope_missing")
    refused(reading("DELETE", f"/v1/tokens/{playing}"), "scope_missing")
    refused(reading("GET", "/v1/turns"), "scope_missing")
    refused(bot("POST", "/v1/tokens", {}), "scope_missing")


def test_nobody_touches_what_is_somebody_elses(world: ApiWorld) -> None:
    victim, thief = world.owner(), world.owner()
    bot = world.bot(victim)
    for known in (victim("GET", "/v1/token").json["id"], bot("GET", "/v1/token").json["id"]):
        for person in (thief, world.bot(thief)):
            refused(person("POST", f"/v1/tokens/{known}/rotate"), "not_your_token")
            refused(person("DELETE", f"/v1/tokens/{known}"), "not_your_token")
    refused(thief("PATCH", f"/v1/bots/{bot.name}", {"disabled": True}), "not_your_bot")
    refused(thief("GET", "/v1/tokens", query_string={"bot": bot.name.partition("/")[2]}), "no_such_bot", 404)


def test_rotation_overlaps_and_then_the_old_token_is_good_for_nothing(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    known = bot("GET", "/v1/token").json["id"]
    said = bot("POST", f"/v1/tokens/{known}/rotate", {"overlap_s": 3600})
    fresh = Person(world.client, "", said.json["token"])
    assert bot("GET", "/v1/token").json["expires"] is not None
    assert fresh("GET", "/v1/token").json["expires"] is None
    assert fresh("GET", "/v1/turns").status_code == bot("GET", "/v1/turns").status_code == 200
    assert bot("POST", f"/v1/tokens/{known}/rotate").status_code == 201
    assert bot("GET", "/v1/turns").status_code == 401
    assert owner("POST", "/v1/tokens", {"expires": LONG_AGO}).json["code"] == "bad_value"
