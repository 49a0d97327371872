"""Points per deal, from records alone: pure, exact where it counts, and the same for the same records in any order.

A bot's **deal** here is one deal from one seat: a bot that has two seats of a table plays two. Matches that
were aborted or are void never happened. What varies together is a **group** (one deck, several tables), so
intervals are reckoned over groups, a match without a group being one of its own: the percentile bootstrap,
resampling whole groups, in its expanded form, which has the right width for few groups too (T. Hesterberg, What
Teachers Should Know About the Bootstrap, The American Statistician 69(4), 2015, section 5). Chance is seeded by
what is reckoned, so the same records always give the same figures.

A tally takes records one by one and keeps of each group the sums of each bot, some 0.4 KB. Beyond `CELLS`
groups they are first gathered into so many cells by a hash of their ids, which keeps the time bounded and the
intervals as they are.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from random import Random
from statistics import NormalDist
from typing import Any, Final, NamedTuple

from league.moments import CONFIDENCE, Estimate, student
from league.outcomes import happened

REPLICATES: Final = 1000
"""How many resamples make an interval."""
CELLS: Final = 1000
"""Into how many cells groups are gathered at most before they are resampled."""

Record = Mapping[str, Any]
"""A record's document (design page, The record)."""


class BotLine(NamedTuple):
    """What one bot made in one group."""

    bot: str
    id: str
    version: str
    points: int
    deals: int
    """From how many seats it played how many deals, all together."""
    advantage: float
    """The mean over its deals of its points less what that seat made with that deck on an average over all
    tables of the group: luck of the deck and of the seat is taken out."""
    forfeits: int
    """How many of its seats were forfeited."""

    @property
    def points_per_deal(self) -> float:
        """The mean over its deals."""
        return self.points / self.deals

    def to_json(self) -> dict[str, Any]:
        """The line in a group's result."""
        return {
            "bot": self.bot,
            "id": self.id,
            "version": self.version,
            "points": self.points,
            "deals": self.deals,
            "points_per_deal": self.points_per_deal,
            "advantage": self.advantage,
            "forfeits": self.forfeits,
        }


class GroupResult(NamedTuple):
    """What came of one group."""

    group: str
    preset: str
    ended: str
    """When its last match ended, RFC 3339."""
    deals: int
    """Of all its tables together."""
    bots: tuple[BotLine, ...]
    """By id, ascending."""

    def to_json(self) -> dict[str, Any]:
        """The group's line among the results."""
        return {**self._asdict(), "bots": [line.to_json() for line in self.bots]}


def group_of(record: Record) -> str:
    """The group of a record: its own id where it belongs to none."""
    return str(record["group"] or record["id"])


def dealt(record: Record) -> int:
    """How many deals of the match were dealt; a forfeit may have ended it before the last."""
    return sum(move["seat"] is None for move in record["moves"])


def group_result(records: Iterable[Record]) -> GroupResult:
    """The result of one group from the records of all its matches, in any order; those that never happened are
    left out.

    Raises `ValueError` for no record that counts, and for records of different groups, presets or numbers of deals.
    """
    counted = [record for record in records if happened(record)]
    if not counted:
        raise ValueError("a group's result needs at least one match that was played")
    groups = {(group_of(record), record["preset"], record["deals"]) for record in counted}
    if len(groups) > 1:
        raise ValueError(f"these are not matches of one group, preset and number of deals: {sorted(groups)}")
    ((group, preset, deals),) = groups
    tables = len(counted)
    by_seat = [sum(seat) for seat in zip(*(record["scores"] for record in counted), strict=True)]
    lines: dict[str, list[int]] = {}
    names: dict[str, tuple[str, str]] = {}
    for record in counted:
        for seat, sitting in enumerate(record["seats"]):
            line = lines.setdefault(sitting["id"], [0, 0, 0, 0])
            # Of tables of one group those with the latest version give its name.
            told = (sitting["bot"], sitting["version"])
            names[sitting["id"]] = max(names.get(sitting["id"], told), told)
            line[0] += record["scores"][seat]
            line[1] += deals
            # Whole numbers, so that no order of the records changes the last bit.
            line[2] += tables * record["scores"][seat] - by_seat[seat]
            line[3] += seat in record["forfeits"]
    return GroupResult(
        group,
        preset,
        max(record["ended"] for record in counted),
        tables * deals,
        tuple(
            BotLine(names[bot][0], bot, names[bot][1], points, played, above / (tables * played), forfeits)
            for bot, (points, played, above, forfeits) in sorted(lines.items())
        ),
    )


class Tally:
    """Sums by group and bot. Feed it records (`add`), or what is known of a bot in a group (`count`)."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, tuple[float, int]]] = {}
        self._names: dict[str, str] = {}

    def add(self, record: Record) -> None:
        """One more match, if it counts."""
        if not happened(record):
            return
        group, deals = group_of(record), dealt(record)
        for sitting, points in zip(record["seats"], record["scores"], strict=True):
            self._names[sitting["id"]] = sitting["bot"]
            self.count(group, sitting["id"], points, deals)

    def count(self, group: str, bot: str, points: float, deals: int) -> None:
        """`deals` more deals of a bot in a group, with so many points in all."""
        sums = self._groups.setdefault(group, {})
        before = sums.get(bot, (0, 0))
        sums[bot] = (before[0] + points, before[1] + deals)

    def lead(self, group: str, one: str, other: str) -> float:
        """By how many points per deal `one` was ahead of `other` in a group. Raises `ValueError` if either was not
        in it."""
        found = self._groups.get(group, {})
        if not all(bot in found and found[bot][1] for bot in (one, other)):
            raise ValueError(f"{one!r} and {other!r} have not both played group {group}")
        return found[one][0] / found[one][1] - found[other][0] / found[other][1]

    @property
    def bots(self) -> dict[str, str]:
        """Names by id, of those that came in records."""
        return dict(sorted(self._names.items()))

    def of(self, bot: str) -> Estimate:
        """Points per deal of a bot. Raises `ValueError` for one that has played nothing."""
        sums = {group: found[bot] for group, found in self._groups.items() if bot in found}
        if not any(deals for _, deals in sums.values()):
            raise ValueError(f"{bot!r} has played no deal that counts")
        cells = _cells({group: (points, deals) for group, (points, deals) in sums.items()})

        def mean(totals: Sequence[float]) -> float:
            return totals[0] / totals[1]

        return _estimate(cells, mean, sum(deals for _, deals in sums.values()), len(sums), f"mean {bot}")

    def difference(self, one: str, other: str) -> Estimate:
        """By how many points per deal `one` is ahead of `other`, over the groups that both have played;
        `deals` are those of `one`. Raises `ValueError` where there are none."""
        sums = {
            group: (*found[one], *found[other])
            for group, found in self._groups.items()
            if one in found and other in found
        }
        if not all(any(each[deals] for each in sums.values()) for deals in (1, 3)):
            raise ValueError(f"{one!r} and {other!r} have played no group both")

        def ahead(totals: Sequence[float]) -> float:
            return totals[0] / totals[1] - totals[2] / totals[3]

        deals = sum(found[1] for found in sums.values())
        return _estimate(_cells(sums), ahead, deals, len(sums), f"difference {one} {other}")


def _cells(sums: Mapping[str, tuple[float, ...]]) -> list[tuple[float, ...]]:
    """What is resampled, in an order that the ids alone decide."""
    if len(sums) <= CELLS:
        return [sums[group] for group in sorted(sums)]
    gathered: dict[int, tuple[float, ...]] = {}
    for group in sorted(sums):
        digest = hashlib.blake2b(group.encode(), digest_size=8).digest()
        cell = int.from_bytes(digest, "big") % CELLS
        before = gathered.get(cell)
        found = sums[group]
        gathered[cell] = found if before is None else tuple(map(sum, zip(before, found, strict=True)))
    return [gathered[cell] for cell in sorted(gathered)]


def _estimate(
    cells: Sequence[tuple[float, ...]],
    statistic: Callable[[Sequence[float]], float],
    deals: int,
    groups: int,
    seed: str,
) -> Estimate:
    columns = list(zip(*cells, strict=True))
    mean = statistic([sum(column) for column in columns])
    if len(cells) < 2:
        return Estimate(mean, None, None, deals, groups)
    rng, size = Random(seed), len(cells)
    found: list[float] = []
    while len(found) < REPLICATES:
        drawn = itemgetter(*rng.choices(range(size), k=size))
        # Groups drawn of which none was dealt, each forfeited before, have no mean.
        with suppress(ZeroDivisionError):
            found.append(statistic([sum(drawn(column)) for column in columns]))
    found.sort()
    tail = NormalDist().cdf(math.sqrt(size / (size - 1)) * student((1 - CONFIDENCE) / 2, size - 1))
    at = tail * (REPLICATES - 1)
    return Estimate(mean, _between(found, at), _between(found, REPLICATES - 1 - at), deals, groups)


def _between(values: Sequence[float], at: float) -> float:
    """The value at a place that need not be whole."""
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])
