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
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from engine.cards import SUITS, rank_of, suit_of
from engine.game import Game
from engine.match import Match, parse_deck
from league.outcomes import happened
from league.points import Record, Tally, group_of
from referee.table import table_of

PLAYOUTS: Final = 16
"""How often house bots play a deal for its baseline."""
DECKS: Final = 1000
"""From how many decks the average slant is known. With many more groups than these, intervals come out too narrow."""
FOLDS: Final = 5
FEWEST: Final = 10
"""From fewer groups nothing is fitted."""
_NOTHING: Final = 1e-9

Playout = Callable[[Game, Any, Random], Sequence[int]]
"""Plays a deal from this state to its end and gives the points by seat. House bots do; they are handed in."""


def _variance(values: Sequence[float]) -> float:
    """Round the mean."""
    mean = fmean(values)
    return fmean((value - mean) ** 2 for value in values)


class Deal(NamedTuple):
    """What chance did in one deal."""

    number: int
    dealer: int
    deck: tuple[int, ...]


def deals_of(record: Record) -> Iterator[tuple[Game, Deal]]:
    """The deals of a record with their table, by the rules, the suits as they were before they were relabelled: the
    tables of a group have the same deals. Raises what the rules refuse: such a record is broken."""
    options = tuple(sorted(record["options"].items()))
    played = table_of(record["game"], len(record["seats"]), options)
    becomes = [SUITS.index(suit) for suit in record["shuffle"].get("suits", SUITS)]
    was = (becomes.index(0), becomes.index(1), becomes.index(2), becomes.index(3))
    game = played.relabelled(was)
    match = Match(played, None if played.fixed_deals is not None else record["deals"], record["dealer"])
    state = match.begin()
    for one in record["moves"]:
        if one["seat"] is None:
            deck = parse_deck(one["move"])
            before = tuple([4 * rank_of(card) + was[suit_of(card)] for card in deck])
            yield game, Deal(state.number, state.dealer, before)
            if state.number == match.deals:
                return
            state = match.deal(state, deck)
        else:
            state = match.play(state, one["seat"], match.parse(state, one["seat"], one["move"]))


class Baseline:
    """Baselines, each reckoned once. The same deal always has the same one."""

    def __init__(self, playout: Playout, playouts: int = PLAYOUTS, decks: int = DECKS) -> None:
        self._playout, self._playouts, self._decks = playout, playouts, decks
        self._usual: dict[tuple[Any, ...], float] = {}
        self._known: dict[tuple[Any, ...], tuple[float, ...]] = {}

    def of(self, game: Game, deal: Deal) -> tuple[float, ...]:
        """By seat, the mean points of house bots."""
        key = (game.id, game.seats, *sorted(game.options.items()), deal)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._played(game, deal)
        return found

    def luck(self, record: Record) -> tuple[tuple[float, ...], float]:
        """By seat, how many points more its cards were worth than an average seat's; and the slant. Both are sums over
        the deals of the match."""
        lucks, slant = [0.0] * len(record["seats"]), 0.0
        for game, deal in deals_of(record):
            baseline = self.of(game, deal)
            average = sum(baseline) / len(baseline)
            lucks = [so_far + seat - average for so_far, seat in zip(lucks, baseline, strict=True)]
            slant += _variance(baseline) - self._usual_slant(game, deal.number)
        return tuple(lucks), slant

    def _usual_slant(self, game: Game, number: int) -> float:
        key = (game.id, game.seats, *sorted(game.options.items()), number)
        found = self._usual.get(key)
        if found is None:
            rng = Random(repr(key))
            decks = [
                Deal(number, rng.randrange(game.seats), tuple(rng.sample(game.pack, len(game.pack))))
                for _ in range(self._decks)
            ]
            found = self._usual[key] = fmean(_variance(self._played(game, deal)) for deal in decks)
        return found

    def _played(self, game: Game, deal: Deal) -> tuple[float, ...]:
        rng = Random(repr((game.id, game.seats, *sorted(game.options.items()), deal)))
        played = [
            self._playout(game, game.deal(deal.number, deal.dealer, deal.deck), rng)
            for _ in range(self._playouts)
        ]
        return tuple(sum(seat) / self._playouts for seat in zip(*played, strict=True))


class _Line(NamedTuple):
    """A bot in a group: sums over its deals."""

    points: float
    luck: float
    slant: float
    deals: int

    def plus(self, other: _Line) -> _Line:
        return _Line(*map(sum, zip(self, other, strict=True)))  # type: ignore[arg-type]  # deals stay whole


class Adjusted:
    """Points, luck and slant by group and bot: feed it records of one preset, then ask for the tally without luck."""

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        self._lines: dict[str, dict[str, _Line]] = {}

    def add(self, record: Record) -> None:
        """One more match, if it counts."""
        if not happened(record):
            return
        group, deals = group_of(record), record["deals"]
        lucks, slant = self._baseline.luck(record)
        for sitting, points, luck in zip(record["seats"], record["scores"], lucks, strict=True):
            lines = self._lines.setdefault(sitting["id"], {})
            line = _Line(points, luck, slant, deals)
            lines[group] = lines[group].plus(line) if group in lines else line

    def tally(self) -> Tally:
        """The tally of points less luck and slant, with the multiples that the other folds say."""
        tally = Tally()
        for bot, lines in sorted(self._lines.items()):
            fits = [
                _fit([lines[group] for group in sorted(lines) if _fold(group) != fold])
                for fold in range(FOLDS)
            ]
            for group, line in sorted(lines.items()):
                of_luck, of_slant = fits[_fold(group)]
                points = line.points - of_luck * line.luck - of_slant * line.slant
                tally.count(group, bot, points, line.deals)
        return tally


def _fit(lines: Sequence[_Line]) -> tuple[float, float]:
    """Least squares of points per deal on luck and slant per deal; a regressor that does not vary gets nothing."""
    if len(lines) < FEWEST:
        return 0.0, 0.0
    ys, us, vs = zip(*((each.points, each.luck, each.slant) for each in map(_per_deal, lines)), strict=True)
    uu, vv, uv = _together(us, us), _together(vs, vs), _together(us, vs)
    uy, vy = _together(us, ys), _together(vs, ys)
    if uu < _NOTHING or vv < _NOTHING or uu * vv - uv * uv < _NOTHING * uu * vv:
        return (uy / uu if uu >= _NOTHING else 0.0), (vy / vv if vv >= _NOTHING > uu else 0.0)
    determinant = uu * vv - uv * uv
    return (uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant


def _per_deal(line: _Line) -> _Line:
    return _Line(line.points / line.deals, line.luck / line.deals, line.slant / line.deals, 1)


def _together(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The covariance."""
    x, y = fmean(xs), fmean(ys)
    return fmean((one - x) * (other - y) for one, other in zip(xs, ys, strict=True))


def _fold(group: str) -> int:
    return hashlib.blake2b(group.encode(), digest_size=4).digest()[0] % FOLDS
