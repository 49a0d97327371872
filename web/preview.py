"""The picture of a table that chats and feeds show beside a link."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SIZE: Final = (1200, 630)
"""Pixels, in the shape that the Open Graph protocol's readers show whole."""
_FELT, _INK, _PAPER, _BACK, _QUIET = "#14532d", "#f8fafc", "#ffffff", "#1e40af", "#a7c4b0"
_SUITS: Final = {"C": "#15803d", "D": "#1d4ed8", "H": "#dc2626", "S": "#0f172a"}
"""A colour for each suit, as on the page's cards."""
_MARGIN: Final = 40
_NAME: Final = 280
"""The most that a seat's name is wide."""
_LEFT: Final = _MARGIN + _NAME + 20
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

    image = Image.new("RGB", SIZE, _FELT)
    draw = ImageDraw.Draw(image)
    draw.text((_MARGIN, 26), title, _INK, _font(44))
    draw.text((SIZE[0] - _MARGIN, 26), "Kozyr", _QUIET, _font(44), anchor="ra")
    top, height = 100, (SIZE[1] - 120) // max(len(fans), 3)
    for row, fan in enumerate(fans):
        _draw_fan(draw, fan, top + row * height, height - 8)
    written = io.BytesIO()
    image.quantize(64, Image.Quantize.FASTOCTREE).save(written, "PNG")  # half the bytes
    return written.getvalue()


def _draw_fan(draw: ImageDraw, fan: Fan, top: int, height: int) -> None:
    size = min(28, height // 2)
    width = draw.textlength(fan.label, _font(size))
    fitting = size if width <= _NAME else max(1, int(size * _NAME / width))
    draw.text((_MARGIN, top + height // 2), fan.label, _INK, _font(fitting), anchor="lm")
    count, wide = len(fan.cards) + fan.hidden, height * 5 // 7
    room = SIZE[0] - _LEFT - _MARGIN - wide
    step = min(wide + 6, room // max(count - 1, 1))
    for number in range(count):
        left = _LEFT + number * step
        card = fan.cards[number] if number < len(fan.cards) else None
        _draw_card(draw, card, (left, top, left + wide, top + height))


def _draw_card(draw: ImageDraw, card: str | None, box: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = box
    radius = (right - left) // 8
    draw.rounded_rectangle(box, radius, _BACK if card is None else _PAPER, "#334155", 2)
    if card is None:
        return
    rank, suit = card[0], card[1]
    colour, size = _SUITS[suit], (bottom - top) * 2 // 5
    draw.text((left + radius, top + radius), "10" if rank == "T" else rank, colour, _font(size), anchor="lt")
    middle = (left + (right - left) // 3, bottom - (bottom - top) // 4)
    _draw_suit(draw, suit, middle, (bottom - top) // 6)


def _draw_suit(draw: ImageDraw, suit: str, middle: tuple[int, int], half: int) -> None:
    """Draw the sign of a suit around `middle`, `half` of it to each side."""
    x, y = middle
    colour, ball = _SUITS[suit], half * 11 // 20
    if suit == "D":
        draw.polygon([(x, y - half), (x + half * 4 // 5, y), (x, y + half), (x - half * 4 // 5, y)], colour)
        return
    if suit == "H":
        balls = [(x - half // 2, y - half // 3), (x + half // 2, y - half // 3)]
        draw.polygon([(x - half, y - half // 8), (x + half, y - half // 8), (x, y + half)], colour)
    else:
        balls = [(x - half // 2, y + half // 4), (x + half // 2, y + half // 4)]
        draw.polygon([(x, y), (x + half // 3, y + half), (x - half // 3, y + half)], colour)
    if suit == "S":
        draw.polygon([(x - half, y + half // 8), (x + half, y + half // 8), (x, y - half)], colour)
    if suit == "C":
        balls.append((x, y - half // 2))
    for at in balls:
        draw.circle(at, ball, colour)


def _cards(found: Any) -> Iterator[str]:
    """Yield the cards in a member of an observation: a card, or lists of cards, of pairs or of seats with cards."""
    if isinstance(found, str):
        if len(found) == 2 and found[1] in _SUITS:
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
