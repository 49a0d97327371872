"""Duplicate groups and their results."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import pre_dump

from api.schemas.common import (
    BOT_NAME,
    Choice,
    Several,
    Text,
    Whole,
    instant,
    listed,
    number,
    ref,
    text,
    whole,
)
from api.schemas.matches import CasualSchema
from api.schemas.responses import Encoded, Listed, Nested, Output, ResponseSchema
from records.instants import ms_of
from records.results.group_report import GroupReport
from referee.groups.model import GroupKind, GroupStatus

_KINDS: Final = [kind.value for kind in GroupKind]
_BOT: Final = Text(BOT_NAME, "`owner/bot`", metadata={"example": "example/fool"})


class NewGroupSchema(CasualSchema):
    """A duplicate group."""

    kind = Choice(
        _KINDS,
        "`rotated`: as many tables as seats, with the bots one seat further at "
        "each. `once_only`: one table per bot, in the same seat against the same "
        "house bots",
        load_default=GroupKind.ROTATED.value,
    )
    bots = Several(
        _BOT,
        "The bots that are compared; for `rotated` as many as there are seats, in their order",
        least=1,
        most=1000,
        required=True,
    )
    orders = Whole(
        1,
        120,
        "For `rotated`: the number of circular orders; each bot has every seat in each",
        load_default=1,
    )
    seat = Whole(0, 15, "For `once_only`: the seat of each compared bot", load_default=0)
    against = Several(
        _BOT,
        "For `once_only`: the house bots in the other seats, in their order",
        least=0,
        most=15,
        load_default=list,
    )


class GroupResultBotSchema(ResponseSchema):
    """A bot's line in the result of a group."""

    bot = text("`owner/bot`")
    id = text("The bot's id, which never changes")
    version = text("The bot's version when the group was made")
    points = whole("The sum over all its deals", None)
    deals = whole("Deals played, counted once per seat")
    points_per_deal = Output({"type": "number"})
    advantage = number("Points per deal above the average of the same seat with the same deck")
    forfeits = whole("The number of its forfeited seats")


class GroupResultSchema(ResponseSchema):
    """A `GroupReport`."""

    doc = "The result of a group."

    group = text("The group")
    preset = text("The preset of its matches")
    ended = instant("When its last match ended")
    deals = whole("The number of deals at all tables")
    bots = Listed(GroupResultBotSchema, "By id", inline=True)

    @pre_dump
    def _parse_end(self, report: GroupReport, **_: Any) -> dict[str, Any]:
        return {**report._asdict(), "ended": ms_of(report.ended)}


class GroupSchema(ResponseSchema):
    """A group with its progress."""

    doc = "A duplicate group. While it runs, its bots and matches are hidden."

    id = text("Names the group")
    kind = text("How its bots are seated", enum=_KINDS)
    game = text("As in `GET /v1/games`")
    options = Output({"type": "object", "description": "All options, before suits are relabelled"})
    preset = text("The preset that it is rated in")
    clock = Encoded(ref("ClockRule"))
    assist = ref("Assist")
    ladder = text("The ladder that it belongs to, if any", null=True)
    round = whole("The round that it belongs to, if any", 1, null=True)
    status = text(
        "`aborted`: a bot did not show up before the first deal", enum=[each.value for each in GroupStatus]
    )
    created = instant("When it was created")
    ended = instant("When its last match ended", null=True)
    matches = listed(text("A match"), "By table; null while the group is running", null=True)
    result = Nested(GroupResultSchema, "Null while the group is running, and if it was aborted", null=True)
