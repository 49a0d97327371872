"""Learn to play Durak by self-play: python examples/learning/train.py --out policy.json

REINFORCE in the PettingZoo environment of the game: both seats draw moves from one policy, and each move of the seat
that did better than usual becomes likelier. Then the policy is measured: each deck is dealt twice, with the seats
swapped, against house bots.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from policy import Policy

from adapters.pettingzoo import env
from bots.house import HOUSE_BOTS
from engine.registry import GAMES

Choose = Callable[[Mapping[str, Any], Sequence[str]], str]
RATE = 0.05
"""The learning rate at the beginning. It falls to a tenth."""


class LearningTable:
    """A PettingZoo environment whose moves and observations are those of the service."""

    def __init__(self) -> None:
        self.env = env("durak", seats=2)
        self.raw = self.env.unwrapped

    def play(self, seed: int, players: Sequence[Choose]) -> list[float]:
        """Play a deal and return the points of the seats. The seed determines the deck."""
        self.env.reset(seed=seed)
        points = [0.0, 0.0]
        for agent in self.env.agent_iter():
            _, reward, over, _, _ = self.env.last(observe=False)
            seat = self.raw.possible_agents.index(agent)
            if over:
                points[seat] = reward
                self.env.step(None)
                continue
            texts = {self.raw.table.actions.texts[action]: action for action in self.raw.position.legal()}
            self.env.step(texts[players[seat](self.raw.position.observe(seat), list(texts))])
        return points


def train(deals: int, seed: int, report: Callable[[int, Policy], None] = lambda deal, policy: None) -> Policy:
    """Return a policy that has played this many deals against itself. The same seed gives the same policy."""
    table, policy, rng = LearningTable(), Policy(), random.Random(seed)
    for deal in range(deals):
        steps: list[list[Mapping[str, float]]] = [[], []]

        def player(seat: int, steps: list[list[Mapping[str, float]]] = steps) -> Choose:
            def choose(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
                move, gradient = policy.draw(seen, moves, rng)
                steps[seat].append(gradient)
                return move

            return choose

        points = table.play(rng.getrandbits(32), [player(0), player(1)])
        average = sum(points) / 2
        rate = RATE * (1 - 0.9 * deal / deals)
        for gradients, own in zip(steps, points, strict=True):
            for gradient in gradients:
                for name, value in gradient.items():
                    step = rate * (own - average) * value
                    policy.weights[name] = policy.weights.get(name, 0.0) + step
        report(deal + 1, policy)
    return policy


def measured(policy: Policy, opponent: Any, decks: int, seed: int) -> tuple[float, float, float]:
    """Return the share of deals that the policy wins, and its 95 % interval. A draw is half a win. Each deck is played
    twice, with the seats swapped."""
    table, rng, game = LearningTable(), random.Random(seed), GAMES["durak"].table(2, {})

    def other(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
        choice: str = opponent.choose(game, seen, moves, rng)
        return choice

    leads = []
    for _ in range(decks):
        deck = rng.getrandbits(32)
        one, two = table.play(deck, [policy.best, other]), table.play(deck, [other, policy.best])
        leads.append((one[0] - one[1] + two[1] - two[0]) / 2)
    share = 0.5 + statistics.fmean(leads) / 2
    width = 1.96 * statistics.stdev(leads) / 2 / math.sqrt(decks)
    return share, max(0.0, share - width), min(1.0, share + width)


def main() -> None:
    """Train, measure and save a policy."""
    parser = argparse.ArgumentParser(description="Learn to play Durak by self-play.")
    parser.add_argument("--deals", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decks", type=int, default=150, help="decks to measure the policy with, 0 for none")
    parser.add_argument("--out", type=Path, default=Path("policy.json"))
    given = parser.parse_args()

    def report(deal: int, policy: Policy) -> None:
        if deal % 500 == 0:
            print(f"{deal} deals, {len(policy.weights)} weights", flush=True)

    policy = train(given.deals, given.seed, report)
    policy.save(given.out)
    for opponent in HOUSE_BOTS.values() if given.decks else ():
        share, low, high = measured(policy, opponent, given.decks, given.seed)
        print(
            f"against {opponent.name}: wins {share:.1%} of {2 * given.decks} deals (95 %: {low:.1%} to {high:.1%})"
        )


if __name__ == "__main__":
    main()
