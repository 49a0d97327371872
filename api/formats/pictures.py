"""Pictures for a README: standings, a bot's rating curve, badges. Pure functions from figures to SVG.

The same figures give the same bytes. SVG is written by hand, since a plotting library takes seconds to import and
holds up a process that serves moves (docs/adr/0012). Presentation attributes alone carry the style, so no content
policy of the embedding page removes it, and the white ground keeps a picture readable on a dark page.

The reader's font is unknown, so widths are estimates on the safe side (`_width`): what does not fit is cut with an
ellipsis, and footers wrap.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

MOST_ROWS: Final = 50
"""The most bots in a picture of standings."""

_INK, _GREY, _PALE, _STRIPE = "#1f2933", "#5f6c7b", "#d9dee3", "#f5f7f9"
_LINE: Final = "#2166ac"
_MARGIN, _HEAD, _ROW, _FOOT = 16, 72, 26, 16
"""In pixels: the empty border, the space for a title, a row of a list, a line of a footer."""
_PANEL, _VALUE, _GAP, _MOST_NAME = 300, 60, 24, 300
_DAY_MS: Final = 86_400_000


class Bar(NamedTuple):
    """A value with its interval; `low` and `high` are `None` while the interval is unknown."""

    value: float
    low: float | None
    high: float | None
    fixed: bool = False
    """Whether the rating is an anchor's."""
    pooled: bool = False
    """Whether the rating is not comparable with the anchor."""


class PictureRow(NamedTuple):
    """A bot in the standings: points per deal and rating, as far as they are known."""

    name: str
    points: Bar | None
    rating: Bar | None


class CurvePoint(NamedTuple):
    """A rating after a group that ended at `ended` (ms since 1970)."""

    rating: float
    low: float
    high: float
    version: str
    ended: int


def standings(title: str, rows: Sequence[PictureRow], more: int = 0) -> str:
    """Draw two panels, points per deal and rating: a dot for each value and a bar for its interval, in the order given.
    `more` bots are not shown."""
    name = min(_MOST_NAME, max((_width(row.name) for row in rows), default=80))
    panels = (_MARGIN + name + _GAP, _MARGIN + name + 2 * _GAP + _PANEL + _VALUE)
    width, bottom = panels[1] + _PANEL + _VALUE + _MARGIN, _HEAD + _ROW * max(1, len(rows))
    if not any(row.points or row.rating for row in rows):
        parts = [_text(_MARGIN, _HEAD, "Nothing has been played yet.", colour=_GREY)]
        return _svg(title, 420, _HEAD + _MARGIN, parts)
    parts = [
        _rect(_MARGIN / 2, _HEAD + _ROW * number, width - _MARGIN, _ROW, _STRIPE)
        for number in range(0, len(rows), 2)
    ]
    for number, row in enumerate(rows):
        parts.append(_text(_MARGIN, _HEAD + _ROW * (number + 0.5) + 4.5, row.name, room=name))
    parts += _panel("points per deal", [row.points for row in rows], panels[0], lambda value: f"{value:+.2f}")
    parts += _panel("rating", [row.rating for row in rows], panels[1], lambda value: f"{value:.0f}")
    bars = [bar for row in rows for bar in (row.points, row.rating) if bar is not None]
    notes = ["Bars are 95 % intervals."]
    if any(bar.fixed for bar in bars):
        notes.append("Grey: fixed.")
    if any(bar.pooled for bar in bars):
        notes.append("*: not comparable with the anchor.")
    if any(bar.low is None for bar in bars):
        notes.append("Dashed: no interval yet.")
    if more:
        notes.append(f"{more} more are not shown.")
    footer, height = _footer(" ".join(notes), bottom + 42, width)
    return _svg(title, width, height, [*parts, *footer])


def curve(title: str, points: Sequence[CurvePoint]) -> str:
    """Draw a bot's rating after each of its groups, the oldest first, with its interval as a band, dates below, and a
    line where a new version began."""
    width, left, top, bottom = 720, 64, _HEAD, 290
    right = width - _MARGIN - 56
    low, high = min(point.low for point in points), max(point.high for point in points)
    x, y = _scale(1, len(points), left, right), _scale(low, high, bottom, top)
    if len(points) == 1:
        x = _scale(0, 2, left, right)
    parts = []
    for tick in _ticks(low, high):
        parts.append(_line(left, y(tick), right, y(tick), _PALE))
        parts.append(_text(left - 8, y(tick) + 4, f"{tick:g}", size=11, colour=_GREY, anchor="end"))
    parts += _dates(points, x, bottom)
    parts += _versions(points, x, top, bottom, width - _MARGIN)
    places = [(x(number), point) for number, point in enumerate(points, 1)]
    upper = [f"{at:.1f},{y(point.high):.1f}" for at, point in places]
    lower = [f"{at:.1f},{y(point.low):.1f}" for at, point in places]
    way = " ".join(f"{at:.1f},{y(point.rating):.1f}" for at, point in places)
    parts.append(f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{_LINE}" fill-opacity="0.15"/>')
    parts.append(f'<polyline points="{way}" fill="none" stroke="{_LINE}" stroke-width="2"/>')
    at, last = places[-1]
    # The last interval as a bar: all that there is to see of a single group.
    parts.append(_line(at, y(last.low), at, y(last.high), _LINE, 2))
    parts += [_line(at - 5, y(end), at + 5, y(end), _LINE, 2) for end in (last.low, last.high)]
    parts.append(_dot(at, y(last.rating)))
    parts.append(_text(at + 10, y(last.rating) + 4, f"{last.rating:.0f}", bold=True))
    count = "1 group" if len(points) == 1 else f"{len(points)} groups"
    footer, height = _footer(f"{count}; rating with its 95 % interval; dates in UTC", bottom + 44, width)
    return _svg(title, width, height, [*parts, *footer])


# Parts of pictures


def _panel(title: str, bars: Sequence[Bar | None], left: float, form: Callable[[float], str]) -> list[str]:
    """Draw one bar per row, with its value on the right."""
    parts = [_text(left, _HEAD - 10, title, size=12, colour=_GREY)]
    known = [bar for bar in bars if bar is not None]
    if not known:
        return parts
    ends = [end for bar in known for end in (bar.low, bar.value, bar.high) if end is not None]
    right, bottom = left + _PANEL, _HEAD + _ROW * len(bars)
    at = _scale(min(ends), max(ends), left + 6, right - 6)
    for tick in _ticks(min(ends), max(ends)):
        parts.append(_line(at(tick), _HEAD, at(tick), bottom, _PALE))
        parts.append(_text(at(tick), bottom + 16, f"{tick:g}", size=11, colour=_GREY, anchor="middle"))
    for number, bar in enumerate(bars):
        y = _HEAD + _ROW * (number + 0.5)
        if bar is None:
            parts.append(_text(right + _VALUE, y + 4, "–", colour=_GREY, anchor="end"))
            continue
        colour = _GREY if bar.fixed else _LINE
        if bar.low is None or bar.high is None:
            parts.append(_line(left, y, right, y, colour, dashed=True))
        else:
            parts.append(_line(at(bar.low), y, at(bar.high), y, colour, 2))
        parts.append(_dot(at(bar.value), y, colour, hollow=bar.low is None))
        value = form(bar.value) + "*" * bar.pooled
        parts.append(_text(right + _VALUE, y + 4, value, bold=bar.low is not None, anchor="end"))
    return parts


def _dates(points: Sequence[CurvePoint], x: _Scale, bottom: float) -> list[str]:
    """Draw up to six dates below the groups, or times of day if all groups ended within two days."""
    form = "%Y-%m-%d" if points[-1].ended - points[0].ended > 2 * _DAY_MS else "%m-%d %H:%M"
    last = len(points) - 1
    parts = []
    for index in sorted({round(last * step / 5) for step in range(6)}):
        text = f"{datetime.fromtimestamp(points[index].ended / 1000, UTC):{form}}"
        parts.append(_line(x(index + 1), bottom, x(index + 1), bottom + 5, _GREY))
        parts.append(_text(x(index + 1), bottom + 18, text, size=11, colour=_GREY, anchor="middle"))
    return parts


def _versions(points: Sequence[CurvePoint], x: _Scale, top: float, bottom: float, right: float) -> list[str]:
    """Draw a line where a version began, with its name if there is room before the next line."""
    begun = [(x(1), points[0].version)] if points[0].version else []
    for number, (before, after) in enumerate(pairwise(points), 2):
        if before.version != after.version:
            begun.append((x(number), after.version))
    parts = []
    for (at, version), end in zip(begun, [at for at, _ in begun[1:]] + [right], strict=True):
        parts.append(_line(at, top - 12, at, bottom, _PALE if at == x(1) else _GREY))
        if end - at >= 24:
            parts.append(_text(at + 4, top - 4, version, size=11, colour=_GREY, room=min(120, end - at - 8)))
    return parts


def _footer(text: str, y: float, width: float) -> tuple[list[str], float]:
    """Wrap a text, its first line at `y`. Return the lines and the height of a picture that ends below them."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _width(longer, 11) > width - 2 * _MARGIN:
            lines.append(word)
        else:
            lines[-1] = longer
    parts = [_text(_MARGIN, y + _FOOT * number, each, 11, _GREY) for number, each in enumerate(lines)]
    return parts, y + _FOOT * (len(lines) - 1) + _MARGIN


# Scales


class _Scale(NamedTuple):
    """Maps a value to a coordinate."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def _scale(low: float, high: float, start: float, end: float) -> _Scale:
    """Return the scale. A single value maps to the middle."""
    return _Scale(low, high, start, end) if high > low else _Scale(low - 1, high + 1, start, end)


def _ticks(low: float, high: float) -> list[float]:
    """Return two to six round numbers from `low` to `high`, or `low` alone if both are equal."""
    if high <= low:
        return [low]
    raw = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= raw)
    return [round(number * step, 9) for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


# Elements


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, thick: int = 1, *, dashed: bool = False
) -> str:
    dashes = ' stroke-dasharray="2 4"' if dashed else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{thick}"{dashes}/>'
    )


def _dot(x: float, y: float, colour: str = _LINE, *, hollow: bool = False) -> str:
    fill = "#ffffff" if hollow else colour
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'


def _text(
    x: float,
    y: float,
    text: str,
    size: int = 13,
    colour: str = _INK,
    *,
    bold: bool = False,
    anchor: str = "start",
    room: float | None = None,
) -> str:
    """Draw a text at this place, cut to `room` pixels.

    Right-to-left text keeps its direction; `anchor` refers to the page's left and right.
    """
    text = _printable(text)
    if room is not None:
        text = _cut(text, room, size)
    weight, direction = ' font-weight="bold"' if bold else "", ""
    if _is_right_to_left(text):
        direction = ' direction="rtl"'
        anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}{direction}>'
        f"{escape(text)}</text>"
    )


def badge(label: str, value: str, colour: str) -> str:
    """Return a badge: a label on grey, and a value on this colour."""
    label, value = _cut(label, _MOST_NAME, 11), _cut(value, _MOST_NAME, 11)
    left, right = (round(_width(text, 11)) + 14 for text in (label, value))
    width, title = left + right, escape(f"{label}: {value}", {'"': "&quot;"})
    texts = "".join(
        f'<text x="{middle:g}" y="14" text-anchor="middle">{escape(text)}</text>'
        for text, middle in ((label, left / 2), (value, left + right / 2))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" viewBox="0 0 {width} 20" '
        f'role="img" aria-label="{title}"><title>{title}</title>'
        f'<rect width="{width}" height="20" rx="3" fill="#4b5563"/>'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{right - 3}z" fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">{texts}</g></svg>\n'
    )


def _width(text: str, size: int = 13) -> float:
    """Estimate the width of a text in a sans-serif font, in pixels, rather too wide."""
    return size * sum(map(_ems, text))


def _ems(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    if letter in "il.,:;'|!ftjrI1 -/()[]":
        return 0.42 if letter not in "r1-" else 0.5
    return 0.95 if letter in "mwMWQ@%—…" else 0.75 if letter.isupper() else 0.64


def _cut(text: str, room: float, size: int) -> str:
    """Return the text, shortened with an ellipsis to fit."""
    if _width(text, size) <= room:
        return text
    end, used = 0, _width("…", size)
    while end < len(text) and used + size * _ems(text[end]) <= room:
        used += size * _ems(text[end])
        end += 1
    return text[:end].rstrip() + "…"


def _is_right_to_left(text: str) -> bool:
    """Return whether the first letter with a direction belongs to a right-to-left script."""
    kinds = (unicodedata.bidirectional(letter) for letter in text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"


def _printable(text: str) -> str:
    """Return the text without characters that XML forbids and without directional controls."""
    return "".join(letter for letter in text if letter.isprintable())


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    heading = _text(_MARGIN, 30, title, 16, bold=True, room=(width - 2 * _MARGIN) / 1.1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, sans-serif" role="img">'
        f'<title>{escape(_printable(title))}</title><rect width="100%" height="100%" fill="#ffffff"/>'
        + heading
        + "".join(parts)
        + "</svg>\n"
    )
