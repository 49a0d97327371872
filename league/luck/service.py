"""The luck of each deal of a finished match, computed by jobs when somebody first looks.

Luck is that of `league.results.luck`: what house bots score with the cards of a seat, minus the mean of the table. A
job computes some deals and wakes the next one, so a long match does not hold up other jobs.

What the store of luck returns.

The luck of matches in Redis.

kozyr:luck:match:MATCH  string  JSON `[mark, [[luck by seat] by deal], dealt]`; expires
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import orjson

from league.budgets import IDLE_BUDGET_S
from league.results.luck import Baseline, deals_of
from redisio.connection import Redis
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee

MOST_DEALS: Final = 100
"""The most deals of a match whose luck is computed, from the first on."""

WakeMatch = Callable[[str], None]
"""Enqueues a job for a match. A call may be dropped while a job for the same match waits."""


class MatchLuck(NamedTuple):
    """The luck of the deals of a match, in points."""

    deals: Sequence[Sequence[float]]
    """By deal and seat. Each deal sums to 0."""
    complete: bool
    """Whether no more deals will follow."""

    @property
    def totals(self) -> list[float]:
        return [sum(seat) for seat in zip(*self.deals, strict=True)]


class LuckOfMatches:
    """Luck of single matches. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisMatchLuckStore,
        referee: Referee,
        baseline: Baseline,
        mark: Callable[[], str],
        wake: WakeMatch,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`mark` returns the version of the bots that play the baselines."""
        self._store, self._referee, self._baseline, self._mark = store, referee, baseline, mark
        self._wake, self._monotonic = wake, monotonic

    def of_match(self, loaded: LoadedMatch) -> MatchLuck:
        """Return the computed deals, and wake a job for the rest. Raises what `Referee.record` raises."""
        self._referee.record(loaded)
        known = self._known(loaded.id)
        if known is None or not _is_complete(known):
            self._wake(loaded.id)
        if known is None:
            return MatchLuck((), complete=False)
        unit = self._baseline.playouts * len(loaded.config.seats)
        deals = [[luck / unit for luck in deal] for deal in known.deals]
        return MatchLuck(deals, _is_complete(known))

    def work(self, match: str, budget_s: float = IDLE_BUDGET_S) -> bool:
        """Compute further deals for about `budget_s`. Return whether there is more to do."""
        until = self._monotonic() + budget_s
        record = self._referee.record(self._referee.look(match)).to_json()
        known = self._known(match)
        found = [] if known is None else list(known.deals)
        dealt = list(deals_of(record))
        for game, deal in dealt[len(found) : MOST_DEALS]:
            found.append(self._baseline.seat_lucks(game, deal))
            if self._monotonic() >= until:
                break
        stored = StoredLuck(self._mark(), found, len(dealt))
        self._store.put_luck(match, stored)
        return not _is_complete(stored)

    def _known(self, match: str) -> StoredLuck | None:
        known = self._store.luck(match)
        return known if known is not None and known.mark == self._mark() else None


def _is_complete(known: StoredLuck) -> bool:
    return len(known.deals) >= min(known.dealt, MOST_DEALS)


class StoredLuck(NamedTuple):
    """The luck of a match as far as it is computed."""

    mark: str
    """The version of the bots that played the baselines."""
    deals: Sequence[Sequence[int]]
    """By deal and seat, in the units of `league.results.luck.Luck`."""
    dealt: int
    """How many deals the match had."""


KEPT_S: Final = 7 * 86_400
"""How long the luck of a match is kept after it was computed, in seconds."""


class RedisMatchLuckStore:
    """Keeps the luck of matches for a while. Whatever is lost is computed again on demand."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def luck(self, match: str) -> StoredLuck | None:
        raw = self._redis.one("GET", _key(match))
        return None if raw is None else StoredLuck(*orjson.loads(raw))

    def put_luck(self, match: str, found: StoredLuck) -> None:
        self._redis.one("SET", _key(match), orjson.dumps([*found]), "EX", KEPT_S)


def _key(match: str) -> str:
    return f"kozyr:luck:match:{match}"
