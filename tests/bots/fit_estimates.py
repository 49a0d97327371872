"""Fit the weights of the estimates of Durak to deals of the playout policy against itself.

    python -m tests.bots.fit_estimates DEALS [SEATS OPTIONS-AS-JSON]

This prints the tables of `bots.search.policies.durak`, by stage of the deal: the weight of each rank and of each trump,
of the attack, and of the cards beyond six. The last line compares the mean surprise (log loss) of the estimates, in
deals that they were not fitted to, with that of guessing all sides alike.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from bots.search.policies import POLICIES
from engine.cards import cards_of
from engine.game import NOBODY, Game
from engine.games.durak import ATTACK, HAND, DurakState
from engine.registry import GAMES

PASSES: Final = 6
RATE: Final = 0.05
"""The first step of a weight. Later steps shrink with the root of its squared slopes (AdaGrad)."""

Feature = tuple[str, int, int]
"""A table, a stage and a place in this table."""


class BegunBout(NamedTuple):
    """The beginning of a bout: the features by side, and the side that lost the deal."""

    sides: Sequence[Sequence[Feature]]
    lost: int


def features(state: DurakState) -> Iterator[list[Feature]]:
    """Yield by seat what adds to its burden at the beginning of a bout."""
    bout = state.bout
    stage = min(2, (bout.left - 1) // 6)
    for seat, hand in enumerate(state.hands):
        cards = cards_of(hand)
        kinds = ["trumps" if card & 3 == bout.deal.trump else "plain" for card in cards]
        found = [(kind, stage, max(0, (card >> 2) - 4)) for kind, card in zip(kinds, cards, strict=True)]
        found += [("surplus", 0, 0)] * (len(cards) - HAND)
        yield [*found, ("turn", stage, 0)] if seat == bout.attacker else found


def examples(game: Game, deals: int, rng: random.Random) -> Iterator[BegunBout]:
    """Yield the beginnings of bouts with a talon in deals of the playout policy."""
    player = POLICIES["durak"].player(game, rng)
    for _ in range(deals):
        state = game.deal(2, rng.randrange(game.seats), rng.sample(game.pack, len(game.pack)))
        begun = []
        while state.to_move != NOBODY:
            if state.question == ATTACK and state.bout.left:
                begun.append(state)
            state = game.play(state, state.to_move, player(state))
        lost = [side for side, points in zip(game.sides, game.returns(state), strict=True) if points]
        for before in begun if lost else ():
            by_side = defaultdict[int, list[Feature]](list)
            for side, found in zip(game.sides, features(before), strict=True):
                by_side[side] += found
            yield BegunBout([by_side[side] for side in sorted(by_side)], lost[0])


def chances(weights: dict[Feature, float], example: BegunBout) -> list[float]:
    """Return by side the probability that it loses."""
    burdens = [sum([weights[feature] for feature in found]) for found in example.sides]
    odds = [math.exp(burden - max(burdens)) for burden in burdens]
    return [each / sum(odds) for each in odds]


def fitted(given: list[BegunBout], rng: random.Random) -> dict[Feature, float]:
    """Return the weights, by stochastic gradient descent."""
    weights, slopes = defaultdict[Feature, float](float), defaultdict[Feature, float](lambda: 1.0)
    for _ in range(PASSES):
        rng.shuffle(given)
        for example in given:
            for side, chance in enumerate(chances(weights, example)):
                slope = chance - (side == example.lost)
                for feature in example.sides[side]:
                    slopes[feature] += slope * slope
                    weights[feature] -= RATE * slope / math.sqrt(slopes[feature])
    return weights


def surprise(weights: dict[Feature, float], given: Iterable[BegunBout]) -> float:
    """Return the mean log loss."""
    losses = [-math.log(chances(weights, example)[example.lost]) for example in given]
    return sum(losses) / len(losses)


def main() -> None:
    deals, *table = sys.argv[1:]
    seats, options = (int(table[0]), json.loads(table[1])) if table else (2, {})
    game, rng = GAMES["durak"].table(seats, options), random.Random(1)
    weights = fitted(list(examples(game, int(deals), rng)), rng)
    for name, stage in sorted({feature[:2] for feature in weights}):
        row = [f"{weights[feature]:.2f}" for feature in sorted(weights) if feature[:2] == (name, stage)]
        print(name, stage, ", ".join(row))
    fresh = list(examples(game, int(deals) // 10, rng))
    alike = surprise(defaultdict(float), fresh)
    print(f"surprise {surprise(weights, fresh):.4f}, alike {alike:.4f}")


if __name__ == "__main__":
    main()
