"""A ladder on a projector, without a browser."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import ApiWorld, Person
from tests.web.conftest import LANGUAGES, Played, Visitor
from tests.web.test_match import play
from tests.web.test_pages import well_formed


def next_round(page: str) -> str:
    return page.partition('class="screen-next"')[2].partition("</section>")[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stranger_sees_the_standings_and_the_last_match(
    visitor: Visitor, played: Played, language: str
) -> None:
    visitor.language = language
    page = visitor.page(f"/ladders/{played.ladder}/screen")
    well_formed(page, language)
    assert page.count('<th scope="row">') == 2
    assert page.count("data-match=") == 1
    assert "Турнир &lt;b&gt;&amp;amp;" in page
    assert "▲" not in page, "there was no round before"


def test_a_row_says_how_far_its_bot_has_moved(world: ApiWorld, visitor: Visitor, played: Played) -> None:
    rows = world.client.get(f"/v1/ladders/{played.ladder}/standings").json["standings"]
    first, last = rows[0]["id"], rows[-1]["id"]
    places = f'{{"{first}": 3, "{last}": {rows[-1]["place"]}}}'
    world.services.redis.one("HSET", f"kozyr:{{ladder:{played.ladder}}}:places", 1, places)
    page = visitor.page(f"/ladders/{played.ladder}/screen")
    moved = re.findall(r'aria-hidden="true">([▲▼]\d+)<', page)
    assert moved == [f"▲{3 - rows[0]['place']}"]


def test_the_next_meetings_are_shown_where_everybody_may_see_them(world: ApiWorld, visitor: Visitor) -> None:
    for decks, format_, shown in (
        ("independent", "swiss", True),
        ("rotated", "round_robin", True),
        ("rotated", "swiss", False),
    ):
        owner = world.owner()
        ladder = world.ladder(owner, decks=decks, format=format_).rpartition("/")[2]
        page = next_round(visitor.page(f"/ladders/{ladder}/screen"))
        assert "<li>" not in page, "nobody has entered"
        for bot in ("house/greedy", "house/random"):
            owner("POST", f"/v1/ladders/{ladder}/entries", {"bot": bot})
        page = next_round(visitor.page(f"/ladders/{ladder}/screen"))
        assert ("house/random" in page) == shown, (decks, format_)
        schedule = visitor.page(f"/ladders/{ladder}/schedule")
        assert ("Who would meet" in schedule) == shown


def match_of_a_ladder(world: ApiWorld) -> tuple[Person, str, str]:
    """Return a bot, a ladder and its running match."""
    owner, bot = world.owner(), world.bot()
    address = world.ladder(owner, bot, "house/greedy", decks="independent")
    world.play_round(owner, address)
    ladder = address.rpartition("/")[2]
    bot("GET", "/v1/turns")  # it shows up
    (match,) = world.client.get(f"/v1/matches?ladder={ladder}").json["matches"]
    return bot, ladder, match["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_ladder_has_its_top_match_while_one_runs(
    world: ApiWorld, visitor: Visitor, language: str
) -> None:
    visitor.language = language
    play(stranger := world.bot(), world.match(stranger)["id"], 1)
    bot, ladder, match = match_of_a_ladder(world)
    path = f"/ladders/{ladder}"
    screen = visitor.page(f"{path}/screen")
    assert re.findall(r'data-match="(\w+)"', screen) == [match]
    assert f"matches={match}&amp;after=" in screen
    page = visitor.page(path)
    well_formed(page, language)
    assert re.findall(r'data-match="(\w+)"', page) == [match]
    assert page.count(f'href="/tv?ladder={ladder}"') == 2, "the tab, and the link below the table"
    hand = set(bot("GET", "/v1/turns").json["turns"][0]["observation"]["hand"])
    public = world.client.get(f"/v1/matches/{match}").json["observation"]
    hidden = hand - {card for known in public["known"] for card in known}
    assert hidden
    assert not [card for card in hidden if re.search(rf"\b{card}\b", page)]
    assert "kozyr-tv" not in visitor.page(f"{path}/cross")
    play(bot, match)
    assert "kozyr-tv" not in visitor.page(path)
    assert "table.js" not in visitor.page(path)
