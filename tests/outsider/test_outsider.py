"""The engine agrees with the second implementation on questions, moves, draws, observations, scores and dealers."""

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


def test_every_game_has_a_second_implementation() -> None:
    assert OUTSIDERS.keys() == GAMES.keys()


@pytest.mark.parametrize("name", list(OUTSIDERS))
def test_both_implementations_agree_in_random_matches(name: str) -> None:
    agreed(name, moves=1500, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "seed"), list(itertools.product(OUTSIDERS, range(4))))
def test_both_implementations_agree_in_a_quarter_of_a_million_moves(name: str, seed: int) -> None:
    agreed(name, moves=62_500, seed=100 + seed)
