"""Badges: a bot's rating, place and conformance as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from league.fitness.model import CheckVerdict, ConformanceCheck
from records.ids import new_match_id
from tests.api.conftest import ApiWorld, Person, refused
from tests.api.test_ratings import meet


def texts(world: ApiWorld, bot: Person | str, query: str = "") -> list[str]:
    name = bot if isinstance(bot, str) else bot.name
    response = world.client.get(f"/v1/bots/{name}/badge.svg{query}")
    assert (response.status_code, response.mimetype) == (200, "image/svg+xml"), response.text
    assert response.headers["ETag"]
    root = ElementTree.fromstring(response.text)
    return [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_badge_shows_a_rating_with_its_interval(world: ApiWorld) -> None:
    bot, other = world.bot(), world.bot()
    meet(world, bot, 1)
    (rating,) = world.client.get(f"/v1/bots/{bot.name}/ratings").json["ratings"]
    half = 1.96 * rating["rating"]["sigma"]
    label, value = texts(world, bot, "?preset=durak/2")
    assert label == f"{bot.name}: durak/2"
    assert value == f"{rating['rating']['rating']:.0f} ± {half:.0f}"
    assert texts(world, other, "?preset=durak/2")[1] == "unrated"
    refused(world.client.get(f"/v1/bots/{bot.name}/badge.svg?preset=none"), 404, "no_such_preset")


def test_a_badge_shows_the_version_that_passed_a_check(world: ApiWorld) -> None:
    bot = world.bot()
    assert texts(world, bot) == [f"{bot.name}: conformance", "not checked"]
    store, check = world.services.checks.store, ConformanceCheck(new_match_id(), bot.id, "1.2", "durak", 0)
    store.begin(check, None)
    store.decide(check, CheckVerdict(1, []))
    assert texts(world, bot)[1] == "passed by version 1.2"
    assert texts(world, "house/greedy")[1] == "house bot"


def test_a_badge_shows_the_place_in_a_ladder(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    more = {"name": 'A <"ladder"> & more', "rated": False, "decks": "independent"}
    address = world.ladder(owner, "house/greedy", "house/random", **more)
    world.play_round(owner, address)
    ladder = address.rpartition("/")[2]
    places = {texts(world, name, f"?ladder={ladder}")[1] for name in ("house/greedy", "house/random")}
    assert places <= {"place 1 of 2", "place 2 of 2"}
    label, value = texts(world, bot, f"?ladder={ladder}")
    assert value == "no place yet"
    assert '<"ladder"> & more' in label
    refused(world.client.get(f"/v1/bots/{bot.name}/badge.svg?ladder=none"), 404, "no_such_ladder")
