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
    address = world.ladder(owners[0], *bots, format="swiss")
    world.play_round(owners[0], address)
    for bot in bots:  # a match starts when both have asked for their turns
        bot("GET", "/v1/turns")
    matches = [turn["match"] for bot in bots for turn in bot.turns()]
    assert matches
    return matches, address.rpartition("/")[2]


def test_only_the_owner_learns_whether_a_bot_is_online(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    bot("GET", "/v1/turns")
    stranger = signed_in(world, world.owner())
    assert "Online" in signed_in(world, owner).page(f"/bots/{bot.name}")
    assert "Online" not in stranger.page(f"/bots/{bot.name}")
    assert "Online" not in Visitor(world.app.test_client()).page(f"/bots/{bot.name}")


def test_a_hidden_match_has_neither_a_page_nor_a_picture(
    world: ApiWorld, hidden: tuple[list[Person], list[str], str]
) -> None:
    visitor = Visitor(world.app.test_client())
    group = world.services.referee.look(hidden[1][0]).config.group.id  # type: ignore[union-attr]  # it has one
    pages = [
        f"/matches/{match}{part}"
        for match in hidden[1]
        for part in ("", "/embed", "/preview.png", "/together")
    ]
    for page in (*pages, f"/groups/{group}/compare"):
        assert visitor.get(page).status_code == 409, page
