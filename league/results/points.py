"""Points per deal from records alone. Pure; the same records give the same figures in any order.

A bot's **deal** is a deal played from one seat: a bot with two seats of a table plays two. Aborted and void matches
do not count. Deals of a **group** (one deck, several tables) are dependent, so intervals are computed over groups; a
match outside groups is a group of its own. The method is the percentile bootstrap over whole groups, in its expanded
form, whose width is right for few groups too (T. Hesterberg, What Teachers Should Know About the Bootstrap, The
American Statistician 69(4), 2015, section 5). The resamples depend only on the number of groups, so results are
reproducible.

A tally takes records one by one and keeps the sums of each bot in each group, about 0.4 KB. Beyond `CELLS` groups it
first merges groups into cells by a hash of their ids. That bounds the time and keeps the intervals.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from operator import itemgetter
from random import Random
from statistics import NormalDist
from struct import Struct
from typing import Final

from league.results.group_result import is_complete
from league.results.group_statistics import CONFIDENCE, Estimate, student
from league.results.record_fields import Record, dealt, group_of, happened

REPLICATES: Final = 1000
"""How many resamples make an interval."""
CELLS: Final = 1000
"""The maximum number of cells for resampling."""


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
        sums = {group: found[bot] for group, found in self._groups.items() if bot in found}
        if not any(deals for _, deals in sums.values()):
            raise ValueError(f"{bot!r} has played no deal that counts")
        cells = _cells({group: (points, deals) for group, (points, deals) in sums.items()})

        def mean(totals: Sequence[float]) -> float:
            return totals[0] / totals[1]

        return _estimate(cells, mean, sum(deals for _, deals in sums.values()), len(sums))

    def difference(self, one: str, other: str) -> Estimate:
        """Return how many points per deal `one` is ahead of `other`, over the groups that both have played. `deals`
        counts those of `one`. Raise `ValueError` if there are none."""
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
        return _estimate(_cells(sums), ahead, deals, len(sums))


def _cells(sums: Mapping[str, tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return the sums to resample, in an order that depends on the ids alone."""
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
) -> Estimate:
    columns = list(zip(*cells, strict=True))
    mean = statistic([sum(column) for column in columns])
    if len(cells) < 2:
        return Estimate(mean, None, None, deals, groups)
    size = len(cells)
    found: list[float] = []
    for totals in zip(*map(_resampled_sums, columns), strict=True):
        # A sample without deals, all forfeited before the first one, has no mean.
        with suppress(ZeroDivisionError):
            found.append(statistic(totals))
    found.sort()
    tail = NormalDist().cdf(math.sqrt(size / (size - 1)) * student((1 - CONFIDENCE) / 2, size - 1))
    last = len(found) - 1
    at = tail * last
    return Estimate(mean, _between(found, at), _between(found, last - at), deals, groups)


@lru_cache(maxsize=8)
def _resampled_sums(column: tuple[float, ...]) -> list[float]:
    """Return the sum of each resample of a column. Estimates of one tally share columns."""
    size, first = len(column), column[0]
    if isinstance(first, int) and column.count(first) == size:  # such as the deals of complete groups
        return [size * first] * REPLICATES
    places = Struct(f"<{size}I")
    return [sum(itemgetter(*places.unpack(drawn))(column)) for drawn in _resamples(size)]


@lru_cache(maxsize=2)
def _resamples(size: int) -> Sequence[bytes]:
    """Draw `size` places with replacement, `REPLICATES` times. All columns of a table share the draws.

    A draw holds its places as words of 32 bits. A random word gives the place `size * word >> 32`; the chances of two
    places differ by 1 in 2**32 at most. One multiplication of a large int does all even words of a draw, and another
    all odd ones, each in 64 bits. That is several times as fast as a loop over the words.
    """
    rng = Random(size)
    even = int.from_bytes(b"\xff\xff\xff\xff\0\0\0\0" * ((size + 1) // 2), "little")
    odd = even << 32
    draws = []
    for _ in range(REPLICATES):
        words = rng.getrandbits(32 * size)
        places = size * (words & even) >> 32 & even | size * (words >> 32 & even) & odd
        draws.append(places.to_bytes(4 * size, "little"))
    return draws


def _between(values: Sequence[float], at: float) -> float:
    """Return the interpolated value at a fractional index."""
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])
