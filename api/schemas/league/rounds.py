"""Rounds of ladders, and the bracket of a knock-out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from api.schemas.common import Json, flag, instant, listed, text, whole
from api.schemas.league.seasons import CrossTableBotSchema
from api.schemas.responses import Listed, Nested, Output, ResponseSchema, dump, listing
from league.ladders.model import Ladder, Round, RoundState
from league.pairing.formats.bracket import Bracket, BracketNode
from league.pairing.formats.field import MeetingReason
from league.pairing.plan import Entrant
from league.rounds import DryRun

MOST_SHOWN: Final = 1000
"""Meetings of a round that a dry run shows."""


class MeetingSchema(ResponseSchema):
    """A meeting of a round, and what its format knew of its bots then."""

    bots = listed({"type": "string"}, "As `owner/bot`, in circular order")
    points = listed(
        {"type": "number"},
        "In a Swiss tournament, their points before the round, in the order of `bots`",
        null=True,
    )
    met = whole("In a Swiss tournament, how many pairs of them had met before", null=True)
    stage = whole("In a knock-out, the stage", 1, null=True)
    seeds = listed(
        whole("A seed", 1), "In a knock-out, their seeds, in the order of `bots`; 1 is the best", null=True
    )
    groups = whole("In a knock-out, how many groups of this meeting, or matches, were tied before", null=True)


class RoundSchema(ResponseSchema):
    """A round and its progress, as `round_model` returns it."""

    ladder = text("The ladder's id")
    number = whole("From 1", 1)
    season = whole("The season in which it started and counts", 1)
    state = text(
        "running: in progress; done: all its matches are over; failed: it could not be played as planned. Matches "
        "that a failed round had created are played out and count",
        enum=[state.value for state in RoundState],
    )
    reason = text("Why it failed; null unless it did", null=True)
    due = instant("When it was scheduled; null if it was started by hand", null=True)
    started = instant("When it was started")
    ended = instant("When its last match ended, or when it failed", null=True)
    bots = listed(
        {"type": "string"},
        "The entrants, as `owner/bot`; null for an arena's round that is running or failed, because its groups "
        "hide names",
        null=True,
    )
    repeats = whole("How often each set of entrants meets", 1)
    excluded = whole("Sets of entrants without a table, because one owner has two of the bots")
    planned = whole("Its matches")
    handled = whole("Matches created or dropped so far")
    remaining = whole("Matches still to be created")
    finished = whole("Matches handled that are over")
    played = whole("Of these, matches that count")
    aborted = whole("Of these, matches that were aborted")
    dropped = whole("Of these, matches not played because a bot was no longer available")
    meetings = Listed(
        MeetingSchema,
        f"Who met, and why; the first {MOST_SHOWN}. Null while the pairing is hidden, and with `once_only` decks. "
        "Absent in lists",
        optional=True,
        null=True,
    )
    sitting_out = Output(
        listed(
            {"type": "string"},
            "The entrants without a meeting, as `owner/bot`; in a knock-out those with a bye. Null as for "
            "`meetings`. Absent in lists",
            null=True,
        ),
        optional=True,
    )


RoundPageSchema: Final = listing("RoundPage", RoundSchema, "rounds", "Newest first", paged=True)


def round_model(ladder: Ladder, round_: Round, *, with_pairing: bool = False) -> Json:
    """Return the model of `RoundSchema`: a round as everybody may see it, in lists without its pairing."""
    fields = {name: value for name, value in round_._asdict().items() if name != "meetings"}
    return {
        **fields,
        "bots": None if ladder.hides_entrants(round_) else [entrant.name for entrant in round_.entrants],
        "handled": round_.made,
        "remaining": round_.planned - round_.made,
        "finished": round_.over,
        "played": round_.played,
        **(_pairing(ladder, round_) if with_pairing else {}),
    }


def _pairing(ladder: Ladder, round_: Round) -> Json:
    if round_.tables is None or not ladder.shows_pairing(round_):
        return {"meetings": None, "sitting_out": None}
    reasons = round_.reasons or [MeetingReason()] * len(round_.tables)
    meetings = [_met(*each) for each in zip(round_.tables, reasons, strict=True)]
    out = round_.sitting_out
    return {"meetings": meetings[:MOST_SHOWN], "sitting_out": out and [entrant.name for entrant in out]}


def _met(bots: Sequence[Entrant], reason: MeetingReason) -> Json:
    """Return the fields of `MeetingSchema`."""
    return {
        **reason._asdict(),
        "bots": [entrant.name for entrant in bots],
        "points": reason.points and [reason.points[entrant.id] for entrant in bots],
        "seeds": reason.seeds and [reason.seeds[entrant.id] for entrant in bots],
    }


class NextRoundSchema(ResponseSchema):
    """A dry run of the next round."""

    number = whole("The number that it would have", 1)
    meetings = listed(
        listed({"type": "string"}, "As `owner/bot`, in circular order"),
        "The bots that would play a group, or a match if decks are independent; the first "
        f"{MOST_SHOWN}. Null for everybody but the ladder's organisers if names at tables are hidden and not "
        "every bot meets every other",
        null=True,
    )
    sitting_out = listed(
        {"type": "string"}, "The bots that would sit out, as `owner/bot`; null as for `meetings`", null=True
    )
    offline = listed(
        {"type": "string"},
        "The bots of the round that are not online now, as `owner/bot`; null for everybody but the ladder's "
        "organisers",
        null=True,
    )
    excluded = whole("Entrants, or sets of entrants, left out because one owner has two of the bots")
    planned = whole("The matches that it would have", 1)


def next_round_view(dry_run: DryRun, *, shown: bool, offline: Sequence[str] | None) -> Json:
    """Return the next round, with its meetings if they are `shown`, and the bots that are not online."""
    meetings = [[entrant.name for entrant in meeting] for meeting in dry_run.meetings[:MOST_SHOWN]]
    sitting_out = [entrant.name for entrant in dry_run.out]
    hidden = {} if shown else {"meetings": None, "sitting_out": None}
    return dump(
        NextRoundSchema,
        {
            **dry_run._asdict(),
            "meetings": meetings,
            "sitting_out": sitting_out,
            "offline": offline,
            **hidden,
        },
    )


class BracketBotSchema(ResponseSchema):
    """A bot of a meeting."""

    bot = Output(text("`owner/bot`"), "name")
    id = text("The bot's id")
    points = whole("Its points in all groups of the meeting", None)
    advances = flag("Whether it advances; null if undecided", null=True)


class BracketMeetingSchema(ResponseSchema):
    """A table of a stage."""

    decided = flag("Whether it is decided who advances")
    groups = whole("Groups played, or matches if decks are independent. After a tie another is played")
    advance = whole("The number of bots that advance", 1)
    bots = Listed(
        BracketBotSchema,
        "The bots, in the order of seats. Null until the meeting is decided if names at tables are hidden",
        null=True,
    )


class BracketStageSchema(ResponseSchema):
    """A stage of the bracket."""

    meetings = Listed(BracketMeetingSchema, "Its tables")
    byes = Listed(CrossTableBotSchema, "The bots that advance without a meeting, the best seed first")


class BracketSchema(ResponseSchema):
    """A bracket."""

    ladder = text("The ladder's id")
    season = whole("The season of this bracket", 1)
    stages = Listed(BracketStageSchema, "From the first to the current one; empty before the first round")
    winner = Nested(
        CrossTableBotSchema,
        "The last bot left; null while the knock-out is running, or if that bot is out of the places",
        null=True,
    )
    excluded = whole("Entrants left out because their owner has a bot with a better seed")


def bracket_view(ladder: Ladder, season: int, bracket: Bracket) -> Json:
    """Return the bracket. If names at tables are hidden, a meeting shows its bots once it is decided."""
    stages = [
        {"meetings": [_meeting(ladder, node) for node in stage.nodes], "byes": stage.byes}
        for stage in bracket.stages
    ]
    return dump(BracketSchema, {**bracket._asdict(), "ladder": ladder.id, "season": season, "stages": stages})


def _meeting(ladder: Ladder, node: BracketNode) -> Json:
    """Return the fields of `BracketMeetingSchema`."""
    decided = node.through is not None
    through = {each.id for each in node.through or ()}
    bots = [
        {
            **each._asdict(),
            "points": node.points[each.id],
            "advances": each.id in through if decided else None,
        }
        for each in node.table
    ]
    return {
        **node._asdict(),
        "decided": decided,
        "bots": bots if ladder.shows_meeting(decided=decided) else None,
    }
