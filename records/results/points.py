"""Points per deal from records alone. Pure; the same records give the same figures in any order.

A bot's **deal** is a deal played from one seat: a bot with two seats of a table plays two. Aborted and void matches
do not count. Deals of a **group** (one deck, several tables) are dependent, so intervals are computed over groups
(`records.results.group_statistics`); a match outside groups is a group of its own.
"""

from __future__ import annotations

import math

from records.results.group_result import is_complete
from records.results.group_statistics import Estimate, GroupStatistics, interval, per_deal
from records.results.record_fields import Record, dealt, group_of, happened


class SpoiltGroups:
    """Finds the duplicate groups that do not count, since one of their matches does not."""

    def __init__(self) -> None:
        self._tables: dict[str, list[tuple[str, ...]]] = {}
        self._broken: set[str] = set()

    def add(self, record: Record) -> bool:
        """Add a match. Return whether it counts, if its group does."""
        counts, group = happened(record), record["group"]
        if group is not None and counts:
            self._tables.setdefault(group, []).append(tuple(each["id"] for each in record["seats"]))
        elif group is not None:
            self._broken.add(group)
        return counts

    def groups(self) -> set[str]:
        """Return the ids of the spoilt groups among the records so far."""
        return {group for group in self._broken if not is_complete(self._tables.get(group, []))}


class Tally:
    """Sums by group and bot. Add records (`add`), or a bot's sums in a group (`count`)."""

    def __init__(self) -> None:
        self._sums: dict[str, dict[str, tuple[float, int]]] = {}
        self._names: dict[str, str] = {}
        self._spoilt = SpoiltGroups()

    def add(self, record: Record) -> None:
        """Add a match, if it counts."""
        if not self._spoilt.add(record):
            return
        group, deals = group_of(record), dealt(record)
        for sitting, points in zip(record["seats"], record["scores"], strict=True):
            self._names[sitting["id"]] = sitting["bot"]
            self.count(group, sitting["id"], points, deals)

    def count(self, group: str, bot: str, points: float, deals: int) -> None:
        """Add `deals` deals of a bot in a group, with `points` in total."""
        sums = self._sums.setdefault(group, {})
        before = sums.get(bot, (0, 0))
        sums[bot] = (before[0] + points, before[1] + deals)

    def lead(self, group: str, one: str, other: str) -> float:
        """Return how many points per deal `one` was ahead of `other` in a group. Raise `ValueError` if either did not
        play in it."""
        found = self._groups.get(group, {})
        if not all(bot in found and found[bot][1] for bot in (one, other)):
            raise ValueError(f"{one!r} and {other!r} have not both played group {group}")
        return found[one][0] / found[one][1] - found[other][0] / found[other][1]

    @property
    def spoilt(self) -> int:
        """The number of groups that do not count."""
        return len(self._spoilt.groups())

    @property
    def bots(self) -> dict[str, str]:
        """Names by id of the bots in records that were dealt cards."""
        played = {bot for found in self._groups.values() for bot, (_, deals) in found.items() if deals}
        return {bot: name for bot, name in sorted(self._names.items()) if bot in played}

    @property
    def _groups(self) -> dict[str, dict[str, tuple[float, int]]]:
        """The groups that count."""
        spoilt = self._spoilt.groups()
        return (
            {group: sums for group, sums in self._sums.items() if group not in spoilt}
            if spoilt
            else self._sums
        )

    def of(self, bot: str) -> Estimate:
        """Return the points per deal of a bot. Raise `ValueError` if it has played nothing."""
        sums = [found[bot] for found in self._groups.values() if bot in found]
        estimate = per_deal(GroupStatistics.of((deals, points) for points, deals in sums))
        if estimate is None:
            raise ValueError(f"{bot!r} has played no deal that counts")
        return estimate

    def difference(self, one: str, other: str) -> Estimate:
        """Return how many points per deal `one` is ahead of `other`, over the groups that both have played. `deals`
        counts those of `one`. Raise `ValueError` if there are none."""
        both = [
            (found[one], found[other]) for found in self._groups.values() if one in found and other in found
        ]
        totals = [[sum(column) for column in zip(*side, strict=True)] for side in zip(*both, strict=True)]
        if not all(deals for _, deals in totals) or not both:
            raise ValueError(f"{one!r} and {other!r} have played no group both")
        (_, deals), (_, others) = totals
        mine, theirs = (points / count for points, count in totals)
        errors = [
            (side[0] - mine * side[1]) / deals - (against[0] - theirs * against[1]) / others
            for side, against in both
        ]
        return interval(mine - theirs, math.fsum(error * error for error in errors), int(deals), len(both))
