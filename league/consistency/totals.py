"""The totals of a season as they follow from its records, in the form in which Redis has them. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from struct import Struct
from typing import Final

from league.ladders.model import LadderResult

_LINE: Final = Struct(">9q")
_SHARE: Final = Struct(">3q")
"""As in league/ladders/lua/totals.lua."""

Lines = dict[str, dict[str, bytes]]
"""By the name of a key, then of a line."""


class SeasonTotals:
    """The totals of one season."""

    def __init__(self, season: int) -> None:
        self._prefix = "" if season == 1 else f"season:{season}:"
        self._lines: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(
            lambda: defaultdict(lambda: [0] * 9)
        )
        self.shares: Lines = {}
        """By group."""
        self.void: defaultdict[int, list[str]] = defaultdict(list)
        """By round, the match keys of matches that don't count."""

    def add(self, results: Sequence[LadderResult]) -> None:
        """Add the matches of one group, or one match outside groups."""
        together: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 3)
        for result in results:
            rows = {"sums": result.sums} | {f"sums:{bot}": row for bot, row in result.cross.items()}
            for name, row in rows.items():
                for line, delta in row.items():
                    sums, share = self._lines[name][line], together[name, line]
                    for place, value in enumerate((delta.matches, delta.wins, delta.second)):
                        sums[place] += value
                    for place, value in enumerate((delta.matches, delta.deals, delta.points)):
                        share[place] += value
        for (name, line), (_, deals, points) in together.items():
            sums = self._lines[name][line]
            for place, value in enumerate((1, deals, points, deals**2, deals * points, points**2), 3):
                sums[place] += value
        group = results[0].group if results else None
        if group is not None:
            self.shares[group] = {
                f"{self._prefix}{name} {line}": _SHARE.pack(*share)
                for (name, line), share in together.items()
            }

    def lines(self) -> Lines:
        """Return the lines of totals."""
        return {
            name: {line: _LINE.pack(*sums) for line, sums in rows.items()}
            for name, rows in self._lines.items()
        }
