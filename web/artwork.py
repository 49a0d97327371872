"""The suits and court cards of the card table of pages, drawn with Pillow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from records.page.templating import static_text

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

Point = tuple[float, float]
SUITS: Final = {"C": "#15803d", "D": "#1d4ed8", "H": "#dc2626", "S": "#0f172a"}
"""A colour for each suit, as on four-coloured cards of the page."""
_INK: Final = "#2b2320"
_PAINTS: Final = {
    "gold": "#e9b73d",
    "skin": "#f6d7b0",
    "white": "#fffaf0",
    "second": "#b3283a",
    "hair": "#57402f",
}
_BESIDE_RED: Final = {"second": "#2b4c8c", "hair": "#9a6128"}
_PART: Final = re.compile(r"[MLCZlc]|-?(?:\d+\.?\d*|\.\d+)")
_STEPS: Final = 6
"""Straight lines that stand for a curve."""


@cache
def _artwork() -> Any:
    return json.loads(static_text("artwork.js").partition("ARTWORK = ")[2].rstrip(";\n"))


def draw_suit(draw: ImageDraw, suit: str, corner: Point, size: float) -> None:
    """Draw the sign of a suit in a square with this upper left corner."""
    top, outline = _artwork()["suits"][suit]
    scale = size / 100
    for shape in _shapes(f"M50 {top}{outline}"):
        draw.polygon([(corner[0] + x * scale, corner[1] + y * scale) for x, y in shape], SUITS[suit])


def draw_court(draw: ImageDraw, card: str, centre: Point, scale: float) -> None:
    """Draw the figure of a jack, queen or king around a point. Its frame is 39 by 80 times `scale`."""
    rank, suit = card[0], card[1]
    paints = {**_PAINTS, **(_BESIDE_RED if suit == "H" else {}), "robe": SUITS[suit]}
    frame = [
        (centre[0] - 19.5 * scale, centre[1] - 40 * scale),
        (centre[0] + 19.5 * scale, centre[1] + 40 * scale),
    ]
    draw.rounded_rectangle(frame, 3 * scale, "#f4f1ea", "#b9b4a6", max(1, round(scale)))
    for paint, outline in _artwork()["courts"][rank]:
        for shape in _shapes(outline):
            for turn in (scale, -scale):
                placed = [(centre[0] + x * turn, centre[1] + y * turn) for x, y in shape]
                if paint in paints:
                    draw.polygon(placed, paints[paint])
                draw.line(placed, _INK, max(1, round(scale * (0.7 if paint in paints else 1.2))))


@cache
def _shapes(outline: str) -> tuple[tuple[Point, ...], ...]:
    """Return the corners of each part of an SVG path of `M`, `L`, `C`, `l`, `c` and `Z`."""
    command, numbers, shape, shapes = "", list[float](), list[Point](), list[tuple[Point, ...]]()
    for part in _PART.findall(outline):
        if part.isalpha():
            command = part
            if part == "Z":
                shapes.append((*shape, shape[0]))
            if part in "MZ":
                shape = []
            continue
        numbers.append(float(part))
        if len(numbers) < (6 if command in "Cc" else 2):
            continue
        x, y = shape[-1] if command.islower() else (0, 0)
        points = [(x + numbers[i], y + numbers[i + 1]) for i in range(0, len(numbers), 2)]
        shape += points if len(points) == 1 else _curve(shape[-1], *points)
        numbers.clear()
    return tuple(shapes)


def _curve(start: Point, first: Point, second: Point, end: Point) -> Iterator[Point]:
    """Yield points on a cubic Bézier curve, without its start."""
    for step in range(1, _STEPS + 1):
        t = step / _STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        corners = (start, first, second, end)
        yield (
            sum(weight * corner[0] for weight, corner in zip(weights, corners, strict=True)),
            sum(weight * corner[1] for weight, corner in zip(weights, corners, strict=True)),
        )
