"""Puzzles: the positions of the endgame sets as pages, answered without scripts."""

from __future__ import annotations

import re

import pytest

from bots.solver import MOST_NODES
from engine.game import NOBODY
from records.endings.lines import is_puzzle, lines_of
from records.endings.model import ExactEnding
from records.endings.sets import NAMES, endings_of
from records.endings.study import solved
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_linked import ORIGIN, size_of
from tests.web.test_match import data_of
from tests.web.test_pages import well_formed
from web.views.puzzles import number_of


def address_of(ending: ExactEnding) -> str:
    return f"/puzzles/{ending.set}/{number_of(ending)}"


def answer(visitor: Visitor, ending: ExactEnding, move: str) -> str:
    """Return the page after a move, sent by the form."""
    page = visitor.page(address_of(ending))
    assert f'<form method="get" action="{address_of(ending)}">' in page
    assert f'<button name="move" value="{move}">' in page
    return visitor.page(f"{address_of(ending)}?move={move.replace(' ', '+')}")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_right_and_a_wrong_move_get_their_verdicts(visitor: Visitor, name: str, language: str) -> None:
    visitor.language = language
    well_formed(visitor.page(f"/puzzles/{name}"), language)
    ending = endings_of(name)[7]
    wrong = min(ending.values, key=ending.values.__getitem__)
    for move, verdict in ((ending.best[0], "yes"), (wrong, "no")):
        page = answer(visitor, ending, move)
        well_formed(page, language)
        assert f'data-is-right="{verdict}"' in page
        assert "<kozyr-play" not in page
        shown = page.partition('class="ending-line"')[2].partition("</ol>")[0].count("<li>")
        assert shown >= 1 + len(lines_of(ending).lines[move])


def test_the_table_of_a_puzzle_shows_all_hands_and_nothing_after_the_position(visitor: Visitor) -> None:
    ending = endings_of("durak-1")[16]
    data = data_of(visitor.page(address_of(ending)))
    last = {}
    for frame in data["frames"]:
        last = frame.get("observation") or {**last, **frame["changes"]}
    assert last["hands"][ending.seat] == last["hand"]
    assert all(len(hand) == size for hand, size in zip(last["hands"], last["hand_sizes"], strict=True))
    assert set(last["legal_moves"]) == set(ending.values)
    assert data["you"] == ending.seat


@pytest.mark.parametrize("name", NAMES)
def test_each_line_of_best_play_leads_to_the_value_of_its_move(name: str) -> None:
    for ending in endings_of(name):
        table, lines = ending.table, lines_of(ending)
        assert lines.greedy in ending.values
        assert set(lines.lines) == set(ending.values)
        for first, value in ending.values.items():
            state = ending.state.deal
            for text in (first, *lines.lines[first]):
                legal = {table.text(state, move): move for move in state.legal}
                state = table.play(state, state.to_move, legal[text])
            if state.to_move != NOBODY:
                assert value == 0, f"{ending.id}: {first} ends nowhere"
                continue
            points = table.returns(state)
            others = [
                points[seat] for seat, side in enumerate(table.sides) if side != table.sides[ending.seat]
            ]
            lead = 0 if ending.game == "king" else others[0]
            assert points[ending.seat] - lead == value, f"{ending.id}: {first}"


@pytest.mark.parametrize("name", NAMES)
def test_the_turn_limit_is_no_part_of_the_values(name: str) -> None:
    for ending in endings_of(name)[::8]:
        table, state = ending.table, ending.state.deal
        if "turn_limit" in table.options:
            late = state._replace(moves=table.options["turn_limit"] - 2)
            found = solved(table, late, MOST_NODES)
            assert found is not None
            assert found.values == ending.values, ending.id


def test_a_random_puzzle_has_one_best_move_that_greedy_misses(visitor: Visitor) -> None:
    for query in ("", "?set=durak-1"):
        found = visitor.get(f"/puzzles/random{query}").headers["Location"]
        name, number = re.fullmatch(r"/puzzles/([\w-]+)/(\d+)", found).groups()  # type: ignore[union-attr]
        assert is_puzzle(endings_of(name)[int(number) - 1])
    assert visitor.get("/puzzles/random?set=besikovich-1").status_code == 303


@pytest.mark.parametrize(
    "path", ["poker-1", "durak", "durak-1/0", "durak-1/121", "durak-1/-1", "random?set=x"]
)
def test_unknown_puzzles_are_not_found(visitor: Visitor, path: str) -> None:
    assert visitor.get(f"/puzzles/{path}").status_code == 404


def test_an_illegal_answer_asks_again(visitor: Visitor) -> None:
    page = visitor.page("/puzzles/durak-1/17?move=%3Cb%3E")
    assert "<kozyr-play" in page
    assert "<b>" not in page


def test_puzzles_are_linked_and_have_pictures(visitor: Visitor) -> None:
    for path in ("/home", "/play", "/games/durak"):
        assert 'href="/puzzles"' in visitor.page(path)
    assert f"<loc>{ORIGIN}/puzzles/durak-1</loc>" in visitor.get("/sitemap.xml").text
    assert "Disallow: /puzzles/random\n" in visitor.get("/robots.txt").text
    assert f"{ORIGIN}/puzzles/king-1/3/preview.png" in visitor.page("/puzzles/king-1/3")
    assert size_of(visitor.get("/puzzles/king-1/3/preview.png").data) == (1200, 630)
