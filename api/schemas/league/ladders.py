"""Ladders: settings and entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from marshmallow import fields, missing, pre_dump

from api.schemas.common import (
    BOT_NAME,
    ENTROPY,
    NAME,
    OPTIONAL,
    VISIBLE,
    Choice,
    Flag,
    Instant,
    Json,
    Number,
    PageQuery,
    Several,
    Strict,
    String,
    Text,
    Whole,
    YesNo,
    either,
    flag,
    instant,
    listed,
    mapping,
    number,
    ref,
    text,
    whole,
)
from api.schemas.league.schedules import WHEN, ScheduleSchema, WhenField
from api.schemas.matches import ToPlaySchema
from api.schemas.responses import Encoded, Listed, Nested, Output, ResponseSchema, listing
from engine.match import MOST_DEALS
from league.ladders.access import MOST_RULES
from league.ladders.files import VERSION
from league.ladders.model import AccessVerdict, Ladder, LadderEntry, LadderState
from league.ladders.settings import (
    LEAST_START_MS,
    MOST_DESCRIPTION,
    MOST_MINIMUM,
    MOST_ORGANISERS,
    MOST_REPEATS,
    MOST_START_MS,
    LadderAccess,
)
from league.pairing.formats import DEFAULT_FORMAT, FORMATS
from league.pairing.plan import DeckMode
from referee.storage.paging import MOST_EXAMINED, PAGE_LIMIT

_STATES: Final = [state.value for state in LadderState]
_DECKS: Final = [decks.value for decks in DeckMode]
_FIRST_STATES: Final = ["draft", "open", "running"]
_VERDICTS: Final = [verdict.value for verdict in AccessVerdict]
_ACCESS: Final = (
    "Who may enter bots, besides the ladder's organisers. `open`: everybody who is not banned; `invitation`: invited "
    "owners and bots; `closed`: nobody"
)
_START: Final = "How long a match waits for its bots to show up, in ms. Null: `start_ms` of `GET /v1/limits`"
OWNER_OR_BOT: Final = r"^[a-z0-9][a-z0-9-]{1,31}(/[a-z0-9][a-z0-9-]{1,31})?$"


class LadderSettingsSchema(ToPlaySchema):
    """What the organisers of a ladder decide."""

    name = String(
        1,
        100,
        "A name for people, not only blanks. Ladders may share a name",
        required=True,
        metadata={"pattern": VISIBLE},
    )
    description = String(
        0,
        MOST_DESCRIPTION,
        "What the ladder is about, shown on its page: printable characters and line breaks",
        load_default="",
    )
    seats = Whole(2, 16, "Seats of each table", required=True)
    deals = Whole(1, MOST_DEALS, "Deals of each match", **OPTIONAL)
    schedule = WhenField(load_default=None)
    season_schedule = fields.Nested(ScheduleSchema, allow_none=True, load_default=None)
    repeats = Whole(
        1, MOST_REPEATS, "The number of times that each set of entrants meets in a round", load_default=1
    )
    start_ms = Whole(LEAST_START_MS, MOST_START_MS, _START, **OPTIONAL)
    minimum_groups = Whole(
        0,
        MOST_MINIMUM,
        "The number of groups that a bot must have played in a season to have a place; a match "
        "without a group counts as one. Not in a knock_out",
        load_default=0,
    )
    rated = Flag("Whether its matches count in ratings", load_default=True)
    check = Flag(
        "Whether a bot must have passed a check (`POST /v1/checks`) to enter. If "
        "omitted: only for a rated ladder",
        **OPTIONAL,
    )
    decks = Choice(
        _DECKS,
        "Which tables of a round share decks. `independent`: none. `rotated`: as "
        "many tables as seats, with the entrants one seat further at each. "
        "`once_only`: one table per entrant, in the same seat against the same "
        "house bots. If omitted: `rotated` for a rated ladder",
        **OPTIONAL,
    )
    format = Choice(
        list(FORMATS),
        "Who plays whom. `round_robin`: everybody meets everybody. `gauntlet`: one "
        "bot meets all others. `swiss`: bots with similar scores meet. `arena`: "
        "the most informative matches are played. `knock_out`: until one bot is "
        "left. `versus`: two bots until it is clear which is better",
        load_default=DEFAULT_FORMAT,
    )
    parameters = fields.Dict(
        keys=String(1, 32),
        load_default=dict,
        metadata={
            "description": "The format's own: round_robin `meet` (`sets`: each set of entrants is a table, `pairs`: as "
            "few tables as let everybody meet everybody alike); gauntlet `challenger`; swiss `rounds`; knock_out "
            "`groups` before a tie is broken by seed; versus `batch`, `most`, and for a test `low`, `high`, `alpha`, "
            "`beta`"
        },
    )
    access = fields.Enum(
        LadderAccess, by_value=True, load_default=LadderAccess.OPEN, metadata={"description": _ACCESS}
    )


class NewLadderSchema(LadderSettingsSchema):
    """A ladder."""

    state = Choice(
        _FIRST_STATES,
        "`draft`: no rounds; `open`: rounds started by hand; `running`: scheduled rounds too",
        load_default="open",
    )


class LadderChangeSchema(LadderSettingsSchema):
    """The fields to change. Omitted fields keep their values."""

    state = Choice(_STATES, "`closing` plays out the round under way and then becomes `closed`")

    organisers = Several(
        Text(NAME),
        "The names of all other owners who may do what the ladder's owner may",
        least=0,
        most=MOST_ORGANISERS,
    )

    def __init__(self, **settings: Any) -> None:
        """Require no field, and give none a default."""
        super().__init__(**settings)
        for each in self.fields.values():
            each.required, each.load_default = False, missing


class AccessRuleChangeSchema(Strict):
    """A rule for an owner or a bot."""

    name = Text(
        OWNER_OR_BOT,
        "An owner, with all bots, or `owner/bot`",
        required=True,
        metadata={"example": "example/fool"},
    )
    rule = fields.Enum(
        AccessVerdict,
        by_value=True,
        allow_none=True,
        required=True,
        metadata={"description": "Null removes the rule", "enum": [*_VERDICTS, None]},
    )
    reason = String(0, 200, "Shown to a banned bot's owner", load_default="")


class FileRuleSchema(Strict):
    """An invitation or a ban in a file."""

    name = Text(OWNER_OR_BOT, "An owner, or `owner/bot`", required=True)
    rule = fields.Enum(AccessVerdict, by_value=True, required=True, metadata={"description": "What it says"})
    reason = String(0, 200, load_default="")


class LadderFileSchema(Strict):
    """A ladder as a file. Without `entries` and `access` it is a template."""

    kozyr_ladder = Whole(VERSION, VERSION, "The version of the file", required=True)
    settings = fields.Nested(LadderSettingsSchema, required=True)
    entries = Several(
        Text(BOT_NAME), "The entered bots, as `owner/bot`", least=0, most=MOST_EXAMINED, load_default=list
    )
    access = Several(
        fields.Nested(FileRuleSchema), "Invitations and bans", least=0, most=MOST_RULES, load_default=list
    )


class FreezeSchema(Strict):
    """From when on results are withheld."""

    may_be_absent = True

    from_ = Instant("Not in the past; at once if omitted", data_key="from", attribute="from", **OPTIONAL)


class ExportQuery(Strict):
    """What to export."""

    template = YesNo("Whether to leave out entries and access", load_default=False)


class EntrySchema(Strict):
    """A bot to enter."""

    bot = Text(BOT_NAME, "`owner/bot`", required=True, metadata={"example": "example/fool"})
    entropy = Text(
        ENTROPY,
        "Printable characters of your choice that enter the shuffles of its matches, from the next round on",
        **OPTIONAL,
    )


class EntriesQuery(PageQuery):
    """Which page of which entries."""

    limit = Number(1, 1000, "The maximum number of entries in the page", load_default=PAGE_LIMIT)

    withdrawn = YesNo("Whether to list withdrawn bots too", load_default=False)


class OwnedLadder(NamedTuple):
    """A ladder and the names of its organisers by their ids."""

    ladder: Ladder
    names: Mapping[str, str]


class LadderSchema(ResponseSchema):
    """An `OwnedLadder`."""

    id = text("The ladder's id")
    owner = text("The name of the owner whose ladder it is")
    organisers = listed(text("The name of an owner"), "Other owners who may do what its owner may")
    name = text("Its name")
    description = text("What its organisers say of it")
    game = text("The game's id")
    options = mapping({}, "Every option that applies, defaults too")
    seats = whole("Seats of each table", 2)
    deals = whole("Deals of each match", 1)
    clock = Encoded(ref("ClockRule"))
    assist = ref("Assist")
    schedule = Encoded(WHEN)
    repeats = whole(
        "How often each set of entrants meets in a round; 1 where the format says itself how much is played",
        1,
    )
    start_ms = whole(_START, LEAST_START_MS, null=True)
    minimum_groups = whole("How many groups a bot must have played in a season to have a place")
    rated = flag("Whether its matches count in ratings")
    check = flag("Whether a bot enters only after it has passed a check; house bots need none")
    decks = text("Which tables of a round have the same decks", enum=_DECKS)
    format = text("Who plays whom", enum=list(FORMATS))
    parameters = mapping({}, "The format's own: numbers and texts")
    state = ref("LadderState")
    season = whole("The number of the present season", 1)
    season_schedule = Encoded(either("CronSchedule", "When seasons end by themselves; null: by hand alone"))
    freeze = instant("From when on results are withheld; null: they are not", null=True)
    access = text(_ACCESS, enum=[access.value for access in LadderAccess])
    created = instant("When it was created")

    @pre_dump
    def _name_owner(self, owned: OwnedLadder, **_: Any) -> dict[str, Any]:
        ladder, names = owned
        # A co-organiser whom another request has just added may have no name here.
        others = sorted(names[each] for each in ladder.organisers if each in names)
        return {**vars(ladder), "owner": names[ladder.owner], "organisers": others}


class LeftOutSchema(ResponseSchema):
    """A `LeftOut`."""

    name = text("A bot, or the owner or bot of a rule")
    reason = text("Why it was not taken over")


class ImportedLadderSchema(ResponseSchema):
    """A ladder that was created from a file."""

    ladder = Nested(LadderSchema)
    entered = listed(text("As `owner/bot`"), "The bots that were entered: your own and house bots")
    left_out = Listed(LeftOutSchema, "Entries and rules that were not taken over")


LadderPageSchema: Final = listing("LadderPage", LadderSchema, "ladders", "Newest first", paged=True)


class LadderEntrySchema(ResponseSchema):
    """A bot in a ladder. Its entropy stays hidden."""

    bot = Output(text("`owner/bot`"), "name")
    id = Output(text("The bot's id"), "bot")
    entered = instant("When it was first entered")
    entropy = flag("Whether it contributes entropy to the shuffles")
    withdrawn = instant("When it was withdrawn; null: it takes part", null=True)

    @pre_dump
    def _hide_entropy(self, entry: LadderEntry, **_: Any) -> dict[str, Any]:
        return {**entry._asdict(), "entropy": entry.entropy is not None}


LadderEntriesSchema: Final = listing("LadderEntries", LadderEntrySchema, "entries", "By name", paged=True)


class AccessRuleSchema(ResponseSchema):
    """An `AccessRule`."""

    name = text("An owner, with all bots, or `owner/bot`")
    rule = Output(text("What it says", enum=_VERDICTS), "verdict")
    reason = text("Why")
    since = instant("When it was set")


AccessRuleListSchema: Final = listing("AccessRuleList", AccessRuleSchema, "rules", "By name")


class NamedBotSchema(ResponseSchema):
    """A bot in the standings, with the real name of its owner."""

    place = whole("Its place; null for none", 1, null=True)
    bot = text("`owner/bot`")
    real_name = text("The real name; empty if the owner was not asked for it or gave none")
    points_per_deal = number("Points per deal; null without deals", null=True)
    matches = whole("Counted matches")


NamedBotListSchema: Final = listing(
    "NamedBotList", NamedBotSchema, "standings", "All bots, the first place first"
)


COMPONENTS: Final[dict[str, Json]] = {
    "LadderState": text(
        "draft: no rounds yet; open: rounds by hand; running: by schedule too; paused: no new rounds; closing: the "
        "last round is played out; closed",
        enum=_STATES,
    ),
}
