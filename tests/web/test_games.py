"""The page of a game: its rules, and an example deal to step through."""

from __future__ import annotations

import re

import pytest

from engine.registry import GAMES
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_match import data_of
from web.sample import sample_deal


@pytest.mark.parametrize("game", list(GAMES))
def test_an_example_deal_is_one_whole_deal_with_all_hands(game: str) -> None:
    deal = sample_deal(game)
    assert {frame.observation["deal"] for frame in deal.frames} == {1}
    assert [event["type"] for event in deal.frames[-1].events].count("deal_over") == 1
    assert all(len(frame.observation["hands"]) == len(deal.seats) for frame in deal.frames[1:-1])
    sample_deal.cache_clear()
    assert sample_deal(game) == deal, "it is the same in every process"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", list(GAMES))
def test_the_example_deal_reads_without_scripts(visitor: Visitor, game: str, language: str) -> None:
    visitor.language = language
    page = visitor.page(f"/games/{game}?deal=1&move=3&seat=1")
    data = data_of(page)
    assert (data["address"], data["deal"], data["move"], data["seat"]) == (f"/games/{game}", 1, 3, 1)
    assert len(data["frames"]) == len(sample_deal(game).frames)
    (current,) = re.findall(r'aria-current="step"><span class="kt-no">(\d+)', page)
    assert current == "3"
    assert "deal=1&amp;move=2&amp;seat=1" in page
    assert {"en": "An example deal", "ru": "Пример сдачи"}[language] in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", list(GAMES))
def test_a_page_explains_the_game_in_a_minute_before_its_rules(
    visitor: Visitor, game: str, language: str
) -> None:
    visitor.language = language
    page = visitor.page(f"/games/{game}")
    minute, _, rest = page.partition('<h2 id="minute">')[2].partition("</section>")
    assert len(re.findall("<li>.{20,}</li>", minute)) >= 4
    assert '<article class="prose rules">' in rest
    for path in ("/games", "/"):
        card = visitor.page(path).partition(f"/games/{game}/preview.png")[2].partition("</li>")[0]
        assert re.search(r"<p>\S.{20,}</p>", card), path
