"""Standings and entries, sorted and searched by links and a form, without a script."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Elements, Played, Visitor
from tests.web.test_pages import well_formed


def bots(page: str) -> list[str]:
    """Return the bots of the first table."""
    return re.findall(r'href="/bots/([^"]+)"', page.partition("<tbody>")[2].partition("</tbody>")[0])


def test_standings_are_sorted_by_the_heads_of_their_columns(
    world: ApiWorld, visitor: Visitor, played: Played
) -> None:
    path = f"/ladders/{played.ladder}"
    page, rows = visitor.page(path), world.client.get(f"/v1{path}/standings").json["standings"]
    assert bots(page) == [row["bot"] for row in rows]
    links = [each for each in Elements(page).addresses() if each.startswith(f"{path}?sort=")]
    assert [each.partition("=")[2] for each in links] == ["name", "points", "matches", "wins", "rating"]
    for link in links:
        found = visitor.page(link)
        assert sorted(bots(found)) == ["house/greedy", "house/random"]
        assert found.count("aria-sort=") == 1
        assert f'href="{path}"' in found, "back to the places"
    by_wins = sorted(rows, key=lambda row: -row["wins"])
    assert bots(visitor.page(f"{path}?sort=wins")) == [row["bot"] for row in by_wins]
    assert bots(visitor.page(f"{path}?sort=name")) == ["house/greedy", "house/random"]
    assert visitor.get(f"{path}?sort=luck").status_code == 400


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["", "/entries"])
def test_a_bot_is_found_by_a_part_of_its_name(
    visitor: Visitor, played: Played, part: str, language: str
) -> None:
    visitor.language = language
    path = f"/ladders/{played.ladder}{part}"
    page = visitor.page(f"{path}?bot=rand&sort=name" if not part else f"{path}?bot=rand&sort=entered")
    well_formed(page, language)
    assert bots(page) == ["house/random"]
    assert '<input type="hidden" name="sort"' in page
    assert not bots(visitor.page(f"{path}?bot=nobody"))


def test_a_sorted_list_has_pages(
    world: ApiWorld, visitor: Visitor, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.views.ladders._ROWS", 1)
    for path, usual in (
        (f"/ladders/{played.ladder}", "wins"),
        (f"/ladders/{played.ladder}/entries", "withdrawn"),
    ):
        found, address = [], f"{path}?sort={usual}"
        for _ in range(2):
            page = visitor.page(address)
            found += bots(page)
            address = "".join(re.findall(r'rel="next" href="([^"]+)"', page)).replace("&amp;", "&")
        assert (sorted(found), address) == (["house/greedy", "house/random"], "")


def test_entries_are_sorted_by_their_instants(world: ApiWorld, visitor: Visitor, played: Played) -> None:
    ladder = world.services.ladders
    ladder.withdraw(played.ladder, "house-random")
    path = f"/ladders/{played.ladder}/entries"
    assert bots(visitor.page(path)) == ["house/greedy", "house/random"]
    assert bots(visitor.page(f"{path}?sort=withdrawn")) == ["house/random", "house/greedy"]
    entered = [(-each.entered, each.name) for each in ladder.entries(played.ladder, withdrawn=True)]
    assert bots(visitor.page(f"{path}?sort=entered")) == [name for _, name in sorted(entered)]
