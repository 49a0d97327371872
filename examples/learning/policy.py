"""A policy for Durak that learns: a weight for each feature of a move, and a softmax over the legal moves.

It needs an observation and its legal moves, and nothing else, so the same policy plays in an environment and online.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RANKS = "23456789TJQKA"

Features = dict[str, float]


class Policy:
    """Weights by the name of a feature. A feature without a weight counts for nothing."""

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        self.weights = dict(weights or {})

    @classmethod
    def load(cls, path: Path) -> Policy:
        """Return the policy in a file that `save` wrote."""
        return cls(json.loads(path.read_text(encoding="utf-8"))["weights"])

    def save(self, path: Path) -> None:
        """Write the weights as JSON."""
        rounded = {name: round(value, 4) for name, value in sorted(self.weights.items())}
        path.write_text(json.dumps({"game": "durak", "weights": rounded}, indent=1) + "\n", encoding="utf-8")

    def best(self, seen: Mapping[str, Any], moves: Sequence[str]) -> str:
        """Return the move with the highest score, the first of equals."""
        return max(moves, key=lambda move: self.score(features(seen, move)))

    def draw(self, seen: Mapping[str, Any], moves: Sequence[str], rng: random.Random) -> tuple[str, Features]:
        """Return a move drawn by the softmax of the scores, and the gradient of its log-probability."""
        found = [features(seen, move) for move in moves]
        scores = [self.score(each) for each in found]
        highest = max(scores)
        chances = [math.exp(score - highest) for score in scores]
        total = sum(chances)
        (at,) = rng.choices(range(len(moves)), chances)
        gradient = dict(found[at])
        for each, chance in zip(found, chances, strict=True):
            for name, value in each.items():
                gradient[name] = gradient.get(name, 0.0) - value * chance / total
        return moves[at], gradient

    def score(self, found: Features) -> float:
        """Return the weighted sum of these features."""
        return sum(self.weights.get(name, 0.0) * value for name, value in found.items())


def features(seen: Mapping[str, Any], move: str) -> Features:
    """Return what a move does, by the phase of the deal and the kind of the move, in numbers of about 1."""
    verb, *cards = move.split()
    phase = "late" if seen["talon"] == 0 else "early" if seen["talon"] > 6 else "middle"
    mine = [card for card in cards if card in seen["hand"]]
    found = {f"{verb} {phase}": 1.0}
    if verb in ("take", "pass"):
        on_table = sum(1 if beaten is None else 2 for _, beaten in seen["pairs"])
        found[f"{verb} {phase} table"] = on_table / 6
        found[f"{verb} {phase} hand"] = len(seen["hand"]) / 6
        return found
    if seen["taking"]:
        verb = "add"
    for card in mine:
        place = f"{verb} {phase}"
        found[f"{place} rank"] = found.get(f"{place} rank", 0.0) + RANKS.index(card[0]) / 12
        if card[1] == seen["trump"]:
            found[f"{place} trump"] = found.get(f"{place} trump", 0.0) + 1.0
            found[f"{place} trump rank"] = found.get(f"{place} trump rank", 0.0) + RANKS.index(card[0]) / 12
        others = sum(other[0] == card[0] for other in seen["hand"]) - 1
        found[f"{place} pair"] = found.get(f"{place} pair", 0.0) + others / 2
    return found
