"""Measure the lead of one house bot over another: points per deal over duplicate decks and rotated seats.

    python -m tests.bots.strength [decks]

This prints the table in `bots/house/README.md`. Each deck is played once for every side of the table: one bot plays
this side and the other bot all others. The interval is the 95 % interval over decks, which are independent.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bots.house import HOUSE_BOTS, HouseBot
from engine.game import NOBODY, Game
from engine.registry import GAMES

TABLES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("durak", 2, {}),
    ("durak", 3, {}),
    ("durak", 4, {}),
    ("durak", 4, {"attackers": "neighbours"}),
    ("durak", 5, {}),
    ("durak", 6, {}),
    ("durak", 4, {"teams": True}),
    ("durak", 6, {"teams": True}),
    ("durak", 2, {"batch_attacks": True}),
    ("durak", 4, {"batch_attacks": True}),
    ("kryt", 2, {}),
    ("kryt", 3, {}),
    ("kryt", 4, {}),
    ("kryt", 11, {}),
    ("kryt", 2, {"trumps": "fixed"}),
    ("kryt", 4, {"trumps": "fixed"}),
    ("svoi_kozyri", 2, {}),
    ("svoi_kozyri", 3, {}),
    ("svoi_kozyri", 4, {}),
    ("svoi_kozyri", 3, {"pickup": "whole_pile"}),
    ("svoi_kozyri", 2, {"lowest_rank": "2"}),
    ("svoi_kozyri", 2, {"layout": "besikovich"}),
    ("king", 4, {}),
)


class BotStrength(NamedTuple):
    """Points per deal of the bot and of the others at its tables, the lead, and half its confidence interval."""

    one: float
    others: float
    lead: float
    interval: float


def seats_of_side(game: Game, side: int) -> tuple[int, ...]:
    """Return the seats of a side in ascending order."""
    return tuple(seat for seat in range(game.seats) if game.sides[seat] == side)


def play(game: Game, number: int, deck: Sequence[int], bots: Sequence[HouseBot], rng: random.Random) -> Any:
    """Play a deal with these bots and return its end. Only the seat on turn is offered free moves."""
    state = game.deal(number, rng.randrange(game.seats), deck)
    while state.to_move != NOBODY:
        seat = state.to_move
        moves = (*state.legal, *game.free_moves(state, seat))
        texts = [game.text(state, move) for move in moves]
        text = bots[seat].choose(game, game.observe(state, seat), texts, rng)
        state = game.play(state, seat, moves[texts.index(text)])
    return state


def measure(
    game: Game, decks: int, seed: int = 1, names: tuple[str, str] = ("greedy", "random"), number: int = 0
) -> BotStrength:
    """Measure one bot against the other. `number` selects one deal of the match; 0 plays all in turn."""
    one, other = (HOUSE_BOTS[name] for name in names)
    rng = random.Random(seed)
    sides = [seats_of_side(game, side) for side in sorted(set(game.sides))]
    own, rest = [], []
    for nth in range(decks):
        deck = rng.sample(game.pack, len(game.pack))
        of_one, of_others = [], []
        dealing = rng.randrange(2**32)
        for side in sides:
            bots = [one if seat in side else other for seat in range(game.seats)]
            deal = number or nth % (game.fixed_deals or 2) + 1
            returns = game.returns(play(game, deal, deck, bots, random.Random(dealing)))
            of_one += [returns[seat] for seat in side]
            of_others += [points for seat, points in enumerate(returns) if seat not in side]
        own.append(statistics.fmean(of_one))
        rest.append(statistics.fmean(of_others))
    leads = [mine - theirs for mine, theirs in zip(own, rest, strict=True)]
    interval = 1.96 * statistics.stdev(leads) / math.sqrt(decks)
    return BotStrength(statistics.fmean(own), statistics.fmean(rest), statistics.fmean(leads), interval)


def _options_text(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {str(value).lower()}" for name, value in options.items()) or "-"


def main() -> None:
    decks = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| game | players | options | greedy | random | lead, 95 % |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, seats, options in TABLES:
        found = measure(GAMES[name].table(seats, options), decks)
        row = f"{found.one:+.3f} | {found.others:+.3f} | {found.lead:+.3f} ± {found.interval:.3f}"
        print(f"| {name} | {seats} | {_options_text(options)} | {row} |", flush=True)


if __name__ == "__main__":
    main()
