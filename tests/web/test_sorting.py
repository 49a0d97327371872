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
    ladders, entries = world.services.ladders, f"/ladders/{played.ladder}/entries"
    ladders.withdraw(played.ladder, "house-random")
    assert bots(visitor.page(entries)) == ["house/greedy", "house/random"]
    assert bots(visitor.page(f"{entries}?sort=withdrawn")) == ["house/random", "house/greedy"]
    entered = [(-each.entered, each.name) for each in ladders.entries(played.ladder, withdrawn=True)]
    assert bots(visitor.page(f"{entries}?sort=entered")) == [name for _, name in sorted(entered)]
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_bots_are_sorted_by_matches_and_by_the_last_one(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    visitor.language = language
    owner = world.owner()
    often, lately, idle = (world.bot(owner) for _ in range(3))
    for bot in (often, often, lately):
        world.services.referee.store.heartbeat()  # else service time may stand still
        world.match(bot)
        bot("POST", f"/v1/matches/{world.turn(bot)['match']}/resign")
    running = world.match(idle)["id"]
    idle("GET", "/v1/turns")
    page = visitor.page("/bots")
    well_formed(page, language)
    assert {"house/greedy", often.name, lately.name, idle.name} <= set(bots(page))
    cells = {name: re.findall(r'<td class="n">(\d+|–)</td>', row)[0] for name, row in rows(page).items()}
    assert (cells[often.name], cells[lately.name], cells[idle.name]) == ("2", "1", "0")
    assert cells["house/greedy"] == "–"
    for sort, expected in (("games", [often, lately]), ("seen", [lately, often])):
        path = f"/bots?sort={sort}"
        assert f'href="{path}"' in page
        found = visitor.page(path)
        assert bots(found) == [bot.name for bot in expected]
        assert found.count("aria-sort=") == 1
        assert bots(visitor.page(f"{path}&owner={owner.name}"))[:2] == bots(found)
        with monkeypatch.context() as patch:
            patch.setattr("web.views.bots._ROWS", 1)
            (first,) = re.findall(r'rel="next" href="([^"]+)"', visitor.page(path))
            assert bots(visitor.page(first.replace("&amp;", "&"))) == [expected[1].name]
    assert visitor.get("/bots?sort=luck").status_code == 400
    world.services.referee.store.heartbeat()
    idle("POST", f"/v1/matches/{running}/resign")
    assert bots(visitor.page("/bots?sort=seen"))[0] == idle.name


def rows(page: str) -> dict[str, str]:
    """Return the rows of the first table by bot."""
    found = page.partition("<tbody>")[2].partition("</tbody>")[0].split("</tr>")
    return {name: row for row in found for name in re.findall(r'href="/bots/([^"]+)"', row)}
