"""The picture of a table that chats and feeds show beside a link."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from web.artwork import SUITS, draw_court, draw_suit

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SIZE: Final = (1200, 630)
"""Pixels, in the shape that the Open Graph protocol's readers show whole."""
_FELT, _INK, _PAPER, _BACK, _QUIET = "#1f5d42", "#f3f1e7", "#fdfcf8", "#7d1f33", "#a7c4b0"
_FINER: Final = 2
"""The picture is drawn this many times as large and then reduced, for smooth edges."""
_WIDTH, _HEIGHT = SIZE[0] * _FINER, SIZE[1] * _FINER
_MARGIN: Final = 80
_NAME: Final = 560
"""The most that a seat's name is wide."""
_LEFT: Final = _MARGIN + _NAME + 40
"""Where cards begin."""
_ON_TABLE: Final = ("trump_card", "pairs", "trick", "top", "pickup")
"""The members of an observation whose cards lie open on the table."""


class Fan(NamedTuple):
    """A line of the picture: the cards of a seat, or those on the table."""

    label: str
    cards: Sequence[str]
    hidden: int = 0
    """Cards that the viewer does not see."""


def fans_of(names: Sequence[str], seen: Mapping[str, Any]) -> list[Fan]:
    """Return the hands of an observation by seat, and then the cards on the table if there are any. Before the cards
    are dealt there is nothing."""
    if seen.get("hand_sizes") is None:
        return []
    fans = []
    for seat, name in enumerate(names):
        hand = (seen.get("hands") or {seat: ()})[seat]
        fans.append(Fan(name, hand, seen["hand_sizes"][seat] - len(hand)))
    table = [card for member in _ON_TABLE for card in _cards(seen.get(member))]
    return [*fans, Fan("on the table", table)] if table else fans


def png(title: str, fans: Sequence[Fan]) -> bytes:
    """Return the picture as a PNG file of `SIZE`. The text is ASCII."""
    from PIL import Image, ImageDraw  # takes long, and most processes draw nothing

    image = Image.new("RGB", (_WIDTH, _HEIGHT), _FELT)
    draw = ImageDraw.Draw(image)
    draw.text((_MARGIN, 52), title, _INK, _font(88))
    draw.text((_WIDTH - _MARGIN, 52), "Kozyr", _QUIET, _font(88), anchor="ra")
    top, height = 200, (_HEIGHT - 240) // max(len(fans), 3)
    for row, fan in enumerate(fans):
        _draw_fan(draw, fan, top + row * height, height - 16)
    written = io.BytesIO()
    image.reduce(_FINER).quantize(64, Image.Quantize.FASTOCTREE).save(written, "PNG")  # half the bytes
    return written.getvalue()


def _draw_fan(draw: ImageDraw, fan: Fan, top: int, height: int) -> None:
    size = min(56, height // 2)
    width = draw.textlength(fan.label, _font(size))
    fitting = size if width <= _NAME else max(1, int(size * _NAME / width))
    draw.text((_MARGIN, top + height // 2), fan.label, _INK, _font(fitting), anchor="lm")
    count, wide = len(fan.cards) + fan.hidden, height * 32 // 45
    room = _WIDTH - _LEFT - _MARGIN - wide
    step = min(wide + 12, room // max(count - 1, 1))
    for number in range(count):
        card = fan.cards[number] if number < len(fan.cards) else None
        _draw_card(draw, card, (_LEFT + number * step, top), wide)


def _draw_card(draw: ImageDraw, card: str | None, corner: tuple[int, int], wide: int) -> None:
    """Draw a card of 64 by 90 units: its index to the left, a figure or the sign of its suit beside it."""
    (left, top), unit = corner, wide / 64
    box = (left, top, left + wide, top + wide * 45 // 32)
    draw.rounded_rectangle(box, round(6 * unit), _PAPER, "#8a8473", 2)
    if card is None:
        inner = (left + 5 * unit, top + 5 * unit, left + 59 * unit, top + 85 * unit)
        draw.rounded_rectangle(inner, round(3 * unit), _BACK)
        return
    rank, suit = card[0], card[1]
    index, font = (
        ("10", _font(max(1, round(19 * unit)))) if rank == "T" else (rank, _font(max(1, round(24 * unit))))
    )
    draw.text((left + 11 * unit, top + 14 * unit), index, SUITS[suit], font, anchor="mm")
    draw_suit(draw, suit, (left + 3.5 * unit, top + 26 * unit), 15 * unit)
    if rank in "JQK":
        draw_court(draw, card, (left + 40.5 * unit, top + 45 * unit), unit)
    else:
        draw_suit(draw, suit, (left + 22 * unit, top + 30 * unit), 36 * unit)


def _cards(found: Any) -> Iterator[str]:
    """Yield the cards in a member of an observation: a card, or lists of cards, of pairs or of seats with cards."""
    if isinstance(found, str):
        if len(found) == 2 and found[1] in SUITS:
            yield found
    elif isinstance(found, list):
        for each in found:
            yield from _cards(each)


@cache
def _font(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    found = ImageFont.load_default(size)
    assert not isinstance(found, ImageFont.ImageFont)  # a size chooses the scalable font
    return found
