"""The queue, and bulk creation of matches."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields, pre_dump

from api.schemas.common import (
    ENTROPY,
    OPTIONAL,
    Json,
    Several,
    Strict,
    Text,
    Whole,
    instant,
    listed,
    number,
    obj,
    ref,
    text,
    whole,
)
from api.schemas.matches import NewMatchSchema, ToPlaySchema
from api.schemas.responses import Encoded, Output, ResponseSchema
from engine.match import MOST_DEALS
from league.queue.model import BAND, GROWTH, DropReason, EntryState, QueueEntry

MOST_AT_ONCE: Final = 500
"""How many matches one request may create."""
_STATES: Final = [state.value for state in EntryState if state is not EntryState.CLAIMED]


class JoinQueueSchema(ToPlaySchema):
    """A wish for one match."""

    seats = Whole(1, 16, "The number of seats; if omitted, the fewest that the game has", **OPTIONAL)
    deals = Whole(
        1, MOST_DEALS, "The number of deals, by default 1. Not for games with a fixed number", **OPTIONAL
    )
    rating_band = Whole(
        0,
        10_000,
        "How far an opponent's rating may lie from the bot's own at first, in rating points. "
        "Null accepts any opponent",
        allow_none=True,
        load_default=BAND,
    )
    band_growth = Whole(0, 1000, "By how many rating points the band widens each second", load_default=GROWTH)
    entropy = Text(ENTROPY, "Printable characters of your choice that enter the shuffle", **OPTIONAL)


class BulkSchema(Strict):
    """Casual matches."""

    matches = Several(
        fields.Nested(NewMatchSchema),
        "Each as in `POST /v1/matches`",
        least=1,
        most=MOST_AT_ONCE,
        required=True,
    )


class QueueEntrySchema(ResponseSchema):
    """A `QueueEntry`."""

    doc = "A bot's place in the queue."

    id = text("Names the entry")
    state = text(
        "`waiting`; `matched`: it has a match; `left`: the bot left; `dropped`: the service removed it",
        enum=_STATES,
    )
    reason = text(
        "Why it was dropped. `gone`: the bot was offline; `disabled`; `policy`: its match policy no longer "
        "accepts these terms; `failed`: the match could not be created",
        enum=[reason.value for reason in DropReason],
        null=True,
    )
    match = text("Its match, once there is one", null=True)
    game = text("As in `GET /v1/games`")
    seats = whole("The number of seats", 1)
    options = Output({"type": "object", "description": "Every option that applies, defaults too"})
    preset = text("The preset whose ratings count")
    deals = whole("The number of deals", 1)
    clock = Encoded(ref("ClockRule"))
    assist = ref("Assist")
    rating = number("The bot's rating when it joined; 1500 if unrated")
    rating_band = whole("As requested", null=True)
    band_growth = whole("As requested")
    joined = instant("When the bot joined")
    ended = instant("When it was matched, left or was dropped", null=True)

    @pre_dump
    def _flatten(self, entry: QueueEntry, **_: Any) -> dict[str, Any]:
        claimed = entry.state is EntryState.CLAIMED  # its match is shown when it exists
        return {
            **entry.terms._asdict(),
            **entry._asdict(),
            "state": EntryState.WAITING if claimed else entry.state,
            "match": None if claimed else entry.match,
            "rating": round(entry.rating, 1),
            "rating_band": entry.band.start,
            "band_growth": entry.band.growth,
        }


BULK_CREATED: Final[Json] = obj(
    {"matches": listed(text("A match's id"), "In the order of the request")}, "The matches that were created."
)

COMPONENTS: Final[dict[str, Json]] = {"CreatedMatches": BULK_CREATED}
