"""Ladders: settings, entries, rounds, and what came of them."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from api.schemas.common import (
    BOT_NAME,
    ENTROPY,
    Flag,
    Json,
    Number,
    PageQuery,
    Strict,
    Text,
    Whole,
    either,
    flag,
    instant,
    listed,
    nullable,
    obj,
    page_of,
    ref,
    text,
    whole,
)
from api.schemas.matches import ToPlaySchema
from api.schemas.seasons import SeasonQuery
from engine.match import MOST_DEALS
from league.formats import FORMATS
from league.ladder import CrossCell, Ladder, LadderEntry, LadderState, Round, RoundState, Standing
from league.ladders import MOST_CELLS, MOST_REPEATS
from league.moments import Estimate
from league.pairing import Decks
from league.rounds import DryRun
from league.rounds.ahead import MOST_LOOKED_AT, Ahead, TablesLeft, WaitsFor
from league.schedule import CONTINUOUS, Continuous
from league.sums import Line
from referee.instants import text_of

MOST_SHOWN: Final = 1000
"""Meetings of a round that a dry run shows."""
MOST_STANDINGS: Final = 1000
"""Bots of a page of standings."""
_STATES: Final = [state.value for state in LadderState]
_DECKS: Final = [decks.value for decks in Decks]
_FIRST_STATES: Final = ["draft", "open", "running"]


class ScheduleSchema(Strict):
    """When rounds start by themselves, while the ladder is `running`."""

    cron = fields.String(
        required=True,
        validate=validate.Length(1, 200),
        metadata={
            "description": "Minute, hour, day of month, month, day of week; or `@hourly` and its like",
            "example": "*/5 * * * *",
        },
    )
    timezone = fields.String(
        load_default="UTC",
        validate=validate.Length(1, 64),
        metadata={"description": "An IANA name", "example": "Europe/Moscow"},
    )


class WhenField(fields.Field[Any]):
    """A schedule, or `continuous`."""

    def __init__(self, **more: Any) -> None:
        said = {
            "oneOf": [{"const": CONTINUOUS}, ref("Schedule"), {"type": "null"}],
            "description": "When rounds start by themselves, while the ladder is `running`; `continuous`: as soon as "
            "the round before is over. Null: by hand alone",
        }
        super().__init__(allow_none=True, metadata=said, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value == CONTINUOUS:
            return value
        if isinstance(value, str):
            raise ValidationError(f"Must be an object with `cron`, or {CONTINUOUS}.")
        return ScheduleSchema().load(value)


def when_of(schedule: Json | str | None) -> tuple[str | Continuous | None, str]:
    """When a body wants rounds, as `Ladders` takes it: expression and time zone."""
    if isinstance(schedule, str):
        return Continuous(), "UTC"
    return cron_of(schedule)


def cron_of(schedule: Json | None) -> tuple[str | None, str]:
    """The same of seasons, which always have an expression."""
    return (None, "UTC") if schedule is None else (schedule["cron"], schedule["timezone"])


class NewLadderSchema(ToPlaySchema):
    """A ladder."""

    name = fields.String(
        required=True, validate=validate.Length(1, 100), metadata={"description": "For people to read"}
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
        metadata={"description": "When a season ends and the next begins; left out: by hand alone"},
    )
    repeats = Whole(
        1,
        MOST_REPEATS,
        load_default=1,
        metadata={"description": "How often each set of entrants meets in a round"},
    )
    rated = Flag(load_default=True, metadata={"description": "Whether its matches count in ratings"})
    check = Flag(
        load_default=None,
        allow_none=True,
        metadata={
            "description": "Whether a bot enters only after it has passed a check (`POST /v1/checks`). Left out: where "
            "the ladder is rated"
        },
    )
    decks = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(_DECKS),
        metadata={
            "description": "Which tables of a round have the same decks: `independent` none, `rotated` as many as "
            "there are seats, with the entrants one seat further at each, `once_only` one for each entrant, in the "
            "same seat against the same house bots. Left out: `rotated` where the ladder is rated",
        },
    )
    format = fields.String(
        load_default="round_robin",
        validate=validate.OneOf(list(FORMATS)),
        metadata={
            "description": "Who plays whom: `round_robin` all with all, `gauntlet` one with all, `swiss` those of like "
            "score, `arena` those whose meeting tells most, `knock_out` until one is left, `versus` two until it is "
            "clear who is better"
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
        metadata={"description": "`draft` plays no rounds, `open` by hand, `running` by schedule too"},
    )


class LadderChangeSchema(Strict):
    """What is to change; what is left out stays."""

    state = fields.String(
        validate=validate.OneOf(_STATES),
        metadata={"description": "`closing` plays out the round under way and then becomes `closed`"},
    )
    schedule = WhenField()
    season_schedule = fields.Nested(ScheduleSchema, allow_none=True)


class EntrySchema(Strict):
    """A bot that is to take part."""

    bot = Text(BOT_NAME, required=True, metadata={"description": "`owner/bot`", "example": "example/fool"})
    entropy = Text(
        ENTROPY,
        allow_none=True,
        load_default=None,
        metadata={
            "description": "Printable characters of your own that go into the shuffles of its matches, from the next "
            "round on"
        },
    )


class LaddersQuery(PageQuery):
    """Which page of the ladders."""


class RoundsQuery(PageQuery):
    """Which page of the rounds."""


class StandingsQuery(PageQuery):
    """Which page of the standings."""

    season = SeasonQuery().fields["season"]
    limit = Number(
        1, MOST_STANDINGS, load_default=MOST_STANDINGS, metadata={"description": "The most bots of a page"}
    )


class CrossTableQuery(PageQuery):
    """Which page of the cross table."""

    season = SeasonQuery().fields["season"]
    limit = Number(
        1,
        200,
        load_default=50,
        metadata={
            "description": f"The most rows of a page; there are fewer where they come to more than {MOST_CELLS} cells"
        },
    )


class EntriesQuery(PageQuery):
    """Which page of which entries."""

    withdrawn = fields.Boolean(
        load_default=False,
        truthy={"true"},
        falsy={"false"},
        metadata={"description": "Whether to list withdrawn bots too"},
    )


def _at(ms: int | None) -> str | None:
    return None if ms is None else text_of(ms)


def ladder_view(ladder: Ladder, owner: str) -> Json:
    """A ladder as everybody sees it."""
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
    """A bot in a ladder."""
    return {
        "bot": entry.name,
        "id": entry.bot,
        "entered": text_of(entry.entered),
        "entropy": entry.entropy is not None,
        "withdrawn": _at(entry.withdrawn),
    }


def schedule_view(ladder: Ladder, ahead: Ahead) -> Json:
    """What comes next in a ladder."""
    return {
        "schedule": ladder.schedule and ladder.schedule.to_json(),
        "waits_for": ahead.waits_for,
        "next_rounds": [text_of(instant) for instant in ahead.next_rounds],
        "next_look": _at(ahead.next_look),
        "running": ahead.running,
        "jobs_before": ahead.jobs_before,
        "season_schedule": ladder.season_schedule and ladder.season_schedule.to_json(),
        "next_seasons": [text_of(instant) for instant in ahead.next_seasons],
    }


def round_view(round_: Round, jobs_before: int | None, *, hidden: bool) -> Json:
    """A round and how far it is; `hidden`: without those who play it."""
    return {
        "ladder": round_.ladder,
        "number": round_.number,
        "season": round_.season,
        "state": round_.state,
        "due": _at(round_.due),
        "started": text_of(round_.started),
        "ended": _at(round_.ended),
        "bots": None if hidden else [entrant.name for entrant in round_.entrants],
        "repeats": round_.repeats,
        "left_out": round_.left_out,
        "planned": round_.planned,
        "made": round_.made,
        "to_make": round_.planned - round_.made,
        "over": round_.over,
        "played": round_.played,
        "aborted": round_.aborted,
        "dropped": round_.dropped,
        "jobs_before": jobs_before,
    }


def tables_view(left: TablesLeft) -> Json:
    """What a bot has left in a round."""
    return {"bot": left.bot, "to_make": left.to_make, "tables_before": left.before}


def next_round_view(next_: DryRun, *, shown: bool) -> Json:
    """What the next round would be; who would meet if that is to be `shown`."""
    return {
        "number": next_.number,
        "meetings": [[entrant.name for entrant in each] for each in next_.meetings[:MOST_SHOWN]]
        if shown
        else None,
        "out": [entrant.name for entrant in next_.out] if shown else None,
        "left_out": next_.left_out,
        "planned": next_.planned,
    }


def standing_view(standing: Standing, adjusted: Estimate | None, rating: Json | None) -> Json:
    """A line of the standings, with the bot's points less luck, as far as that is known, and its rating in the preset
    of the ladder."""
    return {
        "place": standing.place,
        "bot": standing.name,
        "id": standing.bot,
        "withdrawn": standing.withdrawn,
        **_line(standing.line),
        "wins": standing.line.wins,
        "forfeits": standing.line.second,
        "adjusted": adjusted
        and {
            "points_per_deal": adjusted.mean,
            "low": adjusted.low,
            "high": adjusted.high,
            "deals": adjusted.deals,
            "groups": adjusted.groups,
        },
        "rating": rating,
    }


def cell_view(cell: CrossCell) -> Json:
    """A cell of the cross table."""
    line = cell.line
    losses = line.matches - line.wins - line.second
    return {
        "bot": cell.bot,
        "opponent": cell.opponent,
        **_line(line),
        "wins": line.wins,
        "ties": line.second,
        "losses": losses,
        "win_share": line.wins / line.matches,
        "tie_share": line.second / line.matches,
        "loss_share": losses / line.matches,
    }


def _line(line: Line) -> Json:
    estimate = line.estimate
    return {
        "matches": line.matches,
        "groups": line.moments.groups,
        "deals": line.deals,
        "points": line.points,
        "points_per_deal": estimate and estimate.mean,
        "points_low": estimate and estimate.low,
        "points_high": estimate and estimate.high,
    }


_LINE: Final[Json] = {
    "matches": whole("Matches played"),
    "groups": whole("Duplicate groups that these belong to; a match of none is one by itself"),
    "deals": whole("Deals played"),
    "points": whole("Sum of the bot's scores", None),
    "points_per_deal": {
        "type": ["number", "null"],
        "description": "Points divided by deals; null before the first deal",
    },
    "points_low": {
        "type": ["number", "null"],
        "description": "The lower end of its 95 % interval, over groups; null before the second",
    },
    "points_high": {"type": ["number", "null"], "description": "The upper end"},
}
_SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}

_WHEN: Final[Json] = {
    "oneOf": [ref("LadderSchedule"), {"const": CONTINUOUS}, {"type": "null"}],
    "description": "When rounds start by themselves; `continuous`: as soon as the round before is over; null: by hand "
    "alone",
}

COMPONENTS: Final[dict[str, Json]] = {
    "LadderState": text(
        "draft: no rounds yet; open: rounds by hand; running: by schedule too; paused: no new rounds; closing: the "
        "last round is played out; closed",
        enum=_STATES,
    ),
    "LadderSchedule": obj(
        {"cron": text("When rounds start"), "timezone": text("The zone in which it is reckoned")}
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
            "schedule": _WHEN,
            "repeats": whole("How often each set of entrants meets in a round", 1),
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
            "created": instant("When it was made"),
        }
    ),
    "LadderPage": page_of("Ladder", "ladders", "The youngest first"),
    "LadderEntry": obj(
        {
            "bot": text("`owner/bot`"),
            "id": text("The bot's id"),
            "entered": instant("When it was entered"),
            "entropy": flag("Whether it puts something of its own into the shuffles"),
            "withdrawn": nullable(instant("When it was withdrawn; null: it takes part")),
        }
    ),
    "LadderEntries": page_of("LadderEntry", "entries", "By name"),
    "Round": obj(
        {
            "ladder": text("The ladder's id"),
            "number": whole("From 1", 1),
            "season": whole("The season in which it was opened, and counts", 1),
            "state": text("Whether it is still played", enum=[state.value for state in RoundState]),
            "due": nullable(instant("When the schedule wanted it; null: it was started by hand")),
            "started": instant("When it was started"),
            "ended": nullable(instant("When its last match was over")),
            "bots": nullable(
                listed(
                    {"type": "string"},
                    "The entrants, as `owner/bot`; null for an arena's round under way whose groups hide who plays",
                )
            ),
            "repeats": whole("How often each set of entrants meets", 1),
            "left_out": whole("Sets that make no table, because one owner has two of their bots"),
            "planned": whole("Its matches"),
            "made": whole("Matches dealt with so far"),
            "to_make": whole("Matches not dealt with so far"),
            "over": whole("Of these, matches that are over"),
            "played": whole("Of these, matches that count"),
            "aborted": whole("Of these, matches that were aborted"),
            "dropped": whole("Of these, matches not played because a bot was gone"),
            "jobs_before": nullable(
                whole(
                    "How many jobs come before the one that works on it; null: none waits, since a worker has it, its "
                    "bots have no room for more matches, or it is done"
                )
            ),
            "mine": listed(
                ref("TablesLeft"),
                "Where a token is sent to the round's own address, while it is under way and has at most "
                f"{MOST_LOOKED_AT} matches: what it has left for the token's bots",
            ),
        },
        optional=("mine",),
    ),
    "TablesLeft": obj(
        {
            "bot": text("`owner/bot`"),
            "to_make": whole("Its matches not dealt with so far"),
            "tables_before": nullable(
                whole(
                    "How many others that are not dealt with either come before the first of them; null: it has none"
                )
            ),
        }
    ),
    "NextRound": obj(
        {
            "number": whole("The number that it would have", 1),
            "meetings": nullable(
                listed(
                    listed({"type": "string"}, "As `owner/bot`, in circular order"),
                    f"Who would play a group, or where decks are independent a match; the first {MOST_SHOWN}. Null "
                    "where names at tables are hidden and not everybody meets everybody, but for the ladder's owner",
                )
            ),
            "out": nullable(listed({"type": "string"}, "Who would sit out, as `owner/bot`; null likewise")),
            "left_out": whole(
                "Sets of entrants, or entrants, that are left out because of rivals of one owner"
            ),
            "planned": whole("The matches that it would have", 1),
        }
    ),
    "RoundPage": page_of("Round", "rounds", "The last first"),
    "Standing": obj(
        {
            "place": whole("1 + the number of bots with more points per deal", 1),
            "bot": text("`owner/bot`"),
            "id": text("The bot's id"),
            "withdrawn": flag("Whether it takes part no more"),
            **_LINE,
            "wins": whole("First places, shared ones too"),
            "forfeits": whole("Matches forfeited"),
            "adjusted": either(
                "AdjustedPoints", "Points per deal less the luck of the cards; null before any is reckoned"
            ),
            "rating": either("Rating", "In the ladder's preset, from all rated play; null before any"),
        }
    ),
    "AdjustedPoints": obj(
        {
            "points_per_deal": {
                "type": "number",
                "description": "What house bots made of the same decks is taken out, as `kozyr points --adjusted` does",
            },
            "low": {
                "type": ["number", "null"],
                "description": "The lower end of its 95 % interval, over groups; null before the second",
            },
            "high": {"type": ["number", "null"], "description": "The upper end"},
            "deals": whole("Deals that it covers; the others' luck is not reckoned yet"),
            "groups": whole("Groups that it covers"),
        }
    ),
    "Standings": obj(
        {
            "preset": text("The preset in which its groups are rated"),
            "season": whole("The season of these sums", 1),
            "standings": listed(ref("Standing"), "The best first, by points per deal"),
            "cursor": nullable(text("Asks for the next bots; null on the last page")),
        }
    ),
    "CrossCell": obj(
        {
            "bot": text("A bot's id"),
            "opponent": text("The id of a bot that sat against it"),
            **_LINE,
            "wins": whole("Matches in which the bot had the better place"),
            "ties": whole("Those in which both had the same"),
            "losses": whole("Those in which the opponent had the better one"),
            "win_share": {**_SHARE, "description": "Wins divided by matches"},
            "tie_share": {**_SHARE, "description": "Ties divided by matches"},
            "loss_share": {**_SHARE, "description": "Losses divided by matches"},
        }
    ),
    "CrossTable": obj(
        {
            "season": whole("The season of these sums", 1),
            "bots": listed(
                ref("CrossBot"), "Who is in it, in the order of the standings; all of them on every page"
            ),
            "cells": listed(ref("CrossCell"), "Whole rows, in the order of the bots' ids"),
            "cursor": nullable(text("Asks for the next rows; null on the last page")),
        }
    ),
    "CrossBot": obj({"bot": text("`owner/bot`"), "id": text("The bot's id")}),
    "ScheduleAhead": obj(
        {
            "schedule": _WHEN,
            "waits_for": text(
                "What must come before the next round: instant, the next of `next_rounds`; round, the end of the one "
                "under way; entries, such as can be seated together, for which it is looked again at `next_look`; "
                "worker, since the start is due; hand, somebody who starts it; state, a ladder that is open or "
                "running; service, which is paused or draining",
                enum=[each.value for each in WaitsFor],
            ),
            "next_rounds": listed(
                instant("A start"),
                "The next starts; none unless the ladder is running, and none of a `continuous` schedule, since nobody "
                "knows when a round will be over",
            ),
            "next_look": nullable(
                instant("When it is looked whether a round can start; null where rounds are not `continuous`")
            ),
            "running": listed(
                {"type": "integer", "minimum": 1},
                "The numbers of the rounds under way; only an arena's overlap",
            ),
            "jobs_before": nullable(
                whole("How many jobs come before the start that is due; null: no start is due")
            ),
            "season_schedule": either("LadderSchedule", "When seasons end by themselves"),
            "next_seasons": listed(instant("An end"), "When seasons end by themselves, the next first"),
        }
    ),
}
