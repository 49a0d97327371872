"""Conformance checks, health and statistics of bots, as values."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from league.fitness.histogram import bucket_of, percentile
from referee.match.clock import ClockRule


class Fault(enum.StrEnum):
    """What a request of a bot in a check can meet, in the order in which it is tried."""

    POLL_REFUSED = "poll_refused"
    """A 503 in the place of an answer with a turn."""
    POLL_CUT = "poll_cut"
    """The connection ends in the middle of an answer with a turn."""
    TURN_REPEATED = "turn_repeated"
    """A turn is handed over twice. Not tried with a bot that takes its turns from the answers to its moves alone."""
    MOVE_REFUSED = "move_refused"
    """A 503 in the place of a move, which is not made."""
    ANSWER_LOST = "answer_lost"
    """A 503 after a move, which is made."""
    CONNECTION_LOST = "connection_lost"
    """The connection ends after a move, which is made, without an answer."""
    ANSWER_CUT = "answer_cut"
    """The connection ends after a move, which is made, in the middle of the answer."""
    NEAR_DEADLINE = "near_deadline"
    """A turn is handed over late, `LEFT_MS` before its deadline."""


class FaultMet(NamedTuple):
    """A move that the bot sent, or a fault."""

    turn: int
    move: str | None
    said: str
    """`made`, `replayed`, the code of the problem, or the fault."""


class CheckVerdict(NamedTuple):
    """What came of a check: passed if there is no reason against it. `ended` in ms since 1970."""

    ended: int
    reasons: list[str]

    @property
    def passed(self) -> bool:
        """Whether the bot is fit to play."""
        return not self.reasons


class ConformanceCheck(NamedTuple):
    """A check. Its id is its match's."""

    match: str
    bot: str
    """The bot's id."""
    version: str
    """The bot's, as of the beginning."""
    game: str
    created: int
    faults_left: tuple[Fault, ...] = tuple(Fault)
    met: tuple[FaultMet, ...] = ()
    """In the order in which it happened."""
    verdict: CheckVerdict | None = None

    @property
    def faults_met(self) -> list[FaultMet]:
        """The faults that the bot has met."""
        return [one for one in self.met if one.said in _FAULTS]

    @property
    def sent(self) -> list[FaultMet]:
        """The moves that the bot sent, but for those that were refused as a fault."""
        return [one for one in self.met if one.said not in _FAULTS]


_FAULTS: Final = frozenset(fault.value for fault in Fault)


class Passed(NamedTuple):
    """The last check that a bot has passed. `at` in ms since 1970."""

    match: str
    version: str
    at: int


class Suspended(NamedTuple):
    """Why a bot is in no new match of a ladder, and since when."""

    reason: str
    at: int


class Health(NamedTuple):
    """How it stands with a bot."""

    passed: Passed | None = None
    suspended: Suspended | None = None


class HealthUpdate(NamedTuple):
    """A match that is over, for one of its bots."""

    bot: str
    match: str
    ended: int
    bad: str | None
    """What was bad, in words."""


class ThinkingSeries(NamedTuple):
    """What thinking times are told apart by."""

    game: str
    move_ms: int
    bank_ms: int
    increment_ms: int

    @classmethod
    def of(cls, game: str, clock: ClockRule) -> ThinkingSeries:
        """Of a match."""
        return cls(game, clock.move_ms, clock.bank_ms, clock.increment_ms)


@dataclass
class ThinkingTimes:
    """A histogram: counts by bucket, and the longest."""

    counts: Counter[int] = field(default_factory=Counter)
    max_ms: int = 0

    def add(self, ms: int) -> None:
        """Count a duration."""
        self.counts[bucket_of(ms)] += 1
        self.max_ms = max(self.max_ms, ms)

    def merge(self, other: ThinkingTimes) -> None:
        """Count what the other has counted."""
        self.counts.update(other.counts)
        self.max_ms = max(self.max_ms, other.max_ms)

    @property
    def moves(self) -> int:
        """How many durations were counted."""
        return self.counts.total()

    def percentile(self, percent: float) -> int:
        """See `league.fitness.histogram`; never more than the longest."""
        return min(percentile(self.counts, percent), self.max_ms)


@dataclass
class DayStatistics:
    """What a bot did: sums by name, refusals by code, times by game and clock (`None`: all the others)."""

    sums: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    times: dict[ThinkingSeries | None, ThinkingTimes] = field(default_factory=dict)

    def merge(self, other: DayStatistics) -> None:
        """Add what the other has."""
        self.sums.update(other.sums)
        self.refused.update(other.refused)
        for series, times in other.times.items():
            self.times.setdefault(series, ThinkingTimes()).merge(times)
