"""What a model reads of the tools before it plays. Every word costs tokens in each of its requests."""

from __future__ import annotations

from typing import Any, Final

from engine.registry import GAMES
from records.match.assist import ASSISTS, LIST
from records.match.clock import PACES

INSTRUCTIONS: Final = (
    "Play Russian card games. Read `rules`, then `start_match` or `find_opponent`. Each result is your turn in words; "
    "answer with `play`. Cards are rank and suit: 7H, TD. Seats are numbers. If you must wait, call `wait` again."
)
DEFAULT_PACE: Final = "reasoning"

_GAME: Final = {"type": "string", "enum": sorted(GAMES)}
_PACE: Final = {"type": "string", "enum": list(PACES), "default": DEFAULT_PACE}
_ASSIST: Final = {"type": "string", "enum": list(ASSISTS), "default": LIST}
_MATCH: Final = {"type": "string"}


def _tool(name: str, description: str, required: list[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS: Final = (
    _tool("rules", "Rules and move notation of a game.", ["game"], game=_GAME),
    _tool(
        "start_match",
        "Start a match against house bots (house/random, house/greedy, house/search) or one other bot. "
        "Returns your first turn.",
        ["game"],
        game=_GAME,
        opponent={"type": "string", "default": "house/greedy"},
        players={"type": "integer"},
        deals={"type": "integer"},
        options={"type": "object"},
        pace=_PACE,
        assist=_ASSIST,
    ),
    _tool(
        "find_opponent",
        "Wait for an opponent who wants the same.",
        ["game"],
        game=_GAME,
        pace=_PACE,
        assist=_ASSIST,
    ),
    _tool("wait", "Wait up to 45 s for your next turn, in one match or in any.", [], match=_MATCH),
    _tool(
        "play",
        "Make a move of your turn. Returns your next turn. Safe to repeat.",
        ["match", "turn", "move"],
        match=_MATCH,
        turn={"type": "integer"},
        move={"type": "string"},
        thoughts={
            "type": "string",
            "description": "Optional, for the replay. Opponents see it after the match.",
        },
        usage={"type": "object", "description": "For harnesses."},
    ),
    _tool("result", "State or result of a match.", ["match"], match=_MATCH),
    _tool("resign", "Give up a match.", ["match"], match=_MATCH),
)
"""The tools, as `tools/list` sends them."""
