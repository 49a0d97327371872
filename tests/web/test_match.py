"""The page of a match: the linked place as text, the data of the card table, and who may see what."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from engine.registry import GAMES
from records.page.words import INDICES, WORDS, TableText
from tests.api.conftest import ApiWorld, Person
from tests.web.conftest import LANGUAGES, Elements, Visitor
from web.languages import languages

QUICK = {"move_ms": 60_000, "bank_ms": 60_000}
NOTE = "<b>держу</b> & 'ace'"


def a_match(world: ApiWorld, game: str = "durak", **more: Any) -> tuple[Person, str]:
    """A running match of a bot against random house bots."""
    bot = world.bot()
    seats = [bot.name, *["house/random"] * (min(GAMES[game].seat_counts) - 1)]
    body = {"game": game, "seats": seats, "clock": QUICK, "dealer": 0, **more}
    match = bot("POST", "/v1/matches", body).json["id"]
    return bot, match


def play(bot: Person, match: str, moves: int = 1000, note: str = "") -> None:
    """Make the first legal move, with a note on each, until the match is over."""
    for _ in range(moves):
        turns = bot.turns()
        if not turns:
            return
        bot.move(turns[0], **({"note": note} if note else {}))


def data_of(page: str) -> dict[str, Any]:
    (table,) = [attributes for tag, attributes in Elements(page).found if tag == "kozyr-table"]
    found: dict[str, Any] = json.loads(table["data-table"] or "")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", list(GAMES))
def test_every_game_has_a_page_that_reads_without_scripts(
    world: ApiWorld, visitor: Visitor, game: str, language: str
) -> None:
    bot, match = a_match(world, game)
    play(bot, match, note=NOTE)
    visitor.language = language
    page = visitor.page(f"/matches/{match}?deal=1&move=3")
    assert NOTE in html.unescape(page)
    assert "<b>держу" not in page
    data = data_of(page)
    assert (data["all"], data["live"], data["deal"], data["move"]) == (True, False, 1, 3)
    assert page.count('class="kt-cards"') == len(data["seats"])
    assert 'aria-current="step"' in page
    assert "deal=1&amp;move=2" in page
    assert "deal=1&amp;move=4" in page
    assert GAMES[game].title[language] in html.unescape(page)
    shown = "10" if language == "en" else "Т"
    assert re.search(rf"\b{shown}[♣♦♥♠]", page)


def test_points_have_a_name_and_a_minus_sign() -> None:
    words = TableText(languages()["en"], ["one/bot", "another/bot"])
    over = {"type": "match_over", "ending": "rules", "scores": [-4, 4]}
    assert (
        words.event(over) == "The match is over (played to the end): one/bot \N{MINUS SIGN}4, another/bot 4"
    )
    over = {"type": "deal_over", "deal": 2, "returns": [0, -1]}
    assert words.event(over) == "Deal 2 is over: one/bot 0, another/bot \N{MINUS SIGN}1"


def test_the_steps_of_a_match_lead_to_its_end_and_back(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    play(bot, match)
    events = world.client.get(f"/v1/matches/{match}/events").json["events"]
    last = sum(event["type"] == "move" for event in events)
    page = visitor.page(f"/matches/{match}?deal=1&move={last}")
    assert '<a href="?deal=1&amp;move=end" rel="next">' in page
    assert "<h2>deal 1, end of the match" not in page
    page = visitor.page(f"/matches/{match}?deal=1&move=end")
    assert f'<a href="?deal=1&amp;move={last}" rel="prev">' in page
    assert 'rel="next"' not in page
    assert "<h2>deal 1, end of the match" in page
    assert data_of(page)["move"] == "end"


def test_a_place_that_does_not_exist_shows_the_nearest(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    play(bot, match)
    for query in ("deal=99", "deal=1&move=9999", "deal=-1", "move=x", "seat=7", "deal=1&move=99999999999"):
        assert visitor.get(f"/matches/{match}?{query}").status_code == 200


def test_a_running_match_shows_spectators_no_hand_and_no_note(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    play(bot, match, 2, "secret plan")
    page = visitor.page(f"/matches/{match}?seat=0")
    hand = bot("GET", f"/v1/matches/{match}").json["observation"]["hand"]
    text = TableText(languages()["en"], [])
    known = bot("GET", f"/v1/matches/{match}").json["observation"]["known"][0]
    for card in set(hand) - set(known):
        cards = re.findall(r'class="kt-cards">([^<]*)<', page)
        assert text.card(card) not in " ".join(cards)
    assert "secret plan" not in page
    data = data_of(page)
    assert (data["live"], data["all"], data["seat"]) == (True, False, None)


@pytest.mark.parametrize(
    ("game", "move", "english", "russian"),
    [
        ("durak", "beat 7H TH", "beats 7♥ with 10♥", "бьёт 7♥ картой 10♥"),
        ("kryt", "beat TH 6C", "beats with 10♥, leads 6♣", "бьёт картой 10♥, ходит 6♣"),
        ("svoi_kozyri", "beat TH", "beats with 10♥", "бьёт картой 10♥"),
        ("durak", "throw 7C 7D", "throws in 7♣ 7♦", "подкидывает 7♣ 7♦"),
    ],
)
def test_a_move_says_which_card_beats_the_other(game: str, move: str, english: str, russian: str) -> None:
    found = [TableText(languages()[code], [], game=game).move(move) for code in ("en", "ru")]
    assert found == [english, russian]
    text = TableText(languages()["ru"], [])
    assert [text.card(card) for card in ("TH", "JC", "QD", "KS", "AS")] == ["10♥", "В♣", "Д♦", "К♠", "Т♠"]
    assert set(INDICES) == set(LANGUAGES)


def test_a_match_that_has_not_started_says_so(world: ApiWorld, visitor: Visitor) -> None:
    bot = world.bot()
    match = bot("POST", "/v1/matches", {"game": "durak", "seats": [bot.name, None]}).json["id"]
    assert "The match has not started." in visitor.page(f"/matches/{match}")


@pytest.mark.parametrize("path", ["/matches/nothing", "/matches/00" + "a" * 26, "/groups/nothing/compare"])
def test_what_does_not_exist_is_not_found(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).status_code == 404


def test_only_the_embedded_table_may_stand_in_other_sites(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    play(bot, match, 1)
    policy = visitor.get(f"/matches/{match}").headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    embedded = visitor.get(f"/matches/{match}/embed")
    assert "frame-ancestors *" in embedded.headers["Content-Security-Policy"]
    assert data_of(embedded.text)["address"] == f"/matches/{match}/embed"


def test_every_word_of_the_table_is_translated() -> None:
    russian = languages()["ru"].messages
    same = {text for text in WORDS.values() if russian.gettext(text) == text}
    assert same <= {"{rank} {suit}"}
    places = re.compile(r"\{\w+\}")
    for text in WORDS.values():
        assert sorted(places.findall(text)) == sorted(places.findall(russian.gettext(text))), text


@pytest.mark.parametrize("game", list(GAMES))
def test_every_move_and_question_of_a_game_has_a_word(game: str) -> None:
    assert {f"move {verb}" for verb in GAMES[game].verbs} <= set(WORDS)


def test_thoughts_are_shown_as_plain_text_once_the_match_is_over(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    turn = world.turn(bot)
    bot("POST", f"/v1/matches/{match}/moves", {"turn": turn["turn"], "move": "castle"})
    world.services.statistics.flush()
    bot.move(turn, facts={"thoughts": "<script>alert(1)</script>\n**bold**", "cost_micro_usd": 2500})
    pages = [f"/matches/{match}?deal=1&move={number}" for number in range(4)]
    assert not any("alert" in visitor.page(each) for each in pages)
    play(bot, match)
    found = [page for page in map(visitor.page, pages) if "alert" in page]
    assert len(found) == 1
    assert ">&lt;script&gt;alert(1)&lt;/script&gt;\n**bold**</div>" in found[0]
    reported = found[0].partition("<caption>What the bots reported</caption>")[2]
    assert re.findall(r'class="n">([\d.]+)</td>', reported) == ["1", "0", "0", "0", "0.0025"]
    assert data_of(found[0])["facts"] == f"/v1/matches/{match}/facts"
