"""Duplicate groups and their results."""

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
            "description": "`rotated`: as many tables as seats, with the bots one seat further at "
            "each. `once_only`: one table per bot, in the same seat against the same "
            "house bots"
        },
    )
    bots = fields.List(
        _BOT,
        required=True,
        validate=validate.Length(1, 1000),
        metadata={
            "description": "The bots that are compared; for `rotated` as many as there are seats, in "
            "their order"
        },
    )
    orders = Whole(
        1,
        120,
        load_default=1,
        metadata={
            "description": "For `rotated`: the number of circular orders; each bot has every seat in each"
        },
    )
    seat = Whole(
        0,
        15,
        load_default=0,
        metadata={"description": "For `once_only`: the seat of each compared bot"},
    )
    against = fields.List(
        _BOT,
        load_default=list,
        validate=validate.Length(0, 15),
        metadata={"description": "For `once_only`: the house bots in the other seats, in their order"},
    )


_LINE: Final = obj(
    {
        "bot": text("`owner/bot`"),
        "id": text("The bot's id, which never changes"),
        "version": text("The bot's version when the group was made"),
        "points": {"type": "integer", "description": "The sum over all its deals"},
        "deals": whole("Deals played, counted once per seat"),
        "points_per_deal": {"type": "number"},
        "advantage": {
            "type": "number",
            "description": "Points per deal above the average of the same seat with the same deck",
        },
        "forfeits": whole("The number of its forfeited seats"),
    }
)
COMPONENTS: Final[dict[str, Json]] = {
    "GroupResult": obj(
        {
            "group": text("The group"),
            "preset": text("The preset of its matches"),
            "ended": instant("When its last match ended"),
            "deals": whole("The number of deals at all tables"),
            "bots": listed(_LINE, "By id"),
        },
        "The result of a group.",
    ),
    "Group": obj(
        {
            "id": text("Names the group"),
            "kind": text("How its bots are seated", enum=_KINDS),
            "game": text("As in `GET /v1/games`"),
            "options": {"type": "object", "description": "All options, before suits are relabelled"},
            "preset": text("The preset that it is rated in"),
            "clock": ref("ClockRule"),
            "ladder": nullable(text("The ladder that it belongs to, if any")),
            "round": nullable(whole("The round that it belongs to, if any", 1)),
            "status": text(
                "`aborted`: a bot did not show up before the first deal",
                enum=[each.value for each in GroupStatus],
            ),
            "created": instant("When it was created"),
            "ended": nullable(instant("When its last match ended")),
            "matches": nullable(listed(text("A match"), "By table; null while the group is running")),
            "result": either("GroupResult", "Null while the group is running, and if it was aborted"),
        },
        "A duplicate group. While it runs, its bots and matches are hidden.",
    ),
}
