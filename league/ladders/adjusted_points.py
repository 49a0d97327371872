"""Luck-adjusted points in standings, computed by jobs after groups have ended, and kept as sums.

A **unit** is a duplicate group, or a match outside groups. The scripts that count or take back a match subtract the
luck of its unit from the sums and let the unit wait. A job plays the baselines of its decks (`league.results.luck`),
16 playouts a deal, and adds the result, once. A unit that changed meanwhile keeps waiting. So adjusted points lag
behind the points, and state how many deals they cover. If too many units wait (lua/luck.lua), further ones are never
adjusted.

The usual difference between seats is known from a thousand decks for each kind of deal. That takes longer than a job
may, so it is computed in parts, which all ladders share.

Luck in the totals of ladders, in Redis.

Its keys are those of the ladders (`league.ladders.redis`), whose scripts let units wait when their matches are
counted. One more key holds cached averages:

    kozyr:luck:usual  hash  `kind part` -> the summed slants of a part of the decks that define an average
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final

import orjson

from engine.game import Game, Refusal
from league.budgets import IDLE_BUDGET_S
from league.ladders.model import LUCK
from league.ladders.redis import REMEMBERED, RedisLadderStore
from league.ladders.redis_keys import luck_keys, version_key
from league.results.group_result import is_spoilt, played_of
from league.results.group_statistics import Estimate, GroupStatistics
from league.results.luck import FIGURES, Baseline, adjusted, deals_of, figures_of, fold_of, kind_of
from league.results.record_fields import Record
from redisio.connection import Redis
from redisio.scripts import Script
from referee.duplicate_groups import Groups
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee

log = logging.getLogger(__name__)

AT_ONCE: Final = 64
"""How many units a job takes at most."""
PART: Final = 20
"""How many decks make a part of an average."""
LOOK_MS: Final = 1_000
"""How often a ladder with waiting units is checked."""

Wake = Callable[[str], None]
"""Enqueues a job for a ladder soon. A call may be dropped while a job for the same ladder waits."""


class AdjustedPoints:
    """Luck-adjusted points of ladders. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisLuckStore,
        ladders: RedisLadderStore,
        referee: Referee,
        groups: Groups,
        baseline: Baseline,
        mark: Callable[[], str],
        wake: Wake = lambda ladder: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`mark` returns the version of the house bots that play the baselines."""
        self._store, self._ladders, self._referee, self._groups = store, ladders, referee, groups
        self._baseline, self._mark, self._wake, self._monotonic = baseline, mark, wake, monotonic

    def adjusted(self, ladder: str, season: int, bots: Sequence[str]) -> Mapping[str, Estimate]:
        """Return the adjusted points per deal by bot, with the deals and groups that they cover. Bots whose luck is
        unknown are missing."""
        found = zip(bots, self._store.adjusted(ladder, season, bots), strict=True)
        return {bot: estimate for bot, estimate in found if estimate is not None}

    def tick(self, most: int = 100) -> int:
        """Wake a job for each due ladder with waiting units. Several processes may call it at once. Return the number
        of ladders checked."""
        now, due = self._ladders.due(LUCK, most)
        for ladder, at in due:
            waits = self._store.wait(ladder)
            if waits:
                self._wake(ladder)
            self._ladders.move_due(LUCK, ladder, at, now + LOOK_MS if waits else None)
        return len(due)

    def work(self, ladder: str, budget_s: float = IDLE_BUDGET_S) -> bool:
        """Compute the luck of a ladder's waiting units for about `budget_s`. Partial results for a unit are cached.
        Return whether there is more to do."""
        until = self._monotonic() + budget_s
        for unit, stamp in self._store.waiting(ladder, AT_ONCE).items():
            matches = self._counted(unit)
            lines: dict[str, tuple[int, ...]] | None = {}
            try:
                lines = self._lines(matches, until)
            except Refusal:
                # A broken record must not hold up the other units.
                log.exception("ladder %s: the luck of %s can't be computed and is skipped", ladder, unit)
            if lines is None:
                return True
            season = matches[0].config.season or 1 if matches else 1
            self._store.put(ladder, season, unit, stamp, fold_of(unit), sorted(lines.items()))
            if self._monotonic() >= until:
                break
        return self._store.wait(ladder)

    def _lines(self, matches: Sequence[LoadedMatch], until: float) -> dict[str, tuple[int, ...]] | None:
        """Return the figures that a unit's matches add by bot, or `None` if the budget ended first. Raise what the
        rules refuse."""
        records = [self._referee.record(match).to_json() for match in matches]
        for record in records:
            for _ in self._compute(record):
                if self._monotonic() >= until:
                    return None
        lines: dict[str, tuple[int, ...]] = {}
        for match, record in zip(matches, records, strict=True):
            compared = None if match.config.group is None else match.config.group.compared
            for seat, (bot, figures) in enumerate(figures_of(record, self._baseline.luck(record))):
                if compared in (None, seat):
                    before = lines.get(bot, (0,) * len(figures))
                    lines[bot] = tuple(map(sum, zip(before, figures, strict=True)))
        return lines

    def _counted(self, unit: str) -> list[LoadedMatch]:
        (group,) = self._groups.store.groups([unit])
        ids = [unit] if group is None else self._groups.matches(group)
        matches = [match for match in self._referee.look_at(ids) if match is not None and match.finished]
        if is_spoilt(matches):
            return []
        return [match for match in matches if played_of(match) is not None]

    def _compute(self, record: Record) -> Iterator[None]:
        """Compute what the luck of a match needs and is not cached. Each step of the iterator is a small part."""
        for game, deal in deals_of(record):
            if not self._baseline.knows_usual(game, deal.number):
                yield from self._compute_usual(game, deal.number)
            if not self._baseline.knows(game, deal):
                self._baseline.made(game, deal)
                yield

    def _compute_usual(self, game: Game, number: int) -> Iterator[None]:
        kind, decks = f"{self._mark()} {kind_of(game, number)}", self._baseline.decks
        parts = [range(first, min(first + PART, decks)) for first in range(0, decks, PART)]
        total = 0
        for number_of_part, (part, known) in enumerate(
            zip(parts, self._store.usual(kind, len(parts)), strict=True)
        ):
            slants = known
            if slants is None:
                slants = self._baseline.usual(game, number, part)
                self._store.put_usual(kind, number_of_part, slants)
                yield
            total += slants
        self._baseline.tell_usual(game, number, total)


PUT_LUCK: Final = Script("league.ladders", "luck.lua", "luck_put.lua")

_USUAL: Final = "kozyr:luck:usual"
_LINE: Final = Struct(">15q")
"""As in lua/luck.lua."""


class RedisLuckStore:
    """The store of luck by unit and of the sums by bot."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def waiting(self, ladder: str, most: int) -> dict[str, int]:
        wait, _, _ = luck_keys(ladder, 1)
        found: dict[str, int] = {}
        cursor = None
        # Scan from the start, so that units that take several jobs come first each time. Finished units leave an empty
        # beginning that needs several scans.
        while cursor != b"0" and len(found) < most:
            cursor, flat = self._redis.one("HSCAN", wait, cursor or 0, "COUNT", most + 1)
            found |= {
                unit.decode(): int(stamp) for unit, stamp in zip(flat[::2], flat[1::2], strict=True) if unit
            }
        return dict(list(found.items())[:most])

    def wait(self, ladder: str) -> bool:
        wait, _, _ = luck_keys(ladder, 1)
        # One field holds the last stamp.
        return bool(self._redis.one("HLEN", wait) > 1)

    def put(
        self,
        ladder: str,
        season: int,
        unit: str,
        stamp: int,
        fold: int,
        lines: Sequence[tuple[str, Sequence[int]]],
    ) -> bool:
        """Add a unit's figures by bot and end its waiting. Return false, without effect, unless it waits with this
        stamp."""
        keys = (*luck_keys(ladder, season), version_key(ladder))
        added = orjson.dumps([fold, *([bot, *figures] for bot, figures in lines)]) if lines else ""
        return bool(self._redis.one(*PUT_LUCK.call(keys, unit, stamp, added)))

    def adjusted(self, ladder: str, season: int, bots: Sequence[str]) -> list[Estimate | None]:
        """Return the adjusted points of each bot (`league.results.luck.adjusted`); `None` without figures."""
        raws = self._redis.one("HMGET", luck_keys(ladder, season)[2], *bots) if bots else []
        return [None if raw is None else _adjusted(raw) for raw in raws]

    def usual(self, kind: str, parts: int) -> list[int | None]:
        fields = [f"{kind} {part}" for part in range(parts)]
        return [raw and int(raw) for raw in self._redis.one("HMGET", _USUAL, *fields)]

    def put_usual(self, kind: str, part: int, slants: int) -> None:
        self._redis.one("HSET", _USUAL, f"{kind} {part}", slants)


@lru_cache(maxsize=REMEMBERED)
def _adjusted(packed: bytes) -> Estimate | None:
    return adjusted([GroupStatistics.unpacked(line, FIGURES) for line in _LINE.iter_unpack(packed)])
