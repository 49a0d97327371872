"""The expected points of a deal that is not over, from the burdens of its hands.

A burden is a sum over the cards of a hand. The side with the greatest burden is the most likely to lose: the
probabilities are in proportion to the exponentials of the burdens. The weights were fitted to deals of the playout
policy against itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from engine.game import Game


def expected(game: Game, burdens: Sequence[float]) -> list[float]:
    """Return the expected points by seat, from the burdens by seat."""
    sides = game.sides
    totals = [0.0] * (max(sides) + 1)
    for side, burden in zip(sides, burdens, strict=True):
        totals[side] += burden
    highest = max(totals)
    odds = [exp(total - highest) for total in totals]
    whole = sum(odds)
    return [-odds[side] / whole for side in sides]
