"""The stores of conformance checks, of the health of bots and of their statistics."""

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
    """What checks need of a store: the port. `league.fitness.redis_checks` is its Redis form."""

    def current(self, bot: str) -> str | None:
        """The match of the check that a bot is in."""

    def begin(self, check: ConformanceCheck, before: str | None) -> bool:
        """The bot is in this check and no longer in `before`; false, and nothing done, if it is not in `before`."""

    def check(self, match: str) -> ConformanceCheck | None:
        """The check with this match."""

    def take(
        self, match: str, faults: Sequence[Fault], turn: int, move: str | None, *, one_a_turn: bool
    ) -> Fault | None:
        """The first of these faults that is left to try, noted as met at this turn; with `one_a_turn` none where such
        a fault was met at this turn."""

    def note(self, match: str, met: Sequence[FaultMet]) -> None:
        """What the bot sent."""

    def decide(self, check: ConformanceCheck, verdict: CheckVerdict) -> CheckVerdict:
        """The verdict of a check, this one unless there is one, and the bot is in the check no longer."""


class HealthStore(Protocol):
    """What the health of bots needs of a store: the port. `league.fitness.redis_health` is its Redis form."""

    def health(self, bots: Sequence[str]) -> list[Health]:
        """Of these bots."""

    def count(self, told: Sequence[HealthUpdate]) -> None:
        """Each once, however often it is told."""

    def forget(self, void: Sequence[tuple[str, str]]) -> None:
        """Bots and matches of theirs that are void after all, as if they had not been told. A suspension that came of
        them ends."""


class StatisticsStore(Protocol):
    """What is needed of a store: the port. `league.fitness.redis_statistics` is its Redis form. Days are counted from
    1970."""

    def add(self, day: int, deeds: Sequence[tuple[str, str | None, DayStatistics]]) -> None:
        """Add what bots did, each with the match in which they did it: that is added once, if it is among the last that
        were; `None`: in none in particular. In one round trip."""

    def of(self, bot: str, days: Sequence[int]) -> list[DayStatistics]:
        """What the bot did on these days."""
