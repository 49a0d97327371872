"""Pictures for a README: standings, a bot's curve, a cross table. SVG, written by hand: pure, and the same bytes for
the same figures.

No library draws them: matplotlib takes a second to import and a tenth to draw, which in a process that serves moves
is everybody's time, while these take about a millisecond. They use presentation attributes alone, so that no policy
of the page they stand in takes their colours, and have a white ground, so that they can be read on a dark one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

MOST_ROWS: Final = 50
"""Bots that a picture of standings shows."""
MOST_CELLS: Final = 25
"""Bots that a cross table shows."""

_INK, _PALE, _BLUE, _GREY = "#1f2933", "#d9dee3", "#2166ac", "#7b8794"
_ROW, _PANEL = 22, 380


class Bar(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float
    fixed: bool = False
    """Whether it is an anchor's."""


class Row(NamedTuple):
    """A bot in the standings: points per deal and rating, as far as they and their intervals are known."""

    name: str
    points: Bar | None
    rating: Bar | None


class Cell(NamedTuple):
    """What a bot made against another."""

    points: float
    """Per deal."""
    reach: float | None
    """Of its interval to either side; `None` where there is none."""
    won: float
    """Its share of the matches."""


class Point(NamedTuple):
    """A rating after a group."""

    rating: float
    low: float
    high: float
    version: str


def standings(title: str, rows: Sequence[Row], more: int = 0) -> str:
    """Two panels, points per deal and rating: a dot for each value and a bar for its interval, in the order given.
    `more` bots are not shown."""
    left = 30 + 7 * max((len(row.name) for row in rows), default=10)
    width, top = left + 2 * _PANEL, 60
    height = top + _ROW * max(1, len(rows)) + 40
    parts = [_text(12, 24, title, size=15, bold=True)]
    if not any(row.points or row.rating for row in rows):
        parts.append(_text(12, top + 15, "Too few groups for any interval yet.", colour=_GREY))
        return _svg(title, width, height, parts)
    for number, row in enumerate(rows):
        parts.append(_text(12, top + _ROW * number + _ROW / 2 + 4, row.name))
    parts += _panel("points per deal", [row.points for row in rows], left, top, "+.2f")
    parts += _panel("rating", [row.rating for row in rows], left + _PANEL, top, ".0f")
    said = "with 95 % intervals; grey: fixed" + (f"; {more} more are not shown" if more else "")
    parts.append(_text(12, height - 8, said, size=11, colour=_GREY))
    return _svg(title, width, height, parts)


def curve(title: str, points: Sequence[Point]) -> str:
    """A bot's rating after each of its groups, the first first, with its interval as a band; a line where a new version
    began."""
    width, height, left, top, bottom = 640, 300, 56, 44, 260
    parts = [_text(12, 24, title, size=15, bold=True)]
    low, high = min(point.low for point in points), max(point.high for point in points)
    x, y = _scale(1, max(2, len(points)), left, width - 16), _scale(low, high, bottom, top)
    for tick in _ticks(low, high):
        parts.append(_line(left, y(tick), width - 16, y(tick), _PALE))
        parts.append(_text(left - 6, y(tick) + 4, f"{tick:g}", size=11, colour=_GREY, anchor="end"))
    upper = [f"{x(number):.1f},{y(point.high):.1f}" for number, point in enumerate(points, 1)]
    lower = [f"{x(number):.1f},{y(point.low):.1f}" for number, point in enumerate(points, 1)]
    parts.append(f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{_BLUE}" fill-opacity="0.15"/>')
    way = " ".join(f"{x(number):.1f},{y(point.rating):.1f}" for number, point in enumerate(points, 1))
    parts.append(f'<polyline points="{way}" fill="none" stroke="{_BLUE}" stroke-width="2"/>')
    for number, (before, after) in enumerate(pairwise(points), 2):
        if before.version != after.version:
            parts.append(_line(x(number), top, x(number), bottom, _GREY))
            parts.append(_text(x(number) + 3, top + 10, after.version[:16], size=11, colour=_GREY))
    parts.append(
        _text(12, height - 8, f"{len(points)} groups; rating and 95 % interval", size=11, colour=_GREY)
    )
    return _svg(title, width, height, parts)


def cross_table(title: str, names: Sequence[str], cells: Sequence[Sequence[Cell | None]]) -> str:
    """By row and column, what the row's bot made against the column's; blue is more than nothing, red is less."""
    shown = names[:MOST_CELLS]
    size, left, top = 54, 40 + 7 * max((len(name) for name in shown), default=10), 60
    width, height = max(360, left + size * len(shown) + 16), top + size * len(shown) + 34
    most = max((abs(cell.points) for row in cells for cell in row if cell is not None), default=0.0) or 1.0
    parts = [_text(12, 24, title, size=15, bold=True)]
    for number, name in enumerate(shown):
        y = top + size * number
        parts.append(_text(12, y + size / 2 + 4, f"{number + 1}  {name}"))
        parts.append(_text(left + size * (number + 0.5), top - 8, str(number + 1), anchor="middle"))
        for column in range(len(shown)):
            cell = None if column == number else cells[number][column]
            x = left + size * column
            place = f'x="{x}" y="{y}" width="{size - 2}" height="{size - 2}"'
            parts.append(f'<rect {place} fill="{_colour(None if cell is None else cell.points, most)}"/>')
            if cell is not None:
                ink = "#ffffff" if abs(cell.points) > 0.6 * most else _INK
                middle = x + size / 2 - 1
                parts.append(_text(middle, y + 20, f"{cell.points:+.2f}", 12, ink, anchor="middle"))
                if cell.reach is not None:
                    parts.append(_text(middle, y + 33, f"± {cell.reach:.2f}", 9, ink, anchor="middle"))
                parts.append(_text(middle, y + 45, f"{cell.won:.0%} won", 9, ink, anchor="middle"))
    said = "points per deal of the row's bot against the column's, 95 % interval, matches won"
    if len(names) > len(shown):
        said += f"; {len(names) - len(shown)} more are not shown"
    parts.append(_text(12, height - 8, said, size=11, colour=_GREY))
    return _svg(title, width, height, parts)


def _panel(title: str, bars: Sequence[Bar | None], left: float, top: float, form: str) -> list[str]:
    """Bars below each other, one a row."""
    known = [bar for bar in bars if bar is not None]
    parts = [_text(left, top - 8, title, size=12, colour=_GREY)]
    if not known:
        return parts
    low, high = min(bar.low for bar in known), max(bar.high for bar in known)
    at, bottom = _scale(low, high, left, left + _PANEL - 80), top + _ROW * len(bars)
    for tick in _ticks(low, high):
        parts.append(_line(at(tick), top, at(tick), bottom, _PALE))
        parts.append(_text(at(tick), bottom + 16, f"{tick:g}", size=11, colour=_GREY, anchor="middle"))
    for number, bar in enumerate(bars):
        if bar is not None:
            y = top + _ROW * number + _ROW / 2
            colour = _GREY if bar.fixed else _BLUE
            parts.append(_line(at(bar.low), y, at(bar.high), y, colour, 2))
            parts.append(f'<circle cx="{at(bar.value):.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
            parts.append(_text(left + _PANEL - 72, y + 4, format(bar.value, form), size=12, bold=True))
    return parts


def _colour(cell: float | None, most: float) -> str:
    if cell is None:
        return "#f2f4f6"
    end = (33, 102, 172) if cell >= 0 else (178, 24, 43)
    part = min(1.0, abs(cell) / most)
    return "#" + "".join(f"{round(247 + (to - 247) * part):02x}" for to in end)


def _scale(low: float, high: float, start: float, end: float) -> _Scale:
    return _Scale(low, high if high > low else low + 1, start, end)


class _Scale(NamedTuple):
    """Where a value lies in the picture."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def _ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers between these."""
    raw = max(high - low, 1e-9) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= raw)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, thick: int = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{thick}"/>'


def _text(
    x: float,
    y: float,
    said: str,
    size: int = 13,
    colour: str = _INK,
    *,
    bold: bool = False,
    anchor: str = "start",
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>'
        f"{_escaped(said)}</text>"
    )


def _escaped(said: str) -> str:
    """Without what XML has no place for."""
    return escape("".join(each for each in said if each.isprintable()))


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, sans-serif" role="img">'
        f'<title>{_escaped(title)}</title><rect width="100%" height="100%" fill="#ffffff"/>'
        + "".join(parts)
        + "</svg>\n"
    )
