"""What chats, crawlers and phones read of the site: titles, pictures, the site map, the manifest."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from engine.registry import GAMES
from records.match.frames import Hands
from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Elements, Played, Visitor
from web.preview import Fan, fans_of, png

ORIGIN = "http://localhost"
FACTS = ("og:title", "og:description", "og:image", "og:type", "og:site_name")


def facts_of(page: str) -> dict[str, str]:
    """Return the Open Graph properties of a page."""
    metas = [attributes for tag, attributes in Elements(page).found if tag == "meta"]
    return {str(each["property"]): str(each["content"]) for each in metas if "property" in each}


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def pages(played: Played) -> Iterator[str]:
    yield from (
        "/",
        "/play",
        "/ladders",
        "/tv",
        "/matches",
        "/bots",
        "/games",
        "/help",
        *(f"/games/{game}" for game in GAMES),
    )
    yield from (f"/ladders/{played.ladder}", "/bots/house/greedy", f"/matches/{played.match}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_page_has_a_title_a_description_and_a_picture(
    visitor: Visitor, played: Played, language: str
) -> None:
    visitor.language = language
    for path in pages(played):
        facts = facts_of(visitor.page(path))
        assert set(FACTS) <= facts.keys(), path
        assert all(facts.values()), path
        picture = visitor.get(facts["og:image"].removeprefix(ORIGIN))
        assert picture.content_type == "image/png"
        assert not path.startswith("/games/") or facts["og:image"] == f"{ORIGIN}{path}/preview.png"
        assert size_of(picture.data) == (1200, 630)


def test_the_link_of_a_finished_match_says_who_won(visitor: Visitor, played: Played) -> None:
    facts = facts_of(visitor.page(f"/matches/{played.match}"))
    assert "house/greedy" in facts["og:title"]
    assert re.search("(greedy|random) wins", facts["og:description"])


def test_the_picture_is_of_the_linked_move(visitor: Visitor, played: Played) -> None:
    pictures = {}
    for move in (0, 3):
        page = visitor.page(f"/matches/{played.match}?deal=1&move={move}")
        address = facts_of(page)["og:image"].removeprefix(ORIGIN)
        assert address.endswith(f"?deal=1&move={move}")
        pictures[move] = visitor.get(address).data
    assert pictures[0] != pictures[3]


def test_the_picture_of_a_running_match_has_no_hands(world: ApiWorld, visitor: Visitor) -> None:
    bot = world.bot()
    made = bot("POST", "/v1/matches", {"game": "durak", "seats": [bot.name, "house/greedy"]}).json
    bot("GET", "/v1/turns")
    address = f"/matches/{made['id']}/preview.png"
    public = visitor.get(address)
    assert public.status_code == 200
    assert {visitor.get(f"{address}?seat={seat}").data for seat in (0, 1)} == {public.data}
    loaded = world.services.referee.look(made["id"])
    shown = world.services.referee.frames(loaded, None, 0, 1000)[-1].observation
    assert [list(fan.cards) for fan in fans_of(["a", "b"], shown)[:2]] == [[], []]


def test_a_fan_has_every_card_of_the_observation(world: ApiWorld, played: Played) -> None:
    loaded = world.services.referee.look(played.match)
    for frame in world.services.referee.frames(loaded, Hands.ALL, 0, 1000, deal=1):
        seen = frame.observation
        if seen.get("hand_sizes") is None:
            continue
        fans = fans_of(["a", "b"], seen)
        assert [list(fan.cards) for fan in fans[:2]] == seen["hands"]
        on_table = [card for pair in seen["pairs"] for card in pair if card]
        assert {*on_table} <= {card for fan in fans[2:] for card in fan.cards}


def test_a_picture_holds_any_number_of_long_hands_and_shows_every_card() -> None:
    for count in (0, 1, 2, 12):
        name = "owner-of-32-characters/bot-name-of-32-characters"
        fans = [Fan(name, ["TS"] * 36, 16) for _ in range(count)]
        assert size_of(png("Kryt'-navalivat'", fans)) == (1200, 630)
    cards = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
    assert len({png("", [Fan("", [card])]) for card in cards}) == len(cards)


def test_every_address_of_the_site_map_is_a_page(visitor: Visitor, played: Played) -> None:
    found = visitor.get("/sitemap.xml")
    assert found.content_type.startswith("application/xml")
    tree = ElementTree.fromstring(found.data)
    listed = [each.text or "" for each in tree.iter() if each.tag.endswith("loc")]
    assert f"{ORIGIN}/ladders/{played.ladder}" in listed
    assert f"{ORIGIN}/bots/house/greedy" in listed
    for address in listed:
        assert visitor.get(address.removeprefix(ORIGIN)).status_code == 200, address


def test_crawlers_are_told_of_the_site_map_and_kept_from_data(visitor: Visitor) -> None:
    lines = visitor.get("/robots.txt").text.splitlines()
    assert f"Sitemap: {ORIGIN}/sitemap.xml" in lines
    kept = {"Disallow: /me", "Disallow: /v1/", "Disallow: /puzzles/*?move=", "Disallow: /matches/*/ending?"}
    assert kept <= {*lines}


def test_the_manifest_names_an_icon_that_exists(visitor: Visitor) -> None:
    links = [attributes for tag, attributes in Elements(visitor.page("/")).found if tag == "link"]
    [address] = [str(each["href"]) for each in links if each.get("rel") == "manifest"]
    manifest = visitor.get(address).json
    assert visitor.get(manifest["start_url"]).status_code == 200
    assert [visitor.get(icon["src"]).status_code for icon in manifest["icons"]] == [200]
