"""Versus: a comparison of two bots by a sequential test over duplicate groups (`records.results.sprt`).

The first two entrants are compared. With more seats, the entrants after them complete every table, so there must be
exactly as many as seats are left (house bots, for instance). Each round is a batch of `batch` meetings. Between
rounds the test decides whether A makes `low` or `high` points per deal more than B. The comparison ends after `most`
groups at the latest; without `low` and `high` only then. The circular order, and with it the partners of team games,
changes between meetings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.field import Field, Format, Pairing, PastMeetings, seated
from league.pairing.plan import rivals
from records.results.group_result import GroupResult
from records.results.sprt import ERROR_RATE, Sprt, SprtVerdict, hypotheses


@dataclass(frozen=True)
class Versus(Format):
    """Versus: the first two entrants are compared by a sequential test."""

    name: ClassVar[str] = "versus"
    parameters: ClassVar[tuple[str, ...]] = ("batch", "most", "low", "high", "alpha", "beta")
    single_table: ClassVar[bool] = True

    batch: int = 20
    most: int = 10_000
    low: float | None = None
    high: float | None = None
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE

    def pair(self, field: Field) -> Pairing:
        if len(field.entrants) != field.seats:
            raise NothingToPlay(
                f"two bots and {field.seats - 2} for the other seats make a table of {field.seats} seats; "
                f"{len(field.entrants)} entries can play"
            )
        if rivals(field.entrants):
            raise NothingToPlay("two bots of one owner never share a table")
        one, other = field.entrants[:2]
        both = [outcome for outcome in field.outcomes if _points(outcome, one.id, other.id) is not None]
        enough = self._verdict(field, both)
        if enough is None and len(both) >= self.most:
            enough = f"{self.most} groups have been played"
        if enough is not None:
            return Pairing((), over=enough)
        tables = [field.entrants] * min(self.batch, self.most - len(both))
        return Pairing(seated(tables, field.sides, PastMeetings(field.outcomes), field.seed))

    def _verdict(self, field: Field, outcomes: list[GroupResult]) -> str | None:
        if self.low is None or self.high is None:
            return None
        one, other = field.entrants[:2]
        test = Sprt(hypotheses(self.low, self.high, self.alpha, self.beta))
        for outcome in outcomes:
            points = _points(outcome, one.id, other.id)
            assert points is not None
            verdict = test.add((points[0] - points[1]) / field.deals)
            if verdict is not None:
                mean = self.high if verdict is SprtVerdict.H1 else self.low
                text = f"{one.name} makes {mean:g} points a deal more than {other.name}"
                return f"{text} rather than {self.low + self.high - mean:g}, after {test.groups} groups"
        return None


def _points(outcome: GroupResult, one: str, other: str) -> tuple[float, float] | None:
    """Return each bot's share of the points of its side, or `None` unless they played on different sides."""
    found = {player.id: side for side in outcome.sides for player in side.bots}
    if one not in found or other not in found or found[one] == found[other]:
        return None
    mine, theirs = found[one], found[other]
    return mine.points / len(mine.bots), theirs.points / len(theirs.bots)
