"""Fit the weights of a contract of King: those with which a player gains most among three that play as `greedy`.

    python -m tests.bots.fit_king CONTRACT [TRIES DECKS]

CONTRACT is 1 to 12. A random change of a few weights is kept if it gains points in the same decks. This prints the
weights in the order of `bots.search.policies._king`, and their lead in fresh decks. With the compiled rules (`make
compiled`) it takes some minutes.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from collections.abc import Sequence
from typing import Any

from bots.search.policies import POLICIES
from bots.search.policies._king import KingDeal, terms_of
from engine.game import NOBODY
from engine.registry import GAMES

GAME = GAMES["king"].table(4, {})


def begun(contract: int, decks: int, seed: int) -> list[Any]:
    """Return deals after their declaration."""
    rng = random.Random(seed)
    player = POLICIES["king"].player(GAME, rng)
    states = [GAME.deal(contract, n % 4, rng.sample(GAME.pack, len(GAME.pack))) for n in range(decks)]
    return [
        GAME.play(state, state.to_move, player(state)) if state.terms.stock else state for state in states
    ]


def leads(states: Sequence[Any], weights: Sequence[float]) -> list[float]:
    """Return by deck the lead of a player with these weights, who plays it once in each seat."""
    terms = {terms_of(state.terms.contract, state.terms.trump, True) for state in states}
    for each in terms:
        each.weights[:] = weights
    return [statistics.fmean([_lead(state, seat) for seat in range(4)]) for state in states]


def _lead(state: Any, seat: int) -> float:
    while state.to_move != NOBODY:
        card = KingDeal(state, fitted=state.to_move == seat).card()
        state = GAME.play(state, state.to_move, card)
    points = GAME.returns(state)
    return points[seat] - (sum(points) - points[seat]) / 3


def fit(contract: int, tries: int, decks: int) -> None:
    """Climb from the weights of `greedy`, and print what was found."""
    rng, states = random.Random(contract), begun(contract, decks, contract)
    best = list(terms_of(states[0].terms.contract, states[0].terms.trump, False).weights)
    highest = 0.0
    width = 3.0 if contract in (7, 12) else 0.5
    for _ in range(tries):
        tried = list(best)
        for place in rng.sample(range(len(best)), rng.choice((1, 1, 2, 3, 5))):
            tried[place] += rng.gauss(0, width)
        lead = statistics.fmean(leads(states, tried))
        if lead > highest:
            best, highest = tried, lead
    fresh = leads(begun(contract, decks, 1000 + contract), best)
    interval = 1.96 * statistics.stdev(fresh) / math.sqrt(len(fresh))
    print([round(weight, 2) for weight in best], f"{statistics.fmean(fresh):+.2f} ± {interval:.2f}")


if __name__ == "__main__":
    fit(int(sys.argv[1]), *map(int, sys.argv[2:] or (300, 1000)))
