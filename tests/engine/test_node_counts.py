"""Every number of seats and every value of every option of every registered game has its node counts, and they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game import Game
from engine.registry import GAMES
from tests.engine.dealing import deck_for
from tests.engine.node_counts import FOLDER, Count, counts, read, table_text, wanted

WANTED = list(wanted())
WRITE = "`python -m tests.engine.write_node_counts` writes it; look at what has changed before you commit"


@pytest.mark.parametrize(("path", "game"), WANTED, ids=[path.stem for path, _ in WANTED])
def test_there_are_as_many_sequences_of_moves_as_there_were(path: Path, game: Game) -> None:
    assert path.exists(), f"{path.name} is missing: {WRITE}"
    table, places = read(path.read_text(encoding="utf-8"))
    assert table == table_text(game), f"{path.name} is of another table: {WRITE}"
    assert {place.number for place, _ in places} == set(range(1, (game.fixed_deals or 1) + 1))
    assert any(count.ended for _, found in places for count in found)
    for place, found in places:
        assert found, "a position without a count"
        assert counts(game, place.state(game), len(found)) == found, place


def test_there_are_no_counts_of_a_table_that_is_gone() -> None:
    assert set(FOLDER.glob("*.txt")) <= {path for path, _ in WANTED}


def test_sequences_are_counted_on_fingers() -> None:
    # Three cards each: seat 1 leads one of three, and if 6C or 8C is led, 7C, TC or QC of seat 0 may beat it and one
    # of the two other cards is played on it; or seat 0 picks up.
    game = GAMES["kryt"].table(2, {"trumps": "fixed"})
    deck = deck_for(game, 0, {0: "7C TC QC", 1: "6C 8C KC"}, each=3)
    lead, answer = counts(game, game.deal(1, 0, deck), 2)
    assert lead == Count(3, 0)
    assert answer == Count((3 * 2 + 1) + (2 * 2 + 1) + 1, 0)


def test_free_moves_are_counted_whoever_makes_them() -> None:
    game = GAMES["kryt"].table(2, {})
    held, nobody = (
        deck_for(game, 0, {0: six, 1: "7C 8C 9C"}, turned_up="AD", each=3) for six in ("6D 7D 8D", "6C 7D 8D")
    )
    assert counts(game, game.deal(1, 0, held), 1) == [Count(4, 0)]
    assert counts(game, game.deal(1, 0, nobody), 1) == [Count(3, 0)]


def test_counting_stops_where_there_would_be_too_many() -> None:
    game = GAMES["king"].table(4, {})
    assert counts(game, game.deal(1, 0, game.pack), 9, most=7) == []
    assert len(counts(game, game.deal(1, 0, game.pack), 9, most=8)) == 1
