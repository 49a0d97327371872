"""The node counts cover every number of seats and every value of every option of every game, and are correct."""

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
def test_the_node_counts_are_unchanged(path: Path, game: Game) -> None:
    assert path.exists(), f"{path.name} is missing: {WRITE}"
    table, places = read(path.read_text(encoding="utf-8"))
    assert table == table_text(game), f"{path.name} is of another table: {WRITE}"
    assert {place.number for place, _ in places} == set(range(1, (game.fixed_deals or 1) + 1))
    assert any(count.ended for _, found in places for count in found)
    for place, found in places:
        assert found, "a position without a count"
        assert counts(game, place.state(game), len(found)) == found, place


def test_every_node_count_file_belongs_to_a_table() -> None:
    assert set(FOLDER.glob("*.txt")) <= {path for path, _ in WANTED}


def test_node_counts_agree_with_a_count_by_hand() -> None:
    # Three cards each: seat 1 leads one of three. If it leads 6C or 8C, seat 0 may beat with 7C, TC or QC and play
    # one of its two other cards on top, or pick up.
    game = GAMES["kryt"].table(2, {"trumps": "fixed"})
    deck = deck_for(game, 0, {0: "7C TC QC", 1: "6C 8C KC"}, each=3)
    lead, answer = counts(game, game.deal(1, 0, deck), 2)
    assert lead == Count(3, 0)
    assert answer == Count((3 * 2 + 1) + (2 * 2 + 1) + 1, 0)
