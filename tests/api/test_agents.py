"""What owners declare about the language models of their bots."""

from __future__ import annotations

import pytest

from league.accounts.model import MOST_DECLARED
from league.accounts.redis import PLAYED
from tests.api.conftest import ApiWorld, Person, refused

DECLARED = {"model": "Sonnet <5>", "provider": "example", "harness": "loop 1.2", "effort": "high"}
NOTHING = dict.fromkeys(DECLARED, "")


@pytest.fixture
def owner(world: ApiWorld) -> Person:
    return world.owner()


def test_a_declaration_is_kept_shown_and_replaced_as_a_whole(world: ApiWorld, owner: Person) -> None:
    assert owner("GET", f"/v1/bots/{world.bot(owner).name}").json["agent"] == NOTHING
    made = owner("POST", "/v1/bots", {"name": "fool", "agent": DECLARED}).json["bot"]
    path = f"/v1/bots/{made['bot']}"
    assert made["agent"] == DECLARED
    assert owner("PATCH", path, {"version": "2"}).json["agent"] == DECLARED
    assert owner("PATCH", path, {"agent": {"model": "Opus"}}).json["agent"] == {**NOTHING, "model": "Opus"}
    assert owner("GET", path).json["agent"] == {**NOTHING, "model": "Opus"}
    assert owner("PATCH", path, {"agent": {}}).json["agent"] == NOTHING


@pytest.mark.parametrize("field", DECLARED)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * (MOST_DECLARED + 1), "invalid_body"),
        (7, "invalid_body"),
        ("a\nb", "bad_value"),
        ("\u202etxt", "bad_value"),
    ],
)
def test_a_declaration_is_a_short_line(owner: Person, field: str, text: object, code: str) -> None:
    refused(owner("POST", "/v1/bots", {"name": "fool", "agent": {field: text}}), 422, code)


def test_a_forgotten_owner_declares_nothing_any_more(world: ApiWorld, owner: Person) -> None:
    bot = owner("POST", "/v1/bots", {"name": "fool", "agent": DECLARED}).json["bot"]["id"]
    assert world.services.accounts.agents() == [], "it has not played"
    world.services.redis.one("ZADD", PLAYED, 0, bot)
    assert [bot.agent.model for bot in world.services.accounts.agents()] == ["Sonnet <5>"]
    gone = world.admin()("POST", f"/v1/owners/{owner.name}/forget", {"reason": "a request"}).json["name"]
    assert world.admin()("GET", f"/v1/bots/{gone}/bot-1").json["agent"] == NOTHING
    assert world.services.accounts.agents() == []
