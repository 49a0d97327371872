"""Learn King by self-play, and write the weights of the networks.

    python -m examples.learning.king.train --minutes 480 --seed 1 --out king.npz

Deep Monte Carlo: all four seats play the card with the highest value, and now and then a random one. After some deals
the value of each card played moves towards what followed: the points of its trick, and from there on a mix of the
network's own next value and the points taken.
"""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.king import PLAYERS, TRICKS
from examples.learning.king.network import SCALE, Weights, fresh, layers, load, provenance, save, values
from examples.learning.king.tables import CARDS, KINDS, DealKind, Floats, Ints, dealt

TRACE: Final = 0.8
"""The share of what came, against the network's own next value."""
BATCH: Final = 1024
SAVED_S: Final = 120

log = logging.getLogger(__name__)


class Lessons(NamedTuple):
    """Cards played, one a row."""

    features: NDArray[np.float16]
    cards: Ints
    targets: Floats


class _Choices(NamedTuple):
    """The choices at one card of all deals."""

    trick: int
    seats: Ints
    cards: Ints
    features: NDArray[np.float16]


def self_play(
    weights: Weights, kind: DealKind, deals: int, explore: float, rng: np.random.Generator
) -> Lessons:
    """Play deals and return what their choices teach."""
    tables = dealt(kind, deals, rng)
    values_of = np.empty((TRICKS, deals, PLAYERS), np.float32)
    taken = np.zeros((TRICKS, deals, PLAYERS), np.float32)
    made: list[_Choices] = []
    rows = np.arange(deals)
    for step in range(CARDS):
        trick, seat, legal = step // PLAYERS, tables.to_move, tables.legal()
        seen = tables.features(legal)
        scores = np.where(legal, values(weights, seen), -np.inf)
        values_of[trick, rows, seat] = scores.max(1)
        card = _chosen(scores, explore, rng)
        made.append(_Choices(trick, seat, card, seen.astype(np.float16)))
        tables.play(card)
        taken[trick] = tables.taken * (SCALE / kind.total)
    targets = _targets(np.diff(taken, axis=0, prepend=np.zeros_like(taken[:1])), values_of)
    return Lessons(
        np.concatenate([each.features for each in made]),
        np.concatenate([each.cards for each in made]),
        np.concatenate([targets[each.trick, rows, each.seats] for each in made]),
    )


def _chosen(scores: Floats, explore: float, rng: np.random.Generator) -> Ints:
    """Return by row the card with the highest score, or a random one."""
    at_random = np.where(np.isfinite(scores), rng.random(scores.shape, np.float32), -1).argmax(1)
    exploring = rng.random(len(scores)) < explore
    cards: Ints = np.where(exploring, at_random, scores.argmax(1))
    return cards


def _targets(points: Floats, values_of: Floats) -> Floats:
    """Return by trick, deal and seat the points taken from this trick on, mixed with the values of later choices."""
    targets = np.empty_like(points)
    following = np.zeros_like(points[0])
    for trick in reversed(range(TRICKS)):
        targets[trick] = points[trick] + following
        following = TRACE * targets[trick] + (1 - TRACE) * values_of[trick]
    return targets


class Learner:
    """The network of one kind of deal, and its optimizer: Adam on the squared error."""

    def __init__(self, kind: DealKind, weights: Weights, rng: np.random.Generator) -> None:
        self.kind, self.weights, self.deals = kind, weights, 0
        self._first = [np.zeros_like(weight) for weight in self.weights]
        self._second = [np.zeros_like(weight) for weight in self.weights]
        self._steps, self._rng = 0, rng

    def learn(self, deals: int, explore: float, rate: float) -> float:
        """Play deals, learn from each choice once, and return the mean squared error before."""
        lessons = self_play(self.weights, self.kind, deals, explore, self._rng)
        self.deals += deals
        order = self._rng.permutation(len(lessons.cards))
        errors = []
        for rows in np.array_split(order, max(1, len(order) // BATCH)):
            features = lessons.features[rows].astype(np.float32)
            gradients, error = _gradients(self.weights, features, lessons.cards[rows], lessons.targets[rows])
            self._step(gradients, rate)
            errors.append(error)
        return float(np.mean(errors))

    def _step(self, gradients: Weights, rate: float) -> None:
        self._steps += 1
        rate *= (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
        for weight, gradient, first, second in zip(
            self.weights, gradients, self._first, self._second, strict=True
        ):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            weight -= rate * first / (np.sqrt(second) + 1e-6)


def _gradients(weights: Weights, features: Floats, cards: Ints, targets: Floats) -> tuple[Weights, float]:
    """Return the gradients by backpropagation, and the mean squared error."""
    outs, rows = layers(weights, features), np.arange(len(cards))
    wrong = outs[-1][rows, cards] - targets
    back = np.zeros_like(outs[-1])
    back[rows, cards] = wrong / len(cards)
    found: Weights = []
    for nth in reversed(range(0, len(weights), 2)):
        into = outs[nth // 2]
        found[:0] = [into.T @ back, back.sum(0)]
        if nth:
            back = (back @ weights[nth].T) * (into > 0)
    return found, float((wrong * wrong).mean())


def train(asked: argparse.Namespace) -> None:
    """Learn for some minutes. The file is written every two minutes, so a run may be stopped at any time."""
    rng = np.random.default_rng(asked.seed)
    start = load(asked.start) if asked.start else {kind.name: fresh(asked.hidden, rng) for kind in KINDS}
    learners = {kind.name: Learner(kind, start[kind.name], rng) for kind in KINDS}
    began, spent, rounds, saved = time.monotonic(), 0.0, 0, 0.0
    while spent < 1:
        left = max(0.02, 1 - spent)
        errors = []
        for learner in learners.values():
            # Deals with trumps are the most frequent of a match, and misers are rare.
            chosen = learners["trumps"] if learner.kind.miser and rounds % 2 else learner
            errors.append(chosen.learn(asked.deals, asked.explore * left, asked.rate * left))
        rounds += 1
        passed = time.monotonic() - began
        spent = passed / max(60 * asked.minutes, 1e-9)
        if passed - saved > SAVED_S or spent >= 1 or rounds == 1:
            saved = passed
            save(
                asked.out,
                {name: each.weights for name, each in learners.items()},
                _provenance(asked, learners, passed),
            )
            log.info(
                "%3.0f %%  %d rounds  errors %s",
                100 * spent,
                rounds,
                " ".join(f"{each:.3f}" for each in errors),
            )


def _provenance(asked: argparse.Namespace, learners: dict[str, Learner], passed: float) -> dict[str, Any]:
    return {
        "data": "self-play",
        "seed": asked.seed,
        "deals": {name: learner.deals for name, learner in learners.items()},
        "hours": round(passed / 3600, 2),
        "start": provenance(asked.start) if asked.start else None,
    }


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=480, help="how long to learn (default 480)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hidden", type=int, default=128, help="units of each hidden layer (default 128)")
    parser.add_argument("--deals", type=int, default=512, help="deals of each kind in a round (default 512)")
    parser.add_argument(
        "--rate", type=float, default=1.5e-3, help="the first step size; it falls to 2 %% in a line"
    )
    parser.add_argument(
        "--explore", type=float, default=0.1, help="the first share of random cards; it falls too"
    )
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--out", type=Path, default=Path("king.npz"))
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
