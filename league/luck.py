"""Luck of the cards, taken out: what a seat would have made of the same deck in the hands of house bots.

The **baseline** of a deal (game, table, number, dealer, deck) is what each seat makes of it on an average when
house bots play it at all seats, some times over. The **luck** of a seat is its baseline less the average over
all seats of the table: how much better that seat was than a place at that table. Since nobody chooses a seat, a
bot's luck is nothing on an average, and so points less any fixed multiple of the luck mean the same as points;
with the right multiple they vary less. (In the statistics' words luck is a control variate. Its coefficient is
fitted by least squares on other groups than those it is used for, in `FOLDS` folds, so that the fit brings in
no bias: cross-fitting.)

In whole rotated groups each bot plays each hand of a deck, so that its lucks sum to nothing: rotation has done
the same already, exactly, and the adjustment changes nothing. It is for deals without duplicates, for once-only
groups of different decks, and for groups whose seats went round in part. docs/luck.md has what it brings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from engine.game import Game
from engine.match import Match, parse_deck
from league.points import Record, Tally, group_of, happened
from referee.table import table_of

PLAYOUTS: Final = 16
"""How often house bots play a deal for its baseline."""
FOLDS: Final = 5

Playout = Callable[[Game, Any, Random], Sequence[int]]
"""Plays a deal from this state to its end and gives the points by seat. House bots do; they are handed in."""


class Deal(NamedTuple):
    """What chance did in one deal."""

    number: int
    dealer: int
    deck: tuple[int, ...]


def deals_of(record: Record) -> Iterator[tuple[Game, Deal]]:
    """The deals of a record with their table, by the rules. Raises what they refuse: such a record is broken."""
    options = tuple(sorted(record["options"].items()))
    game = table_of(record["game"], len(record["seats"]), options)
    match = Match(game, None if game.fixed_deals is not None else record["deals"], record["dealer"])
    state = match.begin()
    for one in record["moves"]:
        if one["seat"] is None:
            deck = parse_deck(one["move"])
            yield game, Deal(state.number, state.dealer, deck)
            if state.number == match.deals:
                return
            state = match.deal(state, deck)
        else:
            state = match.play(state, one["seat"], match.parse(state, one["seat"], one["move"]))


class Baseline:
    """Baselines, each reckoned once. The same deal always has the same one."""

    def __init__(self, playout: Playout, playouts: int = PLAYOUTS) -> None:
        self._playout, self._playouts = playout, playouts
        self._known: dict[tuple[Any, ...], tuple[float, ...]] = {}

    def of(self, game: Game, deal: Deal) -> tuple[float, ...]:
        """By seat, the mean points of house bots."""
        key = (game.id, game.seats, *sorted(game.options.items()), deal)
        found = self._known.get(key)
        if found is None:
            rng = Random(repr(key))
            played = [
                self._playout(game, game.deal(deal.number, deal.dealer, deal.deck), rng)
                for _ in range(self._playouts)
            ]
            found = tuple(sum(seat) / self._playouts for seat in zip(*played, strict=True))
            self._known[key] = found
        return found

    def luck(self, record: Record) -> tuple[float, ...]:
        """By seat, how many points more its cards were worth than an average seat's, over all deals of the match."""
        total = [0.0] * len(record["seats"])
        for game, deal in deals_of(record):
            baseline = self.of(game, deal)
            average = sum(baseline) / len(baseline)
            total = [so_far + seat - average for so_far, seat in zip(total, baseline, strict=True)]
        return tuple(total)


class _Line(NamedTuple):
    """A bot in a group."""

    points: float
    luck: float
    deals: int


class Adjusted:
    """Points and lucks by group and bot. Feed it records of one preset, then ask for the tally without the luck."""

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        self._lines: dict[tuple[str, str], _Line] = {}

    def add(self, record: Record) -> None:
        """One more match, if it counts."""
        if not happened(record):
            return
        group, lucks = group_of(record), self._baseline.luck(record)
        for sitting, points, luck in zip(record["seats"], record["scores"], lucks, strict=True):
            before = self._lines.get((group, sitting["id"]), _Line(0.0, 0.0, 0))
            self._lines[group, sitting["id"]] = _Line(
                before.points + points, before.luck + luck, before.deals + record["deals"]
            )

    def tally(self) -> Tally:
        """The tally of points less luck, weighed with the coefficient that the other folds say."""
        weights = [self._coefficient(fold) for fold in range(FOLDS)]
        tally = Tally()
        for (group, bot), line in sorted(self._lines.items()):
            tally.count(group, bot, line.points - weights[_fold(group)] * line.luck, line.deals)
        return tally

    def _coefficient(self, fold: int) -> float:
        """Least squares of points per deal, less the bot's own mean, on luck per deal, outside a fold."""
        lines = [(bot, line) for (group, bot), line in sorted(self._lines.items()) if _fold(group) != fold]
        sums: dict[str, tuple[float, int]] = {}
        for bot, line in lines:
            points, deals = sums.get(bot, (0.0, 0))
            sums[bot] = (points + line.points, deals + line.deals)
        means: Mapping[str, float] = {bot: points / deals for bot, (points, deals) in sums.items()}
        square = sum(line.luck * line.luck / line.deals for _, line in lines)
        together = sum(
            line.luck * (line.points - means[bot] * line.deals) / line.deals for bot, line in lines
        )
        return together / square if square > 1e-9 else 0.0


def _fold(group: str) -> int:
    return hashlib.blake2b(group.encode(), digest_size=4).digest()[0] % FOLDS
