"""Measure the lead of `search` over another house bot: points per deal over duplicate decks and rotated seats.

    python -m tests.bots.search_strength DECKS PLAYOUTS [GAME SEATS OPTIONS-AS-JSON]

This prints rows of the table in `docs/house-bots.md`. As in `tests.bots.strength`, each deck is played once for every
side of the table: `search`, with PLAYOUTS a move, plays this side and `greedy` all others. The interval is the 95 %
interval over decks. The milliseconds are processor time per move on this machine.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from bots.house import HOUSE_BOTS, HouseBot
from bots.search import Budget, Iterations, SearchBot
from engine.game import NOBODY, Game
from engine.registry import GAMES
from tests.bots.strength import seats_of_side

TABLES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("durak", 2, {}),
    ("durak", 4, {}),
    ("durak", 4, {"teams": True}),
    ("kryt", 2, {}),
    ("kryt", 4, {}),
    ("svoi_kozyri", 2, {}),
    ("svoi_kozyri", 3, {}),
    ("svoi_kozyri", 2, {"layout": "besikovich"}),
    ("king", 4, {}),
)


class AskedQuestion(NamedTuple):
    """A turn of a deal, and the events that its seat has seen."""

    state: Any
    seat: int
    observation: dict[str, Any]
    legal: list[str]
    history: list[dict[str, Any]]


class SearchStrength(NamedTuple):
    """The lead in points per deal, half its confidence interval, and the processor time per move."""

    lead: float
    interval: float
    ms: float


class PlayedDeal:
    """A deal in progress, with the events that each seat has seen."""

    def __init__(self, game: Game, number: int, dealer: int, deck: Sequence[int]) -> None:
        self.game = game
        self.state = game.deal(number, dealer, deck)
        self.histories: list[list[dict[str, Any]]] = [
            [{"type": "deal", "deal": number, "dealer": dealer}] for _ in range(game.seats)
        ]
        self._tell(game.deal_events(self.state))

    def asked(self, seat: int) -> AskedQuestion:
        """Return the turn of the seat to move, with free moves among the legal ones."""
        moves = (*self.state.legal, *self.game.free_moves(self.state, seat))
        legal = [self.game.text(self.state, move) for move in moves]
        return AskedQuestion(
            self.state, seat, self.game.observe(self.state, seat), legal, self.histories[seat]
        )

    def play(self, seat: int, move: int) -> None:
        """Make a move of any seat."""
        before, text = self.state, self.game.text(self.state, move)
        self.state = self.game.play(before, seat, move)
        for history in self.histories:
            history.append({"type": "move", "seat": seat, "move": text})
        self._tell(self.game.events(before, seat, move, self.state))

    def _tell(self, events: Sequence[Any]) -> None:
        for event in events:
            for seat, history in enumerate(self.histories):
                history.append(event.view(seat))


def questions(
    game: Game, number: int, dealer: int, deck: Sequence[int], rng: random.Random
) -> Iterator[PlayedDeal]:
    """Yield a deal after every step of random play, including exchanges."""
    deal = PlayedDeal(game, number, dealer, deck)
    while deal.state.to_move != NOBODY:
        yield deal
        seats = range(game.seats)
        free = [(seat, move) for seat in seats for move in game.free_moves(deal.state, seat)]
        if free and rng.random() < 0.2:
            deal.play(*rng.choice(free))
        else:
            deal.play(deal.state.to_move, rng.choice(deal.state.legal))


def play(
    deal: PlayedDeal, search: SearchBot, its: Collection[int], other: HouseBot | SearchBot, rng: random.Random
) -> Any:
    """Play a deal with `search` in these seats and `other` in the rest, and return its end."""
    while deal.state.to_move != NOBODY:
        seat = deal.state.to_move
        state, _, seen, legal, history = deal.asked(seat)
        bot = search if seat in its else other
        if isinstance(bot, SearchBot):
            text = bot.think(deal.game, seen, legal, history, rng)
        else:
            text = bot.choose(deal.game, seen, legal, rng)
        deal.play(seat, deal.game.parse(state, seat, text))
    return deal.state


def lead(
    deal: Callable[[], PlayedDeal], search: SearchBot, other: HouseBot | SearchBot, rng: random.Random
) -> float:
    """Return the lead of `search` in one deal, which is played once for every side."""
    mine: list[int] = []
    theirs: list[int] = []
    game = deal().game
    for side in sorted(set(game.sides)):
        its = seats_of_side(game, side)
        returns = game.returns(play(deal(), search, its, other, rng))
        mine += [returns[seat] for seat in its]
        theirs += [points for seat, points in enumerate(returns) if seat not in its]
    return statistics.fmean(mine) - statistics.fmean(theirs)


class _Timed(SearchBot):
    """A bot that measures its processor time."""

    def __init__(self, budget: Budget) -> None:
        super().__init__("search", budget)
        self.moves, self.seconds = 0, 0.0

    def think(self, *asked: Any) -> str:
        began = time.process_time()
        text = super().think(*asked)
        self.seconds += time.process_time() - began
        self.moves += 1
        return text


def measure(
    game: Game, decks: int, budget: Budget, seed: int = 1, other: str = "greedy", number: int = 0
) -> SearchStrength:
    """Measure `search` against another bot. `number` selects one deal of the match; 0 plays all in turn."""
    timed = _Timed(budget)
    rng = random.Random(seed)
    leads = []
    for nth in range(decks):
        deck, dealer = rng.sample(game.pack, len(game.pack)), rng.randrange(game.seats)
        deal = partial(PlayedDeal, game, number or nth % (game.fixed_deals or 2) + 1, dealer, deck)
        leads.append(lead(deal, timed, HOUSE_BOTS[other], rng))
    interval = 1.96 * statistics.stdev(leads) / math.sqrt(decks)
    return SearchStrength(statistics.fmean(leads), interval, 1000 * timed.seconds / timed.moves)


def options_text(options: Mapping[str, Any]) -> str:
    """Return the options of a table as text for a row."""
    return ", ".join(f"{option} {str(value).lower()}" for option, value in options.items()) or "-"


def main() -> None:
    decks, playouts, *table = sys.argv[1:]
    tables = [(table[0], int(table[1]), json.loads(table[2]))] if table else TABLES
    for name, seats, options in tables:
        found = measure(GAMES[name].table(seats, options), int(decks), Iterations(int(playouts)))
        row = f"{playouts} | {found.ms:.0f} | {decks} | {found.lead:+.3f} ± {found.interval:.3f}"
        print(f"| {name} | {seats} | {options_text(options)} | {row} |", flush=True)


if __name__ == "__main__":
    main()
