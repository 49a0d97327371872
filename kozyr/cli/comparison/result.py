"""The result of a comparison: groups are counted in the order in which they started, until something ends it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from records.results.group_statistics import Estimate
from records.results.points import Tally
from records.results.sprt import Hypotheses, Sprt

ABSENT_IN_A_ROW: Final = 3
"""After this number of aborted groups in a row a comparison ends: a bot does not show up."""


class ComparisonEnding(enum.StrEnum):
    """Why a comparison ended."""

    VERDICT = "verdict"
    """The sequential test accepted a hypothesis."""
    COMPLETE = "complete"
    """All groups were played."""
    CHANGED = "changed"
    """A bot got another version. A result belongs to one pair of versions."""
    ABSENT = "absent"
    """Bots did not show up for several groups in a row."""
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    """The service refused a request, or was away for too long."""


class ComparedBot(NamedTuple):
    """What one of the two bots did in a group."""

    bot: str
    """`owner/bot`."""
    version: str
    points: int
    deals: int
    forfeits: int


class ComparedGroup(NamedTuple):
    """A group that counts."""

    id: str
    bots: tuple[ComparedBot, ComparedBot]

    @property
    def versions(self) -> tuple[str, str]:
        """The versions of both bots."""
        one, other = self.bots
        return one.version, other.version

    @property
    def lead(self) -> float:
        """How many points per deal the first bot was ahead of the other."""
        one, other = self.bots
        return one.points / one.deals - other.points / other.deals

    def to_json(self) -> dict[str, Any]:
        """Return the group for `--json`."""
        return {"group": self.id, "lead": self.lead, "bots": [bot._asdict() for bot in self.bots]}


class UncountedGroup(enum.Enum):
    """A group that does not count."""

    ABORTED = "aborted"
    """A bot did not show up."""
    VOID = "void"


def outcome_of(group: Mapping[str, Any], names: tuple[str, str]) -> ComparedGroup | UncountedGroup:
    """Return the result of a group that has ended, from its document, for the bots with these names."""
    if group["status"] == UncountedGroup.ABORTED.value:
        return UncountedGroup.ABORTED
    lines = {line["bot"]: line for line in (group["result"] or {"bots": []})["bots"]}
    if not all(name in lines and lines[name]["deals"] for name in names):
        return UncountedGroup.VOID
    one, other = (ComparedBot(*(lines[name][field] for field in ComparedBot._fields)) for name in names)
    return ComparedGroup(group["id"], (one, other))


class Comparison:
    """Two bots and the groups that they have played.

    A group is counted once all groups that started before it have ended. So the order does not depend on results,
    as the sequential test requires.
    """

    def __init__(self, names: tuple[str, str], most: int | None, tested: Hypotheses | None = None) -> None:
        """`most` is the number of groups to count, `None` for no limit."""
        self.names, self.most = names, most
        self.sprt = None if tested is None else Sprt(tested)
        self.groups: list[ComparedGroup] = []
        """The counted groups."""
        self.uncounted = dict.fromkeys(UncountedGroup, 0)
        self.versions: tuple[str, str] | None = None
        """The versions of both bots in all counted groups."""
        self.changed: tuple[str, str] | None = None
        """The versions in the first group with others."""
        self.ending: ComparisonEnding | None = None
        self._tally = Tally()
        self._ended: dict[int, ComparedGroup | UncountedGroup] = {}
        self._next = self._absent = 0

    def wants_more_than(self, started: int) -> bool:
        """Return whether another group should start when this many have started."""
        running = started - self._next
        return self.ending is None and (self.most is None or len(self.groups) + running < self.most)

    def add(self, number: int, outcome: ComparedGroup | UncountedGroup) -> None:
        """Add the group that started as number `number`, from 0, and count what can be counted now."""
        self._ended[number] = outcome
        while self.ending is None and self._next in self._ended:
            self._count(self._ended.pop(self._next))
            self._next += 1

    def end(self, ending: ComparisonEnding) -> None:
        """End the comparison, unless it has ended. Groups that ended before an earlier one count too, but not in the
        sequential test."""
        if self.ending is not None:
            return
        self.ending = ending
        for _, outcome in sorted(self._ended.items(), key=lambda each: each[0]):
            if isinstance(outcome, ComparedGroup) and outcome.versions == (self.versions or outcome.versions):
                self._keep(outcome)

    def points_per_deal(self, name: str) -> Estimate:
        """Return the points per deal of one of the bots. Raise `ValueError` before the first group."""
        return self._tally.of(name)

    def lead(self) -> Estimate:
        """Return how many points per deal the first bot is ahead. Raise `ValueError` before the first group."""
        return self._tally.difference(*self.names)

    def balance(self) -> tuple[int, int, int]:
        """Return in how many groups the first bot was ahead, even and behind."""
        leads = [group.lead for group in self.groups]
        ahead, behind = sum(lead > 0 for lead in leads), sum(lead < 0 for lead in leads)
        return ahead, len(leads) - ahead - behind, behind

    def _count(self, outcome: ComparedGroup | UncountedGroup) -> None:
        if isinstance(outcome, UncountedGroup):
            self.uncounted[outcome] += 1
            self._absent = self._absent + 1 if outcome is UncountedGroup.ABORTED else 0
            if self._absent == ABSENT_IN_A_ROW:
                self.end(ComparisonEnding.ABSENT)
            return
        self._absent = 0
        if outcome.versions != (self.versions or outcome.versions):
            self.changed = outcome.versions
            self.end(ComparisonEnding.CHANGED)
            return
        self._keep(outcome)
        if self.sprt is not None and self.sprt.add(outcome.lead) is not None:
            self.ending = ComparisonEnding.VERDICT
        elif len(self.groups) == self.most:
            self.ending = ComparisonEnding.COMPLETE

    def _keep(self, group: ComparedGroup) -> None:
        self.versions = group.versions
        self.groups.append(group)
        for bot in group.bots:
            self._tally.count(group.id, bot.bot, bot.points, bot.deals)
