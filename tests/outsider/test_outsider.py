"""The engine agrees with somebody who has only read the rules: who is asked, all legal moves, what is drawn and seen,
scores, and who deals next."""

from __future__ import annotations

import itertools

import pytest

from engine.registry import GAMES
from tests.outsider.compare import OUTSIDERS, playouts


def agreed(name: str, moves: int, seed: int) -> None:
    made = 0
    for seen in playouts(name, seed):
        made += seen["moves"]
        if made >= moves:
            return


def test_every_game_has_an_outsider() -> None:
    assert OUTSIDERS.keys() == GAMES.keys()


@pytest.mark.parametrize("name", list(OUTSIDERS))
def test_the_engine_and_the_outsider_agree_in_random_matches(name: str) -> None:
    agreed(name, moves=1500, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "seed"), list(itertools.product(OUTSIDERS, range(4))))
def test_they_agree_in_a_quarter_of_a_million_moves_of_each_game(name: str, seed: int) -> None:
    agreed(name, moves=62_500, seed=100 + seed)
