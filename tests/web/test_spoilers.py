"""Matches without their results: a switch that the browser keeps, in lists and on the page of a match."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Played, Visitor
from tests.web.test_linked import facts_of
from tests.web.test_match import a_match, data_of, play
from tests.web.test_pages import well_formed

TOLD = re.compile(r"wins|is the fool|played to the end|Победа|в дураках|доигран")

LISTED = re.compile(r"(random|bot-\d+) (wins|is the fool)|finished, |class=\"n(?: good)?\">(0|−1)<")
"""What lists tell; the pages around them explain what a fool is."""


def shown(page: str) -> str:
    """Return what a page shows without scripts: without hidden elements and data."""
    page = re.sub(r"data-table='[^']*'", "", page)
    return re.sub(r"<(div|p)[^>]* data-result hidden.*?</\1>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
def test_nothing_says_how_a_match_ended_until_its_end_is_shown(
    world: ApiWorld, visitor: Visitor, language: str
) -> None:
    bot, match = a_match(world)
    play(bot, match)
    visitor.language = language
    path = f"/matches/{match}"
    assert TOLD.search(shown(visitor.page(path)))
    page = visitor.page(f"{path}?deal=1&move=3&spoilers=no")
    well_formed(page, language)
    assert not TOLD.search(shown(page))
    assert not TOLD.search(" ".join(facts_of(page).values()))
    assert data_of(page)["hides"] is True
    assert page.count('class="kt-move"') == 3, "the list doesn't say how long the match was"
    end = visitor.page(f"{path}?deal=1&move=end")
    assert TOLD.search(shown(end))
    assert data_of(end)["hides"] is False
    for embedded in (f"{path}/embed", path):
        assert not TOLD.search(shown(visitor.page(embedded))), "the browser keeps the choice"
    assert TOLD.search(shown(visitor.page(f"{path}?spoilers=yes")))
    assert TOLD.search(shown(visitor.page(path)))


@pytest.mark.parametrize("path", ["/matches", "/", "/tv", "/bots/{bot}"])
def test_lists_of_matches_offer_to_hide_results(world: ApiWorld, visitor: Visitor, path: str) -> None:
    bot, match = a_match(world)
    play(bot, match)
    path = path.format(bot=bot.name)
    page = visitor.page(path)
    assert LISTED.search(shown(page))
    assert f'href="{path}?spoilers=no">Hide results</a>' in page
    page = visitor.page(f"{path}?spoilers=no")
    assert not LISTED.search(shown(page))
    assert "None" not in page
    assert f'href="{path}?spoilers=yes">Show results</a>' in page
    assert f'href="/matches/{match}"' in page
    assert f'href="{path}?spoilers=yes"' in visitor.page(path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_standings_and_rounds_are_folded(visitor: Visitor, played: Played, language: str) -> None:
    visitor.language = language
    ladder, told = f"/ladders/{played.ladder}", "house/greedy"
    assert told in outside(visitor.page(ladder))
    for part in ("", "/cross", "/rounds", "/rounds/1", "/seasons"):
        page = visitor.page(f"{ladder}{part}?spoilers=no")
        well_formed(page, language)
        assert told not in outside(page), part
        assert f'href="{ladder}{part}?spoilers=yes"' in page
    for part in ("/entries", "/schedule"):
        assert "spoilers=yes" not in visitor.page(ladder + part)
    for spoilers in ("no", "yes"):
        home = visitor.page(f"/home?spoilers={spoilers}")
        card = home[home.index(ladder) :].partition("</div>")[0]
        assert (told in card) == (spoilers == "yes"), "the home page names leaders"


def outside(page: str) -> str:
    """Return the main part of a page without what is folded."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return re.sub(r"<details>.*</details>", "", main, flags=re.DOTALL)


def test_a_running_match_hides_nothing(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    play(bot, match, 2)
    page = visitor.page(f"/matches/{match}?spoilers=no")
    assert data_of(page)["hides"] is False
