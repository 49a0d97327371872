"""Luck of the cards, taken out: what house bots make of the same decks.

The **baseline** of a deal (game, table, number, dealer, deck) is what each seat makes of it on an average when house
bots play it at all seats, some times over. Two things follow from it that are nothing on an average, whoever plays:

* the **luck** of a seat: its baseline less the average over the seats of the table, since nobody chooses a seat;
* the **slant** of a deck: the variance of the baseline over the seats, less what that is on an average over decks
  (`Baseline.slant` deals some at random to know that). A deck that decides the deal by itself leaves no room for skill.

So points less any fixed multiples of the two mean the same as points; with the right multiples they vary less. (In the
words of statistics they are control variates.) The multiples are fitted for each bot by least squares on other groups
than those that they are used for, in `FOLDS` folds, so that the fit brings in no bias: cross-fitting.

In whole rotated groups each bot plays each hand of a deck, and its lucks sum to nothing: rotation has done that part
already, exactly. The slant helps there too. docs/luck.md has what all this brings.
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
from league.results.group_statistics import DEALS, POINTS, Estimate, GroupStatistics, per_deal
from league.results.points import SpoiltGroups, Tally
from league.results.record_fields import Record, dealt, group_of
from referee.match.session import table_of, table_relabelled

PLAYOUTS: Final = 16
"""How often house bots play a deal for its baseline."""
DECKS: Final = 1000
"""From how many decks the average slant is known. With many more groups than these, intervals come out too narrow."""
FOLDS: Final = 5
MOST_KNOWN: Final = 65_536
"""So many baselines are remembered."""
FEWEST: Final = 10
"""From fewer groups nothing is fitted."""
LUCK, SLANT, FIGURES = 2, 3, 4
"""The places of these among a group's figures, and how many figures it has: deals, points, luck, slant."""
_NOTHING: Final = 1e-9

Playout = Callable[[Game, Any, Random], Sequence[int]]
"""Plays a deal from this state to its end and gives the points by seat. House bots do; they are handed in."""


class DealPlayed(NamedTuple):
    """What chance did in one deal."""

    number: int
    dealer: int
    deck: tuple[int, ...]


def deals_of(record: Record) -> Iterator[tuple[Game, DealPlayed]]:
    """The deals of a record with their table, by the rules, the suits as they were before they were relabelled: the
    tables of a group have the same deals. Raises what the rules refuse: such a record is broken."""
    played = table_of(record["game"], len(record["seats"]), record["options"])
    was = undone(parse_suits(record["shuffle"].get("suits", SUITS)))
    game = table_relabelled(played, was)
    match = Match(played, None if played.fixed_deals is not None else record["deals"], record["dealer"])
    state = match.begin()
    for one in record["moves"]:
        if one["seat"] is None:
            deck = parse_deck(one["move"])
            yield game, DealPlayed(state.number, state.dealer, relabelled(deck, was))
            if state.number == match.deals:
                return
            state = match.deal(state, deck)
        else:
            state = match.play(state, one["seat"], match.parse(state, one["seat"], one["move"]))


class Luck(NamedTuple):
    """What chance did in one match, all its deals together; in whole numbers, so that sums are exact."""

    seats: tuple[int, ...]
    """By seat, in parts of a point of which `playouts` times the number of seats make one. Together they are 0."""
    slant: int
    """In thousandths of a square point."""


class Baseline:
    """Baselines, each reckoned once. The same deal always has the same one."""

    def __init__(self, playout: Playout, playouts: int = PLAYOUTS, decks: int = DECKS) -> None:
        """`decks` are those from which the average slant is known."""
        self._playout, self._playouts, self.decks = playout, playouts, decks
        self._usual: dict[str, int] = {}
        self._known: dict[tuple[Any, ...], tuple[int, ...]] = {}

    def luck(self, record: Record) -> Luck:
        """Of the match of a record."""
        lucks, slant = [0] * len(record["seats"]), 0
        for game, deal in deals_of(record):
            made = self.made(game, deal)
            lucks = [so_far + luck for so_far, luck in zip(lucks, _lucks(made), strict=True)]
            # Both are variances times the square of how many playouts and seats there are.
            beyond = _slant(made) * self.decks - self._usual_slant(game, deal.number)
            slant += round(1000 * beyond / (self.decks * (self._playouts * game.seats) ** 2))
        return Luck(tuple(lucks), slant)

    def knows(self, game: Game, deal: DealPlayed) -> bool:
        """Whether a deal's own baseline is known by now."""
        return _key(game, deal) in self._known

    def made(self, game: Game, deal: DealPlayed) -> tuple[int, ...]:
        """By seat, the points of house bots in all playouts of a deal together."""
        key = _key(game, deal)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = self._played(game, deal)
        return found

    def knows_usual(self, game: Game, number: int) -> bool:
        """Whether the average slant of deals of this number is known by now."""
        return kind_of(game, number) in self._usual

    def tell_usual(self, game: Game, number: int, slants: int) -> None:
        """It is known: the slants of all decks, summed (`usual`)."""
        self._usual[kind_of(game, number)] = slants

    def usual(self, game: Game, number: int, decks: range) -> int:
        """The slants, summed, of some of the decks from which the average slant of deals of this number is known, by
        their own numbers."""
        number = _like(game, number)
        rng, found = Random(repr(_key(game, number))), 0
        for at in range(decks.stop):
            deal = DealPlayed(number, rng.randrange(game.seats), tuple(rng.sample(game.pack, len(game.pack))))
            if at in decks:
                found += _slant(self._played(game, deal))
        return found

    def _usual_slant(self, game: Game, number: int) -> int:
        kind = kind_of(game, number)
        found = self._usual.get(kind)
        if found is None:
            found = self._usual[kind] = self.usual(game, number, range(self.decks))
        return found

    def _played(self, game: Game, deal: DealPlayed) -> tuple[int, ...]:
        rng = Random(repr(_key(game, deal)))
        played = [
            self._playout(game, game.deal(deal.number, deal.dealer, deal.deck), rng)
            for _ in range(self._playouts)
        ]
        return tuple(sum(seat) for seat in zip(*played, strict=True))


class Adjusted:
    """Figures by group and bot: feed it records of one preset, then ask for the tally without luck."""

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        self._lines: dict[str, dict[str, tuple[int, ...]]] = {}
        self._spoilt = SpoiltGroups()

    def add(self, record: Record) -> None:
        """One more match, if it counts."""
        if not self._spoilt.add(record):
            return
        group = group_of(record)
        for bot, figures in figures_of(record, self._baseline.luck(record)):
            lines = self._lines.setdefault(bot, {})
            before = lines.get(group, (0,) * len(figures))
            lines[group] = tuple(map(sum, zip(before, figures, strict=True)))

    def tally(self) -> Tally:
        """The tally of points less luck and slant, with the multiples that the other folds say."""
        tally, spoilt = Tally(), self._spoilt.groups()
        for bot, found in sorted(self._lines.items()):
            lines = {group: figures for group, figures in found.items() if group not in spoilt}
            by_fold: list[list[tuple[int, ...]]] = [[] for _ in range(FOLDS)]
            for group, figures in lines.items():
                by_fold[fold_of(group)].append(figures)
            weights = weights_of([GroupStatistics.of(each, FIGURES) for each in by_fold])
            for group, figures in sorted(lines.items()):
                points = sum(map(mul, weights[fold_of(group)], figures))
                tally.count(group, bot, points, figures[DEALS])
        return tally


def figures_of(record: Record, luck: Luck) -> list[tuple[str, tuple[int, ...]]]:
    """By seat, its bot's id with its deals, points, luck and slant."""
    deals = dealt(record)
    return [
        (sitting["id"], (deals, points, own, luck.slant))
        for sitting, points, own in zip(record["seats"], record["scores"], luck.seats, strict=True)
    ]


def weights_of(folds: Sequence[GroupStatistics]) -> list[tuple[float, ...]]:
    """By fold of a bot's groups, what its figures there are to be taken times: points whole, luck and slant less what
    the other folds fitted."""
    together = GroupStatistics.none(FIGURES)
    for fold in folds:
        together = together.plus(fold)
    fits = [_fit(together.less(fold)) for fold in folds]
    return [(0.0, 1.0, -of_luck, -of_slant) for of_luck, of_slant in fits]


def adjusted(folds: Sequence[GroupStatistics]) -> Estimate | None:
    """Points per deal less luck and slant, from what is kept of a bot's groups by fold."""
    return per_deal(*zip(folds, weights_of(folds), strict=True))


def kind_of(game: Game, number: int) -> str:
    """What the average slant of a deal of this number depends on."""
    return repr(_key(game, _like(game, number)))


def fold_of(group: str) -> int:
    """The fold of a group, from 0."""
    return hashlib.blake2b(group.encode(), digest_size=4).digest()[0] % FOLDS


def _fit(of: GroupStatistics) -> tuple[float, float]:
    """Least squares of points on luck and slant, all per deal; what does not vary explains nothing."""
    if of.groups < FEWEST or not of.sums[DEALS]:
        return 0.0, 0.0
    uu, vv, uv = of.spread(LUCK, LUCK), of.spread(SLANT, SLANT), of.spread(LUCK, SLANT)
    uy, vy = of.spread(LUCK, POINTS), of.spread(SLANT, POINTS)
    luck = uu > _NOTHING * of.product(LUCK, LUCK)
    slant = vv > _NOTHING * of.product(SLANT, SLANT)
    determinant = uu * vv - uv * uv
    if luck and slant and determinant > _NOTHING * uu * vv:
        return (uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant
    return (uy / uu if luck else 0.0), (vy / vv if slant and not luck else 0.0)


def _lucks(made: Sequence[int]) -> list[int]:
    return [len(made) * points - sum(made) for points in made]


def _slant(made: Sequence[int]) -> int:
    return len(made) * sum([points * points for points in made]) - sum(made) ** 2


def _like(game: Game, number: int) -> int:
    """The number of a deal that is dealt by the same rules: the second stands for all later ones, but where each
    deal of a match is another contract."""
    return number if game.fixed_deals is not None else min(number, 2)


def _key(game: Game, of: object) -> tuple[Any, ...]:
    return (game.id, game.seats, *sorted(game.options.items()), of)
