"""The bracket of a knock-out."""

from __future__ import annotations

from typing import Final

from api.schemas.common import Json, flag, listed, nullable, obj, ref, text, whole
from league.ladders.model import Ladder
from league.pairing.formats.knock_out import Bracket, BracketNode


def bracket_view(ladder: Ladder, season: int, bracket: Bracket) -> Json:
    """Return the bracket. If names at tables are hidden, a meeting shows its bots once it is decided."""
    return {
        "ladder": ladder.id,
        "season": season,
        "stages": [
            {
                "meetings": [_meeting(node, hidden=ladder.hides_pairings) for node in stage.nodes],
                "byes": [{"bot": each.name, "id": each.id} for each in stage.byes],
            }
            for stage in bracket.stages
        ],
        "winner": bracket.winner and {"bot": bracket.winner.name, "id": bracket.winner.id},
        "excluded": bracket.excluded,
    }


def _meeting(node: BracketNode, *, hidden: bool) -> Json:
    decided = node.through is not None
    through = {each.id for each in node.through or ()}
    bots = [
        {
            "bot": each.name,
            "id": each.id,
            "points": node.points[each.id],
            "advances": each.id in through if decided else None,
        }
        for each in node.table
    ]
    return {
        "decided": decided,
        "groups": node.groups,
        "advance": node.advance,
        "bots": bots if decided or not hidden else None,
    }


COMPONENTS: Final[dict[str, Json]] = {
    "Bracket": obj(
        {
            "ladder": text("The ladder's id"),
            "season": whole("The season of this bracket", 1),
            "stages": listed(
                ref("BracketStage"),
                "From the first to the current one; empty before the first round",
            ),
            "winner": {
                "oneOf": [ref("CrossTableBot"), {"type": "null"}],
                "description": "The last bot left; null while the knock-out is running",
            },
            "excluded": whole("Entrants left out because their owner has a bot with a better seed"),
        }
    ),
    "BracketStage": obj(
        {
            "meetings": listed(ref("BracketMeeting"), "Its tables"),
            "byes": listed(
                ref("CrossTableBot"), "The bots that advance without a meeting, the best seed first"
            ),
        }
    ),
    "BracketMeeting": obj(
        {
            "decided": flag("Whether it is decided who advances"),
            "groups": whole(
                "Groups played, or matches if decks are independent. After a tie another is played"
            ),
            "advance": whole("The number of bots that advance", 1),
            "bots": nullable(
                listed(
                    ref("BracketBot"),
                    "The bots, in the order of seats. Null until the meeting is decided if names at "
                    "tables are hidden",
                )
            ),
        }
    ),
    "BracketBot": obj(
        {
            "bot": text("`owner/bot`"),
            "id": text("The bot's id"),
            "points": whole("Its points in all groups of the meeting", None),
            "advances": nullable(flag("Whether it advances; null if undecided")),
        }
    ),
}
