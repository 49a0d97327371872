"""Pages show anonymous and foreign viewers nothing that is hidden from them."""

from __future__ import annotations

import pytest

from tests.api.conftest import ApiWorld, Person
from tests.web.conftest import Visitor


def signed_in(world: ApiWorld, owner: Person) -> Visitor:
    visitor = Visitor(world.app.test_client())
    visitor.send("/sign-in", "/sign-in", {"token": owner.token})
    return visitor


@pytest.fixture
def hidden(world: ApiWorld) -> tuple[list[Person], list[str], str]:
    """Two owners with a bot each, in a running round whose groups hide names; its matches and its ladder."""
    owners = [world.owner(), world.owner()]
    return owners, *hidden_round(world, owners, [world.bot(owner) for owner in owners])


def hidden_round(world: ApiWorld, owners: list[Person], bots: list[Person]) -> tuple[list[str], str]:
    """Start a round whose groups hide names. Return its matches that run, and its ladder."""
    body = {"name": "Hidden", "game": "durak", "seats": 2, "format": "swiss", "check": False}
    ladder = owners[0]("POST", "/v1/ladders", body).json["id"]
    for owner, bot in zip(owners, bots, strict=True):
        assert owner("POST", f"/v1/ladders/{ladder}/entries", {"bot": bot.name}).status_code == 200
    round_ = world.services.rounds.start(ladder)
    for bot in bots:
        bot("GET", "/v1/turns")
    while world.services.rounds.work(ladder, round_.number):
        pass
    for bot in bots:  # a match starts when both have asked for their turns
        bot("GET", "/v1/turns")
    matches = [turn["match"] for bot in bots for turn in bot("GET", "/v1/turns").json["turns"]]
    assert matches
    return matches, ladder


def test_only_the_owner_learns_whether_a_bot_is_online(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    bot("GET", "/v1/turns")
    stranger = signed_in(world, world.owner())
    assert "Online" in signed_in(world, owner).page(f"/bots/{bot.name}")
    assert "Online" not in stranger.page(f"/bots/{bot.name}")
    assert "Online" not in Visitor(world.app.test_client()).page(f"/bots/{bot.name}")


def test_the_entrants_of_an_arenas_running_round_are_hidden(world: ApiWorld) -> None:
    owners = [world.owner() for _ in range(3)]
    bots = [world.bot(owner) for owner in owners]
    body = {"name": "Arena", "game": "durak", "seats": 2, "format": "arena", "check": False}
    ladder = owners[0]("POST", "/v1/ladders", body).json["id"]
    for owner, bot in zip(owners, bots, strict=True):
        bot("GET", "/v1/turns")
        owner("POST", f"/v1/ladders/{ladder}/entries", {"bot": bot.name})
    number = world.services.rounds.start(ladder).number
    response = world.client.get(f"/v1/ladders/{ladder}/rounds/{number}").json
    assert response["bots"] is None
    page = Visitor(world.app.test_client()).page(f"/ladders/{ladder}/rounds/{number}")
    assert not [bot.name for bot in bots if bot.name in page]
    assert "hidden until it is over" in page


def test_a_hidden_match_has_neither_a_page_nor_a_picture(
    world: ApiWorld, hidden: tuple[list[Person], list[str], str]
) -> None:
    visitor = Visitor(world.app.test_client())
    for match in hidden[1]:
        found = [
            visitor.get(f"/matches/{match}{part}").status_code for part in ("", "/preview.png", "/together")
        ]
        assert found == [409, 409, 409]
