"""The bracket of a knock-out."""

from __future__ import annotations

from api.schemas.common import Json, flag, nullable, text, whole
from api.schemas.league.seasons import CrossTableBotSchema
from api.schemas.responses import Listed, Nested, Output, ResponseSchema, dump
from league.ladders.model import Ladder
from league.pairing.formats.bracket import Bracket, BracketNode


class BracketBotSchema(ResponseSchema):
    """A bot of a meeting."""

    bot = Output(text("`owner/bot`"), "name")
    id = Output(text("The bot's id"))
    points = Output(whole("Its points in all groups of the meeting", None))
    advances = Output(nullable(flag("Whether it advances; null if undecided")))


class BracketMeetingSchema(ResponseSchema):
    """A table of a stage."""

    decided = Output(flag("Whether it is decided who advances"))
    groups = Output(
        whole("Groups played, or matches if decks are independent. After a tie another is played")
    )
    advance = Output(whole("The number of bots that advance", 1))
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

    ladder = Output(text("The ladder's id"))
    season = Output(whole("The season of this bracket", 1))
    stages = Listed(BracketStageSchema, "From the first to the current one; empty before the first round")
    winner = Nested(
        CrossTableBotSchema,
        "The last bot left; null while the knock-out is running, or if that bot is out of the places",
        null=True,
    )
    excluded = Output(whole("Entrants left out because their owner has a bot with a better seed"))


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
