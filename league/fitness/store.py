"""The stores of conformance checks, of the health of bots and of their statistics. `league.fitness.redis_checks`,
`redis_health` and `redis_statistics` implement them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from league.fitness.model import (
    CheckVerdict,
    ConformanceCheck,
    DayStatistics,
    Fault,
    FaultMet,
    Health,
    HealthUpdate,
)


class CheckStore(Protocol):
    """The store of conformance checks."""

    def current(self, bot: str) -> str | None:
        """Return the match of a bot's running check."""

    def begin(self, check: ConformanceCheck, before: str | None) -> bool:
        """Begin a check. Return false, without effect, if the bot's running check is not `before`."""

    def check(self, match: str) -> ConformanceCheck | None:
        """Return the check with this match."""

    def take(
        self, match: str, faults: Sequence[Fault], turn: int, move: str | None, *, one_a_turn: bool
    ) -> Fault | None:
        """Take the first of these faults that is left, and log it at this turn. With `one_a_turn`, return `None` if
        this turn had such a fault."""

    def note(self, match: str, met: Sequence[FaultMet]) -> None:
        """Log what the bot sent."""

    def decide(self, check: ConformanceCheck, verdict: CheckVerdict) -> CheckVerdict:
        """End a check. Return its verdict: this one, unless one is stored. A pass forgives the bot's matches that ended
        no later than the check's, and ends a suspension that later ones don't justify."""


class HealthStore(Protocol):
    """The store of the health of bots."""

    def health(self, bots: Sequence[str]) -> list[Health]:
        """Return the health of these bots."""

    def count(self, updates: Sequence[HealthUpdate]) -> None:
        """Count ended matches, each once."""

    def forget(self, void: Sequence[tuple[str, str]]) -> None:
        """Remove void matches of these bots. A suspension that depends on them ends."""


class StatisticsStore(Protocol):
    """The store of bot statistics by day. Days are counted from 1970."""

    def add(self, day: int, figures: Sequence[tuple[str, str | None, DayStatistics]]) -> None:
        """Add figures of bots, each with its match, or `None` for figures without one. A match among the last ones
        added is skipped. Takes one round trip."""

    def of(self, bot: str, days: Sequence[int]) -> list[DayStatistics]:
        """Return the bot's figures on these days."""
