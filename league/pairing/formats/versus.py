"""Versus: a comparison of two bots by a sequential test over duplicate groups (`records.results.sprt`).

The first two entrants are compared. With more seats, the entrants after them complete every table, so there must be
exactly as many as seats are left (house bots, for instance). Each round is a batch of `batch` meetings. Between
rounds the test decides whether A makes `low` or `high` points per deal more than B. The comparison ends after `most`
groups at the latest; without `low` and `high` only then. The circular order, and with it the partners of team games,
changes between meetings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.field import Field, Format, Pairing, PastMeetings, seated
from league.pairing.formats.ranking import Criterion, Rank, SeasonResults, ranked
from league.pairing.plan import rivals
from records.results.group_result import GroupResult
from records.results.sprt import ERROR_RATE, Sprt, SprtVerdict, hypotheses


@dataclass(frozen=True)
class Versus(Format):
    """Versus: the first two entrants are compared by a sequential test."""

    name: ClassVar[str] = "versus"
    parameters: ClassVar[tuple[str, ...]] = ("batch", "most", "low", "high", "alpha", "beta")
    adjustable: ClassVar[frozenset[str]] = frozenset({"batch", "most"})
    ends: ClassVar[bool] = True
    single_table: ClassVar[bool] = True
    criteria: ClassVar[tuple[Criterion, ...]] = (Criterion.VERDICT, Criterion.POINTS_PER_DEAL)

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
        both = _compared(field.outcomes, one.id, other.id)
        enough = None
        if (verdict := self._verdict(both, field.deals)) is not None:
            mean, groups = verdict
            enough = (
                f"{one.name} makes {mean:g} points a deal more than {other.name} "
                f"rather than {(self.low or 0) + (self.high or 0) - mean:g}, after {groups} groups"
            )
        elif len(both) >= self.most:
            enough = f"{self.most} groups have been played"
        if enough is not None:
            return Pairing((), over=enough)
        tables = [field.entrants] * min(self.batch, self.most - len(both))
        return Pairing(seated(tables, field.sides, PastMeetings(field.outcomes), field.seed))

    def rank(self, season: SeasonResults) -> list[Rank]:
        """Return the two compared bots of the last group by the verdict, then by points per deal, and the others after
        them. If the test found no difference, both are in first place."""
        found: dict[str, tuple[float | None, ...]] = {
            each.bot: (None, each.points_per_deal) for each in season.entries
        }
        if (last := self._last_compared(season)) is not None:
            one, other, both = last
            verdict = self._verdict(both, season.deals)
            mean = 0.0 if verdict is None else verdict[0]
            score = {one: (1 + (mean > 0) - (mean < 0)) / 2, other: (1 + (mean < 0) - (mean > 0)) / 2}
            equal = verdict is not None and mean == 0
            found |= {bot: (own, None if equal else found[bot][1]) for bot, own in score.items()}
        return ranked(season.entries, found)

    def is_complete(self, season: SeasonResults) -> bool:
        """Return whether the test has decided, or all groups have been played."""
        last = self._last_compared(season)
        return last is not None and (
            len(last[2]) >= self.most or self._verdict(last[2], season.deals) is not None
        )

    def _last_compared(self, season: SeasonResults) -> tuple[str, str, list[float]] | None:
        """Return the two compared bots of the last group and the differences of their points, by group."""
        played = {player.id for outcome in season.outcomes[-1:] for player in outcome.players}
        if not played:
            return None
        one, other = [each.bot for each in season.entries if each.bot in played][:2]
        return one, other, _compared(season.outcomes, one, other)

    def _verdict(self, differences: Sequence[float], deals: int) -> tuple[float, int] | None:
        """Return the difference in points per deal that the test accepted, and after how many groups."""
        if self.low is None or self.high is None:
            return None
        test = Sprt(hypotheses(self.low, self.high, self.alpha, self.beta))
        for difference in differences:
            verdict = test.add(difference / deals)
            if verdict is not None:
                return (self.high if verdict is SprtVerdict.H1 else self.low), test.groups
        return None


def _compared(outcomes: Sequence[GroupResult], one: str, other: str) -> list[float]:
    """Return by how many points the first bot was ahead of the second, in each group that compares them."""
    found = [_points(outcome, one, other) for outcome in outcomes]
    return [points[0] - points[1] for points in found if points is not None]


def _points(outcome: GroupResult, one: str, other: str) -> tuple[float, float] | None:
    """Return each bot's share of the points of its side, or `None` unless they played on different sides."""
    found = {player.id: side for side in outcome.sides for player in side.bots}
    if one not in found or other not in found or found[one] == found[other]:
        return None
    mine, theirs = found[one], found[other]
    return mine.points / len(mine.bots), theirs.points / len(theirs.bots)
