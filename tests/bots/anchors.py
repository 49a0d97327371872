"""Measure the anchors' ratings against `greedy`.

    python -m tests.bots.anchors [GROUPS]

This prints the table in `records/ratings/anchors.py`. At each table one `random` plays among `greedy` players. A group
plays one deck (King: twelve) in every rotation. The results of the groups rate `random` as they rate any bot, with
`greedy` fixed at 1500.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

from bots.house import HOUSE_BOTS
from engine.game import Game
from engine.registry import GAMES
from records.match.record import preset_of
from records.ratings.anchors import ZERO
from records.ratings.model import Rating, updated
from records.results.group_result import PlayedMatch, ResultPlayer, group_result_of
from tests.bots.strength import play

TABLES: tuple[tuple[str, Sequence[int], dict[str, Any]], ...] = (
    ("durak", range(2, 7), {}),
    ("durak", (4, 6), {"teams": True}),
    ("durak", (2,), {"batch_attacks": True}),
    ("kryt", range(2, 12), {}),
    ("kryt", (2,), {"trumps": "fixed"}),
    ("svoi_kozyri", range(2, 5), {}),
    ("svoi_kozyri", (2,), {"layout": "besikovich"}),
    ("king", (4,), {}),
)


def group(game: Game, number: int, rng: random.Random, name: str) -> list[PlayedMatch]:
    """Play a rotated group of one bot among greedy ones."""
    found = []
    decks = [
        (deal, rng.sample(game.pack, len(game.pack)), rng.randrange(2**32))
        for deal in range(1, (game.fixed_deals or 1) + 1)
    ]
    names = [name] + ["greedy"] * (game.seats - 1)
    seats = [
        ResultPlayer(f"{place}", f"house/{bot}", HOUSE_BOTS[bot].version) for place, bot in enumerate(names)
    ]
    for turn in range(game.seats):
        here = seats[turn:] + seats[:turn]
        bots = [HOUSE_BOTS[seat.name.partition("/")[2]] for seat in here]
        scores = [0] * game.seats
        for deal, deck, dealing in decks:
            over = play(game, deal, deck, bots, random.Random(dealing))
            scores = [sum(pair) for pair in zip(scores, game.returns(over), strict=True)]
        ident = f"{number}-{turn}"
        preset = f"{preset_of(game)} measured"
        found.append(
            PlayedMatch(ident, str(number), preset, number, tuple(here), game.sides, tuple(scores), ())
        )
    return found


def measure(game: Game, groups: int, name: str = "random", seed: int = 1) -> Rating:
    """Return the rating of a house bot after this many groups."""
    rng = random.Random(seed)
    ratings: dict[str, Rating] = {}
    for number in range(groups):
        outcome = group_result_of(group(game, number, rng, name))
        assert outcome is not None
        ratings.update(updated(outcome, ratings))
    return ratings["0"]


def main() -> None:
    groups = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    assert ZERO == "house/greedy"
    for name, seats, options in TABLES:
        for count in seats:
            game = GAMES[name].table(count, options)
            found = measure(game, groups)
            print(
                f'    "{preset_of(game)}": {{"house/random": ({found.mu:.0f}.0, {found.sigma:.0f}.0)}},',
                flush=True,
            )


if __name__ == "__main__":
    main()
