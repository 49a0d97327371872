"""The colours of a cross table."""

from __future__ import annotations

from typing import Final, NamedTuple

from league.ladders.model import Totals

_SHADES: Final = 4
_FULL: Final = 1.0
"""The distance from the ladder's average, in points per deal, that has the strongest shade."""


class HeatCell(NamedTuple):
    """A cell of the cross table."""

    mean: float
    """Points per deal."""
    reach: float | None
    """Half the width of the 95 % interval."""
    matches: int
    win_share: float
    shade: int
    """From -4, far below the average of the ladder, to 4."""


def heat_cell(line: Totals | None, average: float) -> HeatCell | None:
    """Return the cell of these totals; `None` before the first deal."""
    if line is None or line.estimate is None:
        return None
    estimate = line.estimate
    reach = None if estimate.high is None else estimate.high - estimate.mean
    part = max(-1.0, min(1.0, (estimate.mean - average) / _FULL))
    return HeatCell(estimate.mean, reach, line.matches, line.wins / line.matches, round(part * _SHADES))
