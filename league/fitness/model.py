"""The values of conformance checks, of health, and of bot statistics.

Histograms of durations have logarithmic buckets, as in HdrHistogram (G. Tene, hdrhistogram.org). They are exact below
32 ms and have 16 buckets per doubling above, so a percentile is too large by less than a sixteenth.
"""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from records.match.clock import ClockRule
from records.match.move_requests import USAGE

_SPLIT: Final = 16
_SPLIT_BITS: Final = 4
LONGEST_MS: Final = 2**27 - 1
"""Longer durations (more than a day and a half) count as this long."""
BUCKETS: Final = 2 * _SPLIT + _SPLIT * (27 - _SPLIT_BITS - 1)
"""The number of buckets."""


def bucket_of(ms: int) -> int:
    """Return the index of a duration's bucket."""
    ms = min(max(0, ms), LONGEST_MS)
    shift = max(0, ms.bit_length() - _SPLIT_BITS - 1)
    return shift * _SPLIT + (ms >> shift)


def longest_of(bucket: int) -> int:
    shift = max(0, bucket // _SPLIT - 1)
    return ((bucket - shift * _SPLIT + 1) << shift) - 1


def percentile(counts: Mapping[int, int], percent: float) -> int:
    """Return a percentile of the counted durations, rounded up to the end of its bucket; 0 without durations."""
    wanted, seen, bucket = math.ceil(sum(counts.values()) * percent / 100), 0, 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= wanted:
            break
    return longest_of(bucket)


IN_A_ROW: Final = 3
"""How many bad ladder matches in a row suspend a bot."""
KEPT_DAYS: Final = 30
DAY_S: Final = 86_400
MOST_SERIES: Final = 16
"""How many pairs of game and clock a day distinguishes. Further ones share a series without a name."""
REPLAYED_MOVES: Final = "replayed_moves"
SUMS: Final = ("matches", "moves", REPLAYED_MOVES, "timeouts", "forfeits", "no_shows", "resigned")
"""What is counted besides refusals. `api.schemas.league.statistics` describes each."""


class Fault(enum.StrEnum):
    """The faults of a check, in the order in which they are tried."""

    POLL_REFUSED = "poll_refused"
    """A 503 instead of a response with a turn."""
    POLL_CUT = "poll_cut"
    """The connection ends in the middle of a response with a turn."""
    TURN_REPEATED = "turn_repeated"
    """A turn is sent twice. Not tried with a bot that gets all its turns from responses to moves."""
    MOVE_REFUSED = "move_refused"
    """A 503 instead of a move, which is not made."""
    ANSWER_LOST = "answer_lost"
    """A 503 after a move that was made."""
    CONNECTION_LOST = "connection_lost"
    """The connection ends without a response after a move that was made."""
    ANSWER_CUT = "answer_cut"
    """The connection ends in the middle of the response to a move that was made."""
    NEAR_DEADLINE = "near_deadline"
    """A turn is sent late, `LEFT_MS` before its deadline."""


class FaultMet(NamedTuple):
    """A move that the bot sent, or a fault that it met."""

    turn: int
    move: str | None
    outcome: str
    """`made`, `replayed`, the code of the problem, or the fault."""


class CheckVerdict(NamedTuple):
    """The verdict on a check: passed if there are no reasons. `ended` is in ms since 1970."""

    ended: int
    reasons: list[str]

    @property
    def passed(self) -> bool:
        return not self.reasons


class ConformanceCheck(NamedTuple):
    """A check. Its id is that of its match."""

    match: str
    bot: str
    """The bot's id."""
    version: str
    """The bot's version when the check began."""
    game: str
    created: int
    faults_left: tuple[Fault, ...] = tuple(Fault)
    met: tuple[FaultMet, ...] = ()
    """In the order of events."""
    verdict: CheckVerdict | None = None
    since: int | None = None
    """How many records there were when it began (`NewMatch.since`); `None` if unknown."""

    @property
    def faults_met(self) -> list[FaultMet]:
        return [event for event in self.met if event.outcome in _FAULTS]

    @property
    def sent(self) -> list[FaultMet]:
        """The moves that the bot sent, without those refused as a fault."""
        return [event for event in self.met if event.outcome not in _FAULTS]


_FAULTS: Final = frozenset(fault.value for fault in Fault)


class Passed(NamedTuple):
    """The last check that a bot passed. `at` is in ms since 1970."""

    match: str
    version: str
    at: int


class Suspended(NamedTuple):
    """Why a bot gets no ladder matches, and since when."""

    reason: str
    at: int


class Health(NamedTuple):
    """The last passed check of a bot and its suspension, if any."""

    passed: Passed | None = None
    suspended: Suspended | None = None


class HealthUpdate(NamedTuple):
    """An ended match of a bot."""

    bot: str
    match: str
    ended: int
    bad: str | None
    """What was bad, in words; `None` for a good match."""


class ThinkingSeries(NamedTuple):
    """The key of a series of thinking times: a game and a clock."""

    game: str
    move_ms: int
    bank_ms: int
    increment_ms: int

    @classmethod
    def of(cls, game: str, clock: ClockRule) -> ThinkingSeries:
        return cls(game, clock.move_ms, clock.bank_ms, clock.increment_ms)


@dataclass
class ThinkingTimes:
    """A histogram of thinking times: counts by bucket, and the maximum."""

    counts: Counter[int] = field(default_factory=Counter)
    max_ms: int = 0

    def add(self, ms: int) -> None:
        self.counts[bucket_of(ms)] += 1
        self.max_ms = max(self.max_ms, ms)

    def merge(self, other: ThinkingTimes) -> None:
        self.counts.update(other.counts)
        self.max_ms = max(self.max_ms, other.max_ms)

    @property
    def moves(self) -> int:
        return self.counts.total()

    def percentile(self, percent: float) -> int:
        """Return a percentile (`league.fitness.model`), at most the maximum."""
        return min(percentile(self.counts, percent), self.max_ms)


TOTALS: Final = (
    *("matches", "deals", "moves", "won", "no_shows", "disconnected", "too_slow", "resigned"),
    *("refused", "late", "mended", "told", "told_deals", *USAGE),
)
"""What is summed up by preset. `api.schemas.league.ratings` describes each."""


class MatchTotals(NamedTuple):
    """What a match adds to the totals of a bot, besides the facts of the match."""

    preset: str
    counts: Mapping[str, int]
    silent: bool = False
    """Whether the seat was forfeited by timeouts after its last move. If no late move came either, the bot counts as
    `disconnected`, else as `too_slow`."""
    ended: int = 0
    """The end of the match, in ms since 1970."""


@dataclass
class DayStatistics:
    """A bot's figures: sums by name, refusals by code, thinking times by series (`None` for all further series), and
    the sums of its regret by game and place (`league.fitness.regret`)."""

    sums: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    totals: MatchTotals | None = None
    times: dict[ThinkingSeries | None, ThinkingTimes] = field(default_factory=dict)
    regret: Counter[str] = field(default_factory=Counter)

    def merge(self, other: DayStatistics) -> None:
        self.sums.update(other.sums)
        self.refused.update(other.refused)
        self.regret.update(other.regret)
        for series, times in other.times.items():
            self.times.setdefault(series, ThinkingTimes()).merge(times)
