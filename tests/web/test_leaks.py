"""Pages show anonymous and foreign viewers nothing that is hidden from them."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import ApiWorld, Person
from tests.web.conftest import Elements, Visitor

DOCUMENTS = ("/games/", "/help")
"""Pages that no match is on, but cards may be."""


def crawled(visitor: Visitor, starts: list[str]) -> dict[str, str]:
    """Return every page that the visitor reaches, by address."""
    pages: dict[str, str] = {}
    waiting = set(starts)
    while waiting - pages.keys():
        address = min(waiting - pages.keys())
        found = visitor.get(address)
        pages[address] = found.text
        if found.mimetype == "text/html":
            links = {link.partition("#")[0] for link in Elements(found.text).addresses()}
            waiting |= {
                link
                for link in links
                if re.match(r"/(?!static/|v1/|docs|openapi)", link) and "lang=" not in link
            }
    return {address: page for address, page in pages.items() if not address.startswith(DOCUMENTS)}


def signed_in(world: ApiWorld, owner: Person) -> Visitor:
    visitor = Visitor(world.app.test_client())
    visitor.send("/sign-in", "/sign-in", {"token": owner.token})
    return visitor


@pytest.fixture
def hidden(world: ApiWorld) -> tuple[list[Person], list[str], str]:
    """Two owners with a bot each, in a running round whose groups hide names; its matches and its ladder."""
    owners = [world.owner(), world.owner()]
    bots = [world.bot(owner) for owner in owners]
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
    return owners, matches, ladder


def test_pages_show_strangers_no_match_of_a_hidden_group(
    world: ApiWorld, hidden: tuple[list[Person], list[str], str]
) -> None:
    owners, matches, ladder = hidden
    for visitor in (
        Visitor(world.app.test_client()),
        signed_in(world, world.owner()),
        signed_in(world, owners[0]),
    ):
        for address, page in crawled(
            visitor, ["/", f"/ladders/{ladder}", f"/matches?ladder={ladder}"]
        ).items():
            assert not [match for match in matches if match in page], address


def test_pages_show_no_hand_of_a_running_match(world: ApiWorld) -> None:
    bot, turn = world.started()
    seen = turn["observation"]
    hand = set(seen["hand"]) - set(
        seen["known"][seen["seat"]]
    )  # a trump shown for the first attack is public
    assert len(hand) >= 5
    for visitor in (Visitor(world.app.test_client()), signed_in(world, world.owner())):
        pages = crawled(visitor, ["/", "/matches?status=running", f"/bots/{bot.name}"])
        assert turn["match"] in pages["/matches?status=running"]
        for address, page in pages.items():
            assert not [card for card in hand if re.search(rf"\b{card}\b", page)], address


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
