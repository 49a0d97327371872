"""Streams of matches as server-sent events."""

from __future__ import annotations

import enum
from typing import Final

from marshmallow import fields

from api.schemas.common import Choice, Number, Pattern, Strict, YesNo

MOST_STREAM_S: Final = 3600
MOST_MATCHES: Final = 16
_MATCH: Final = "[0-9]{2}[0-9a-z]{26}"
MATCHES: Final = f"^{_MATCH}(,{_MATCH}){{0,{MOST_MATCHES - 1}}}$"
NUMBERS: Final = f"^[0-9]{{1,9}}(-[0-9]{{1,9}}){{0,{MOST_MATCHES - 1}}}$"


class StreamKind(enum.StrEnum):
    """What the messages of a stream hold."""

    EVENTS = "events"
    FRAMES = "frames"


class _TimedQuery(Strict):
    seconds = Number(0, MOST_STREAM_S, "When the stream ends at the latest", load_default=MOST_STREAM_S)


class _StreamQuery(_TimedQuery):
    kind = Choice(
        [kind.value for kind in StreamKind],
        "What the messages hold: events, or frames with the table after each step",
        load_default=StreamKind.EVENTS.value,
    )


class MatchStreamQuery(_StreamQuery):
    """What to stream of a match."""

    after = Number(0, 10**9, "Only what has higher numbers", load_default=0)


class OwnerStreamQuery(_TimedQuery):
    """What to stream of an owner."""

    after = Number(0, 10**9, "Only events with higher numbers; by default, events from now on")


class BotStreamQuery(OwnerStreamQuery):
    """What to stream of a bot."""

    turns = YesNo(
        "Whether the stream sends the bot's turns and marks the bot as online, as a poll does. Set "
        "it to false to watch a bot that plays elsewhere",
        load_default=True,
    )


class PageStreamQuery(_StreamQuery):
    """What to stream of several matches."""

    matches = fields.String(
        required=True,
        validate=Pattern(MATCHES),
        metadata={
            "pattern": MATCHES,
            "example": "17dl3fnr0cz8v8jq2m5x7k9w1hbt",
            "description": f"The ids of 1 to {MOST_MATCHES} matches, separated by commas",
        },
    )
    after = fields.String(
        load_default="0",
        validate=Pattern(NUMBERS),
        metadata={
            "pattern": NUMBERS,
            "description": "By match, only what has higher numbers, as in `17-0-230`: the `id` of a message. Matches "
            "without a number start from the beginning",
        },
    )


def numbers_of(text: str, count: int) -> list[int]:
    """Return `count` numbers of an event id; missing ones are 0. Raises `ValueError` for text that is no event id."""
    found = [int(number) for number in text.split("-")] if text.isascii() and len(text) < 400 else None
    if found is None or any(not 0 <= number <= 10**9 for number in found):
        raise ValueError(text)
    return (found + [0] * count)[:count]
