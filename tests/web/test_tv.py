"""The page of running matches: what it shows, its one stream, and that it shows nothing hidden."""

from __future__ import annotations

import json
import re

import pytest

from records.ratings.model import Rating
from tests.api.conftest import ApiWorld, Person
from tests.web.conftest import LANGUAGES, Elements, Played, Visitor
from tests.web.test_leaks import hidden, hidden_round, signed_in
from tests.web.test_match import a_match, play

__all__ = ["hidden"]


def started(world: ApiWorld, game: str) -> str:
    """Return a match in which a bot has made a move."""
    bot, match = a_match(world, game)
    play(bot, match, 1)
    return match


@pytest.mark.parametrize("language", LANGUAGES)
def test_running_matches_share_one_stream_without_hands(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    visitor.language = language
    _, turn = world.started()
    public = world.client.get(f"/v1/matches/{turn['match']}").json["observation"]
    hand = set(turn["observation"]["hand"]) - {card for known in public["known"] for card in known}
    page = visitor.page("/tv")
    assert not [card for card in hand if re.search(rf"\b{card}\b", page)]
    matches = [turn["match"], *(started(world, game) for game in ("durak", "king", "kryt"))]
    with monkeypatch.context() as patch:  # as if there was no move for a minute
        patch.setattr("web.views.tv.MOST_IDLE_MS", -1)
        assert not [match for match in matches if match in visitor.page("/tv")]
    page = visitor.page("/tv")
    elements = Elements(page).found
    (tv,) = [attributes for tag, attributes in elements if tag == "kozyr-tv"]
    shown = [attributes["data-match"] for tag, attributes in elements if tag == "section"]
    assert sorted(map(str, shown)) == sorted(matches)
    stream = visitor.client.get(str(tv["data-stream"]) + "&seconds=0")
    assert (stream.status_code, "data:" in stream.text) == (200, False), "it begins where the page ends"
    tables = [
        json.loads(str(attributes["data-table"])) for tag, attributes in elements if tag == "kozyr-table"
    ]
    assert all(table["live"] and "words" not in table and table["source"] is None for table in tables)


def test_two_matches_of_the_same_players_have_different_names(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    play(bot, match, 1)
    other = bot("POST", "/v1/matches", {"game": "durak", "seats": [bot.name, "house/random"], "dealer": 0})
    bot("GET", "/v1/turns")
    assert {match, other.json["id"]} == set(re.findall(r'data-match="(\w+)"', visitor.page("/tv")))
    names = re.findall(r'<h2 id="tv-\w+">(.+)</h2>', visitor.page("/tv"))
    assert len({re.sub("<.+?>", "", name) for name in names}) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_running_matches_the_page_says_so(world: ApiWorld, visitor: Visitor, language: str) -> None:
    visitor.language = language
    bot, match = a_match(world)
    play(bot, match)
    page = visitor.page("/tv")
    (table,) = [attributes for tag, attributes in Elements(page).found if tag == "kozyr-table"]
    assert json.loads(str(table["data-table"]))["plays"], "the last match"
    assert f"/matches/{match}" in page, "it is among those that just finished"
    assert {"en": "No match that everybody may see", "ru": "ни одного матча"}[language] in page


def test_matches_of_higher_ratings_stand_first(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [started(world, game) for game in ("durak", "king", "kryt")]
    presets = [world.client.get(f"/v1/matches/{match}").json["preset"] for match in rows]
    strength = dict(zip(presets, (1100.0, 1900.0, 1500.0), strict=True))

    def ratings(preset: str, bots: list[str]) -> dict[str, Rating]:
        return {bot: Rating(strength[preset], 50.0) for bot in bots}

    monkeypatch.setattr(world.services.ratings, "ratings", ratings)
    shown = re.findall(r'data-match="(\w+)"', visitor.page("/tv"))
    assert shown == [rows[1], rows[2], rows[0]]
    assert re.findall(r'data-match="(\w+)"', visitor.page("/tv?game=king")) == [rows[1]]
    assert visitor.get("/tv?game=chess").status_code == 400


def test_a_ladder_is_a_channel(world: ApiWorld, visitor: Visitor, played: Played) -> None:
    other = started(world, "durak")
    page = visitor.page(f"/tv?ladder={played.ladder}")
    assert other not in page
    assert set(re.findall(r'data-match="(\w+)"', page)) <= set(re.findall(r"/matches/(\w+)", page))
    assert f"/matches/{played.match}" in page
    assert f"/tv?ladder={played.ladder}" in visitor.page(f"/ladders/{played.ladder}")
    assert visitor.get("/tv?ladder=lnothing").status_code == 404


def test_a_hidden_group_appears_everywhere_once_it_is_over(world: ApiWorld, visitor: Visitor) -> None:
    owners = [world.owner(), world.owner()]
    bots = [world.bot(owner) for owner in owners]
    running, ladder = hidden_round(world, owners, bots)
    pages = ("/", "/tv", f"/tv?ladder={ladder}", "/matches", f"/matches?ladder={ladder}")
    matches: set[str] = set()
    readers = [visitor, *(signed_in(world, owner) for owner in owners)]
    while running:
        matches.update(running)
        shown = [each.page(path) for path in pages for each in (readers if path == "/tv" else readers[:1])]
        assert not [match for page in shown for match in matches if match in page]
        world.services.referee.resign(running[0], bots[0].id)
        while world.services.rounds.work(ladder, 1):
            pass
        running = [turn["match"] for bot in bots * 2 for turn in bot("GET", "/v1/turns").json["turns"]]
    assert len(matches) == 2
    for path in pages:
        page = visitor.page(path)
        assert [match for match in matches if match not in page] == [], path
    standings = visitor.page(f"/ladders/{ladder}").split("<tbody>")[1]
    assert [bot.name for bot in bots if bot.name not in standings] == []
    assert re.findall(r'<td class="n">(\d+)</td>', standings).count("2") >= 2, (
        "both matches of each bot count"
    )


def test_a_guest_is_not_shown(world: ApiWorld, visitor: Visitor) -> None:
    answer = visitor.send(
        "/play?game=durak&seats=2", "/play", {"game": "durak", "seats": 2, "level1": "greedy"}
    )
    match = answer.headers["Location"].rpartition("/")[2]
    assert world.client.get(f"/v1/matches/{match}").json["status"] == "running"
    assert match not in visitor.page("/tv")
    for path in ("/", "/matches", "/matches?bot=house/greedy", "/bots/house/greedy"):
        assert match not in Visitor(world.app.test_client()).page(path)
    assert match in visitor.page("/play")


def test_the_home_page_plays_the_last_match_that_everybody_may_see(
    world: ApiWorld, visitor: Visitor, hidden: tuple[list[Person], list[str], str]
) -> None:
    assert "kozyr-table" not in visitor.page("/"), "all matches are hidden"
    bot, match = a_match(world)
    play(bot, match)
    page = visitor.page("/")
    (table,) = [attributes for tag, attributes in Elements(page).found if tag == "kozyr-table"]
    data = json.loads(str(table["data-table"]))
    assert data["plays"]
    assert data["frames"]
    assert f'<h2 id="in-motion"><a href="/matches/{match}">' in page
