"""The bracket of a knock-out."""

from __future__ import annotations

from typing import Final

from api.schemas.common import Json, flag, listed, nullable, obj, ref, text, whole
from league.ladders.model import Ladder
from league.pairing.formats.knock_out import Bracket, BracketNode


def bracket_view(ladder: Ladder, season: int, bracket: Bracket) -> Json:
    """The bracket as everybody sees it: where names are hidden at tables, a meeting's show when it is decided."""
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
                "From the first to the present one; none before the first round was opened",
            ),
            "winner": {
                "oneOf": [ref("CrossTableBot"), {"type": "null"}],
                "description": "Who is left; null: not yet",
            },
            "excluded": whole("Entrants that take no part, since their owner has a better seed in it"),
        }
    ),
    "BracketStage": obj(
        {
            "meetings": listed(ref("BracketMeeting"), "Its tables"),
            "byes": listed(ref("CrossTableBot"), "Who goes on without a table, the best seed first"),
        }
    ),
    "BracketMeeting": obj(
        {
            "decided": flag("Whether it is known who goes on"),
            "groups": whole(
                "How many groups (or matches, where decks are independent) it has played; a tie is played again"
            ),
            "advance": whole("How many go on", 1),
            "bots": nullable(
                listed(
                    ref("BracketBot"),
                    "Who meets, in the order of seats; null where names are hidden at tables, until it is decided",
                )
            ),
        }
    ),
    "BracketBot": obj(
        {
            "bot": text("`owner/bot`"),
            "id": text("The bot's id"),
            "points": whole("Its points in all of these groups", None),
            "advances": nullable(flag("Whether it goes on; null: not decided")),
        }
    ),
}
