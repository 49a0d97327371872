"""Ladders: settings and entries."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import (
    BOT_NAME,
    ENTROPY,
    VISIBLE,
    Flag,
    Json,
    PageQuery,
    Strict,
    Text,
    Whole,
    either,
    flag,
    instant,
    maybe,
    nullable,
    obj,
    page_of,
    ref,
    text,
    whole,
)
from api.schemas.league.schedules import WHEN, ScheduleSchema, WhenField
from api.schemas.matches import ToPlaySchema
from engine.match import MOST_DEALS
from league.ladders.model import Ladder, LadderEntry, LadderState
from league.ladders.service import MOST_REPEATS
from league.pairing.formats import FORMATS
from league.pairing.plan import DeckMode
from referee.instants import text_of

_STATES: Final = [state.value for state in LadderState]
_DECKS: Final = [decks.value for decks in DeckMode]
_FIRST_STATES: Final = ["draft", "open", "running"]


class NewLadderSchema(ToPlaySchema):
    """A ladder."""

    name = fields.String(
        required=True,
        validate=validate.Length(1, 100),
        metadata={"description": "A name for people, not only blanks", "pattern": VISIBLE},
    )
    seats = Whole(2, 16, required=True, metadata={"description": "Seats of each table"})
    deals = Whole(
        1, MOST_DEALS, allow_none=True, load_default=None, metadata={"description": "Deals of each match"}
    )
    schedule = WhenField(load_default=None)
    season_schedule = fields.Nested(
        ScheduleSchema,
        allow_none=True,
        load_default=None,
        metadata={"description": "When seasons end and the next begin; if omitted, only by hand"},
    )
    repeats = Whole(
        1,
        MOST_REPEATS,
        load_default=1,
        metadata={"description": "The number of times that each set of entrants meets in a round"},
    )
    rated = Flag(load_default=True, metadata={"description": "Whether its matches count in ratings"})
    check = Flag(
        load_default=None,
        allow_none=True,
        metadata={
            "description": "Whether a bot must have passed a check (`POST /v1/checks`) to enter. If "
            "omitted: only for a rated ladder"
        },
    )
    decks = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(_DECKS),
        metadata={
            "description": "Which tables of a round share decks. `independent`: none. `rotated`: as "
            "many tables as seats, with the entrants one seat further at each. "
            "`once_only`: one table per entrant, in the same seat against the same "
            "house bots. If omitted: `rotated` for a rated ladder",
        },
    )
    format = fields.String(
        load_default="round_robin",
        validate=validate.OneOf(list(FORMATS)),
        metadata={
            "description": "Who plays whom. `round_robin`: everybody meets everybody. `gauntlet`: one "
            "bot meets all others. `swiss`: bots with similar scores meet. `arena`: "
            "the most informative matches are played. `knock_out`: until one bot is "
            "left. `versus`: two bots until it is clear which is better"
        },
    )
    parameters = fields.Dict(
        keys=fields.String(validate=validate.Length(1, 32)),
        load_default=dict,
        metadata={
            "description": "The format's own: round_robin `meet` (`sets`: each set of entrants is a table, `pairs`: as "
            "few tables as let everybody meet everybody alike); gauntlet `challenger`; swiss `rounds`; knock_out "
            "`groups` before a tie is broken by seed; versus `batch`, `most`, and for a test `low`, `high`, `alpha`, "
            "`beta`"
        },
    )
    state = fields.String(
        load_default="open",
        validate=validate.OneOf(_FIRST_STATES),
        metadata={
            "description": "`draft`: no rounds; `open`: rounds started by hand; `running`: "
            "scheduled rounds too"
        },
    )


class LadderChangeSchema(Strict):
    """The fields to change. Omitted fields keep their values."""

    state = fields.String(
        validate=validate.OneOf(_STATES),
        metadata={"description": "`closing` plays out the round under way and then becomes `closed`"},
    )
    schedule = WhenField()
    season_schedule = fields.Nested(ScheduleSchema, allow_none=True)


class EntrySchema(Strict):
    """A bot to enter."""

    bot = Text(BOT_NAME, required=True, metadata={"description": "`owner/bot`", "example": "example/fool"})
    entropy = Text(
        ENTROPY,
        allow_none=True,
        load_default=None,
        metadata={
            "description": "Printable characters of your choice that enter the shuffles of its "
            "matches, from the next round on"
        },
    )


class LaddersQuery(PageQuery):
    """Which page of the ladders."""


class EntriesQuery(PageQuery):
    """Which page of which entries."""

    withdrawn = fields.Boolean(
        load_default=False,
        truthy={"true"},
        falsy={"false"},
        metadata={"description": "Whether to list withdrawn bots too"},
    )


def ladder_view(ladder: Ladder, owner: str) -> Json:
    """Return a ladder."""
    return {
        "id": ladder.id,
        "owner": owner,
        "name": ladder.name,
        "game": ladder.game,
        "options": ladder.options,
        "seats": ladder.seats,
        "deals": ladder.deals,
        "clock": ladder.clock.to_json(),
        "schedule": ladder.schedule and ladder.schedule.to_json(),
        "repeats": ladder.repeats,
        "rated": ladder.rated,
        "check": ladder.check,
        "decks": ladder.decks,
        "format": ladder.format,
        "parameters": dict(ladder.parameters),
        "state": ladder.state,
        "season": ladder.season,
        "season_schedule": ladder.season_schedule and ladder.season_schedule.to_json(),
        "created": text_of(ladder.created),
    }


def entry_view(entry: LadderEntry) -> Json:
    """Return an entry of a ladder."""
    return {
        "bot": entry.name,
        "id": entry.bot,
        "entered": text_of(entry.entered),
        "entropy": entry.entropy is not None,
        "withdrawn": maybe(entry.withdrawn),
    }


COMPONENTS: Final[dict[str, Json]] = {
    "LadderState": text(
        "draft: no rounds yet; open: rounds by hand; running: by schedule too; paused: no new rounds; closing: the "
        "last round is played out; closed",
        enum=_STATES,
    ),
    "Ladder": obj(
        {
            "id": text("The ladder's id"),
            "owner": text("The name of the owner whose ladder it is"),
            "name": text("Its name"),
            "game": text("The game's id"),
            "options": {
                "type": "object",
                "additionalProperties": {"type": ["boolean", "integer", "string", "null"]},
                "description": "Every option that applies, defaults too",
            },
            "seats": whole("Seats of each table", 2),
            "deals": whole("Deals of each match", 1),
            "clock": ref("ClockRule"),
            "schedule": WHEN,
            "repeats": whole(
                "How often each set of entrants meets in a round; 1 where the format says itself how much is played",
                1,
            ),
            "rated": flag("Whether its matches count in ratings"),
            "check": flag("Whether a bot enters only after it has passed a check; house bots need none"),
            "decks": text("Which tables of a round have the same decks", enum=_DECKS),
            "format": text("Who plays whom", enum=list(FORMATS)),
            "parameters": {
                "type": "object",
                "additionalProperties": {"type": ["integer", "number", "string"]},
                "description": "The format's own",
            },
            "state": ref("LadderState"),
            "season": whole("The number of the present season", 1),
            "season_schedule": either(
                "LadderSchedule", "When seasons end by themselves; null: by hand alone"
            ),
            "created": instant("When it was created"),
        }
    ),
    "LadderPage": page_of("Ladder", "ladders", "Newest first"),
    "LadderEntry": obj(
        {
            "bot": text("`owner/bot`"),
            "id": text("The bot's id"),
            "entered": instant("When it was first entered"),
            "entropy": flag("Whether it contributes entropy to the shuffles"),
            "withdrawn": nullable(instant("When it was withdrawn; null: it takes part")),
        }
    ),
    "LadderEntries": page_of("LadderEntry", "entries", "By name"),
}
