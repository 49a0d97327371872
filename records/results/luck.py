"""Luck of the cards, estimated by house bots that play the same decks.

The **baseline** of a deal (game, table, number, dealer, deck) is what each seat scores on average when house bots
play the deal several times at all seats. Two figures follow. Both are zero on average for any player:

* the **luck** of a seat: its baseline minus the average over the seats of the table, since nobody chooses a seat;
* the **unevenness** of a deck: the variance of the baseline over the seats, minus the average of that variance over
  decks (`Baseline.unevenness` deals random decks to measure it). A deck that decides the deal by itself leaves no
  room for skill.

So points minus fixed multiples of the two have the same mean as points, and with the right multiples a smaller
variance (the figures are control variates). The multiples are fitted for each bot by least squares, on other groups
than those that they adjust, in `FOLDS` folds. This cross-fitting keeps the fit free of bias.

In complete rotated groups each bot plays each hand of a deck, so its lucks sum to zero: rotation removes luck
exactly. The unevenness still helps there. docs/luck.md reports the gains.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from operator import mul
from random import Random
from typing import Any, Final, NamedTuple

from engine.cards import SUITS
from engine.game import Game
from engine.match import Match, parse_deck
from engine.relabelling import parse_suits, relabelled, undone
from records.match.session import table_of, table_relabelled
from records.results.points import SpoiltGroups, Tally
from records.results.record_fields import Record, dealt, group_of

PLAYOUTS: Final = 16
"""How often house bots play a deal for its baseline."""
DECKS: Final = 1000
"""How many decks define the average unevenness. With many more groups than decks, intervals come out too narrow."""
FOLDS: Final = 5
MOST_KNOWN: Final = 65_536
"""How many baselines are cached."""
FEWEST: Final = 10
"""With fewer groups nothing is fitted."""
_NOTHING: Final = 1e-9

Playout = Callable[[Game, Any, Random], Sequence[int]]
"""Plays a deal from this state to its end and returns the points by seat. The caller supplies house bots."""


class DealPlayed(NamedTuple):
    """The chance moves of a deal."""

    number: int
    dealer: int
    deck: tuple[int, ...]


def deals_of(record: Record) -> Iterator[tuple[Game, DealPlayed]]:
    """Yield the deals of a record with their tables, replayed by the rules. The suits are those before relabelling,
    since the tables of a group share deals up to their suits. Raise what the rules refuse: such a record is broken."""
    played = table_of(record["game"], len(record["seats"]), record["options"])
    was = undone(parse_suits(record["shuffle"].get("suits", SUITS)))
    game = table_relabelled(played, was)
    match = Match(played, None if played.fixed_deals is not None else record["deals"], record["dealer"])
    state = match.begin()
    for move in record["moves"]:
        if move["seat"] is None:
            deck = parse_deck(move["move"])
            yield game, DealPlayed(state.number, state.dealer, relabelled(deck, was))
            if state.number == match.deals:
                return
            state = match.deal(state, deck)
        else:
            state = match.play(state, move["seat"], match.parse(state, move["seat"], move["move"]))


class Luck(NamedTuple):
    """The luck and unevenness of a match, summed over its deals. Whole numbers, so that sums are exact."""

    seats: tuple[int, ...]
    """By seat, in units of 1 / (`playouts` · seats) points. They sum to 0."""
    unevenness: int
    """In thousandths of a square point."""


class Baseline:
    """Baselines of deals, each computed once. Equal deals have equal baselines."""

    def __init__(self, playout: Playout, playouts: int = PLAYOUTS, decks: int = DECKS) -> None:
        """`decks` is the number of decks that define the average unevenness."""
        self._playout, self.playouts, self.decks = playout, playouts, decks
        self._usual: dict[tuple[Any, ...], int] = {}
        self._known: dict[tuple[Any, ...], tuple[int, ...]] = {}

    def luck(self, record: Record) -> Luck:
        """Return the luck and unevenness of the match of a record."""
        lucks, unevenness = [0] * len(record["seats"]), 0
        for game, deal in deals_of(record):
            made = self.made(game, deal)
            lucks = [so_far + luck for so_far, luck in zip(lucks, _lucks(made), strict=True)]
            # Both are variances times the square of the numbers of playouts and seats.
            beyond = _slant(made) * self.decks - self._usual_slant(game, deal.number)
            unevenness += round(1000 * beyond / (self.decks * (self.playouts * game.seats) ** 2))
        return Luck(tuple(lucks), unevenness)

    def made(self, game: Game, deal: DealPlayed) -> tuple[int, ...]:
        """Return by seat the summed points of house bots in all playouts of a deal."""
        key = _key(game, deal)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = self._played(game, deal)
        return found

    def _usual_slant(self, game: Game, number: int) -> int:
        """Return the summed unevennesses of all decks that define the average unevenness of such deals."""
        key = _key(game, _like(game, number))
        found = self._usual.get(key)
        if found is None:
            rng, found = Random(repr(key)), 0
            for _ in range(self.decks):
                dealer, deck = rng.randrange(game.seats), tuple(rng.sample(game.pack, len(game.pack)))
                deal = DealPlayed(_like(game, number), dealer, deck)
                found += _slant(self._played(game, deal))
            self._usual[key] = found
        return found

    def _played(self, game: Game, deal: DealPlayed) -> tuple[int, ...]:
        rng = Random(repr(_key(game, deal)))
        played = [
            self._playout(game, game.deal(deal.number, deal.dealer, deal.deck), rng)
            for _ in range(self.playouts)
        ]
        return tuple(sum(seat) for seat in zip(*played, strict=True))


class LuckFigures(NamedTuple):
    """Sums over the matches of a group, of one bot."""

    deals: int = 0
    points: int = 0
    luck: int = 0
    unevenness: int = 0


class Adjusted:
    """The luck of bots by group. Add the records of one preset, then get the adjusted tally."""

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        self._figures: dict[str, dict[str, LuckFigures]] = {}
        self._spoilt = SpoiltGroups()

    def add(self, record: Record) -> None:
        """Add a match, if it counts."""
        if not self._spoilt.add(record):
            return
        group, deals, luck = group_of(record), dealt(record), self._baseline.luck(record)
        for sitting, points, own in zip(record["seats"], record["scores"], luck.seats, strict=True):
            groups = self._figures.setdefault(sitting["id"], {})
            before = groups.get(group, LuckFigures())
            groups[group] = LuckFigures(
                *map(sum, zip(before, (deals, points, own, luck.unevenness), strict=True))
            )

    def tally(self) -> Tally:
        """Return the tally of points minus luck and unevenness, with multiples fitted on the other folds."""
        tally, spoilt = Tally(), self._spoilt.groups()
        for bot, found in sorted(self._figures.items()):
            groups = {group: figures for group, figures in sorted(found.items()) if group not in spoilt}
            fits = [
                fit([figures for group, figures in groups.items() if _fold_of(group) != fold])
                for fold in range(FOLDS)
            ]
            for group, own in groups.items():
                luck, unevenness = fits[_fold_of(group)]
                points = own.points - luck * own.luck - unevenness * own.unevenness
                tally.count(group, bot, points, own.deals)
        return tally


def fit(groups: Sequence[LuckFigures]) -> tuple[float, float]:
    """Return the least-squares fits of points on luck and unevenness, per deal. A figure that does not vary gets 0."""
    if len(groups) < FEWEST or not any(each.deals for each in groups):
        return 0.0, 0.0
    deals, points, lucks, slants = zip(*groups, strict=True)
    y, u, v = (_centred(figures, deals) for figures in (points, lucks, slants))
    uu, vv, uv, uy, vy = _dot(u, u), _dot(v, v), _dot(u, v), _dot(u, y), _dot(v, y)
    luck, unevenness = uu > _NOTHING * _dot(lucks, lucks), vv > _NOTHING * _dot(slants, slants)
    determinant = uu * vv - uv * uv
    if luck and unevenness and determinant > _NOTHING * uu * vv:
        return (uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant
    return (uy / uu if luck else 0.0), (vy / vv if unevenness and not luck else 0.0)


def _centred(figures: Sequence[int], deals: Sequence[int]) -> list[float]:
    """Return the figures of groups minus their mean per deal times the deals of the group."""
    mean = sum(figures) / sum(deals)
    return [figure - mean * count for figure, count in zip(figures, deals, strict=True)]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(map(mul, one, other), 0.0)


def _fold_of(group: str) -> int:
    """Return the fold of a group, from 0."""
    return hashlib.blake2b(group.encode(), digest_size=4).digest()[0] % FOLDS


def _lucks(made: Sequence[int]) -> list[int]:
    return [len(made) * points - sum(made) for points in made]


def _slant(made: Sequence[int]) -> int:
    return len(made) * sum([points * points for points in made]) - sum(made) ** 2


def _like(game: Game, number: int) -> int:
    """Return the first deal number with the same rules. The second deal stands for all later ones, unless each deal
    of a match is another contract."""
    return number if game.fixed_deals is not None else min(number, 2)


def _key(game: Game, deal: object) -> tuple[Any, ...]:
    return (game.id, game.seats, *sorted(game.options.items()), deal)
