"""Frames of a match: the table after each step, as one viewer may see it."""

from __future__ import annotations

import re
from typing import Any, Final

from marshmallow import ValidationError, fields

from api.schemas.common import Json, Number, Strict, flag, listed, obj, ref, whole
from records.match.frames import CHANGES, WHOLE, Hands

MOST_FRAMES: Final = 1000
_VIEWER: Final = re.compile(r"all|[0-9]|10")


class ViewerField(fields.Field[int | Hands]):
    """A seat, or `all`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int | Hands:
        if value == Hands.ALL.value:
            return Hands.ALL
        if isinstance(value, str) and _VIEWER.fullmatch(value):
            return int(value)
        raise ValidationError("a seat from 0 to 10, or `all`, is expected")


class FramesQuery(Strict):
    """Whose view, and which frames."""

    seat = ViewerField(
        metadata={
            "type": "string",
            "pattern": f"^({_VIEWER.pattern})$",
            "description": "Whose view: a seat, or `all` for all hands. Default: your own seat, else what spectators "
            "see. Other seats and `all` need a match whose record may be read",
        }
    )
    after = Number(0, 10**9, "Only frames with higher numbers", load_default=0)
    limit = Number(1, MOST_FRAMES, "The most frames of a response", load_default=200)


_TABLE: Final[Json] = {"type": "object", "additionalProperties": True}

COMPONENTS: Final[dict[str, Json]] = {
    "Frame": obj(
        {
            "n": whole("The number of its last event; `after` continues there", 1),
            "events": listed(ref("MatchEvent"), "What happened in this step"),
            WHOLE: {
                **_TABLE,
                "description": "The table after the step, in the first frame of a response: an observation of the "
                "game, with `hands` by seat for `all`",
            },
            CHANGES: {
                **_TABLE,
                "description": "In every other frame: the members that differ from the frame before, with their new "
                "values",
            },
            "clocks": listed(
                ref("SeatClock"),
                "By seat after the step; absent where no clock differs from the frame before",
            ),
            "charged_ms": whole("What the move cost the bank of its seat; absent if nothing", 1),
        },
        "The events of one step of a match, and the table after it. Each event belongs to one frame.",
        optional=(WHOLE, CHANGES, "clocks", "charged_ms"),
    ),
    "FrameList": obj(
        {
            "frames": listed(ref("Frame"), "Oldest first"),
            "seat": {
                "oneOf": [{"type": ["integer", "null"]}, {"type": "string", "enum": [Hands.ALL.value]}],
                "description": "Whose view this is; null: a spectator's",
            },
            "over": flag("Whether the match is over and these are its last frames"),
        }
    ),
}
