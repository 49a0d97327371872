"""Duplicate groups: what creates them, and what is told of them."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import (
    BOT_NAME,
    Json,
    Text,
    Whole,
    either,
    instant,
    listed,
    nullable,
    obj,
    ref,
    text,
    whole,
)
from api.schemas.matches import CasualSchema
from referee.groups.model import GroupKind, GroupStatus

_KINDS: Final = [kind.value for kind in GroupKind]
_BOT: Final = Text(BOT_NAME, metadata={"description": "`owner/bot`", "example": "example/fool"})


class NewGroupSchema(CasualSchema):
    """A duplicate group."""

    kind = fields.String(
        load_default=GroupKind.ROTATED.value,
        validate=validate.OneOf(_KINDS),
        metadata={
            "description": "`rotated`: the bots sit at as many tables as there are seats, one seat further at each. "
            "`once_only`: a table for each bot, in the same seat against the same house bots"
        },
    )
    bots = fields.List(
        _BOT,
        required=True,
        validate=validate.Length(1, 1000),
        metadata={
            "description": "Who meets the deck: for `rotated` as many as there are seats, in their order"
        },
    )
    orders = Whole(
        1,
        120,
        load_default=1,
        metadata={"description": "For `rotated`: in how many circular orders they sit, all seats in each"},
    )
    seat = Whole(
        0,
        15,
        load_default=0,
        metadata={"description": "For `once_only`: the seat in which each of them meets the deck"},
    )
    against = fields.List(
        _BOT,
        load_default=list,
        validate=validate.Length(0, 15),
        metadata={"description": "For `once_only`: the house bots on the other seats, in their order"},
    )


_LINE: Final = obj(
    {
        "bot": text("`owner/bot`"),
        "id": text("The bot's id, which never changes"),
        "version": text("The bot's version when the group was made"),
        "points": {"type": "integer", "description": "Over all its deals"},
        "deals": whole("Deals played, counted once for each seat that it had"),
        "points_per_deal": {"type": "number"},
        "advantage": {
            "type": "number",
            "description": "Points per deal above what the same seat made with the same deck at an average table",
        },
        "forfeits": whole("The number of its forfeited seats"),
    }
)
COMPONENTS: Final[dict[str, Json]] = {
    "GroupResult": obj(
        {
            "group": text("The group"),
            "preset": text("What was played"),
            "ended": instant("When its last match was over"),
            "deals": whole("Of all its tables together"),
            "bots": listed(_LINE, "By id"),
        },
        "The result of a group.",
    ),
    "Group": obj(
        {
            "id": text("Names the group"),
            "kind": text("How its bots meet the deck", enum=_KINDS),
            "game": text("As in `GET /v1/games`"),
            "options": {"type": "object", "description": "Every option that applies, before any relabelling"},
            "preset": text("What is rated together"),
            "clock": ref("ClockRule"),
            "ladder": nullable(text("The ladder that plays it")),
            "round": nullable(whole("Its round", 1)),
            "status": text(
                "`aborted`: a bot did not come before the first deal",
                enum=[each.value for each in GroupStatus],
            ),
            "created": instant("When it was made"),
            "ended": nullable(instant("When its last match was over")),
            "matches": nullable(listed(text("A match"), "By table; null while it runs")),
            "result": either("GroupResult", "Null while it runs, and if it was aborted"),
        },
        "A duplicate group. While it runs, its bots and matches are hidden.",
    ),
}
