"""A move with a blank before or after its text is refused with a sentence that says so."""

from __future__ import annotations

import random

import pytest

from engine.game import Game, NotAMove
from engine.match import Match
from engine.registry import GAMES


@pytest.mark.parametrize(
    "game", [kind.table(kind.seat_counts[0], {}) for kind in GAMES.values()], ids=lambda game: game.id
)
@pytest.mark.parametrize(
    ("form", "where"), [("{} ", "end"), (" {}", "beginning"), ("{}\n", "end"), (" {} ", "end")]
)
def test_a_blank_around_a_move_is_named(game: Game, form: str, where: str) -> None:
    match = Match(game)
    deck = list(game.pack)
    random.Random(1).shuffle(deck)
    state = match.deal(match.begin(), deck)
    move = match.legal_texts(state, state.to_move)[0]
    with pytest.raises(NotAMove, match=f"has a blank at its {where}"):
        match.parse(state, state.to_move, form.format(move))
