"""Turns and moves: the bodies and responses of the hot routes.

These schemas only describe them. `api.moves.bodies` checks the same rules by hand, for speed. A test keeps the two
equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from api.schemas.common import (
    Json,
    either,
    flag,
    instant,
    listed,
    obj,
    ref,
    text,
    whole,
)
from records.match.log import MOST_NOTE, NOTE_PATTERN
from records.match.move_requests import MOST_COUNT, MOST_THOUGHTS, USAGE
from records.words.reading import MENDINGS

MOST_TURN: Final = 10**9
MOST_DEAL: Final = 1000
MOST_MOVE_TEXT: Final = 300
MOST_CURSOR: Final = 100_000
MOST_IN_QUERY: Final = 7000
MOST_TOLD: Final = 16
"""The turns of a response whose past is read, since each is replayed."""


def _request(description: str, required: Sequence[str], properties: Json) -> Json:
    """Return the schema of an object in a request. It permits no other fields."""
    needed = {"required": sorted(required)} if required else {}
    parts = {"type": "object", "properties": properties, **needed, "additionalProperties": False}
    return {**parts, "description": description}


def _whole(most: int, least: int = 0) -> Json:
    return {"type": "integer", "minimum": least, "maximum": most}


def _move(description: str, example: str) -> Json:
    """Return the fields of a move without the one that says what it answers."""
    return {
        "move": {
            "type": "string",
            "minLength": 1,
            "maxLength": MOST_MOVE_TEXT,
            "description": description,
            "example": example,
        },
        "note": text(
            "Your own note on the move. Only you see it before everybody may read the match",
            maxLength=MOST_NOTE,
            pattern=NOTE_PATTERN,
            example="keeps the trump ace",
        ),
        "facts": ref("MoveFacts"),
    }


_MATCH: Final = {"type": "string", "minLength": 1, "maxLength": 64, "description": "The match's id"}
_TURN_MOVE: Final = {
    "turn": {**_whole(MOST_TURN, 1), "description": "The turn that is answered"},
    **_move("The move as text, one of `legal_moves`", "beat 7H TH"),
}
_FREE_MOVE: Final = {
    "deal": {**_whole(MOST_DEAL, 1), "description": "The deal to make it in"},
    **_move("The move as text", "exchange"),
}


def move_batch(max_moves: int, max_wait_s: float) -> Json:
    """Return the schema of the body of `POST /v1/turns` under these limits."""
    return _request(
        "Any number of moves, and a wait for the next turns.",
        (),
        {
            "moves": {
                "type": "array",
                "maxItems": max_moves,
                "description": "An empty list only waits",
                "items": ref("MatchMove"),
            },
            "wait": {
                "type": "number",
                "minimum": 0.0,
                "description": "Seconds to wait for a turn, at most `max_wait_s` of `GET /v1/limits`. Default: `0.0`",
                "maximum": max_wait_s,
            },
            "since": {
                "type": ["string", "null"],
                "minLength": 1,
                "maxLength": MOST_CURSOR,
                "description": "The `since` of the last response: leaves out turns and finished matches already "
                "delivered",
            },
            "leaving": flag(
                "The bot finishes its matches and leaves: it does not show up for matches that have not begun, and "
                "gets no seat in new rounds of ladders, other than knock-outs. Default: `false`"
            ),
        },
    )


_TURN: Final = obj(
    {
        "match": text("The match's id"),
        "turn": whole("The turn's number; send it with your move", 1),
        "deal": whole("The deal in progress, from 1", 1),
        "seat": whole("Your seat"),
        "observation": ref("Observation"),
        "clocks": listed(ref("SeatClock"), "By seat"),
        "deadline": instant(
            "When the turn times out, including the bank but not the grace; null without a clock", null=True
        ),
        "now": instant("Service time at this answer"),
        "since_your_turn": listed(
            {"type": "object"}, "With `past=true`: the match's events from your last move on"
        ),
        "seen": either(
            "SeenCards",
            f"With `past=true`, for the first {MOST_TOLD} turns of a response; null if the events of the deal "
            "could not be read",
        ),
    },
    "A turn of yours, with everything needed to choose a move.",
    optional=("since_your_turn", "seen"),
)
_SEEN_CARDS: Final = obj(
    {
        "gone": listed({"type": "string"}, "Seen in this deal"),
        "unseen": listed({"type": "string"}, "Not seen in it"),
        "holder": whole("The seat that must hold all unseen cards", null=True),
    },
    "The cards that you do not see now.",
)

_FINISHED: Final = obj(
    {
        "match": text("The match's id"),
        "seat": whole("Your seat"),
        "ending": ref("Ending"),
        "scores": listed({"type": "integer"}, "By seat"),
        "places": listed({"type": "integer", "minimum": 1}, "By seat"),
        "forfeits": listed({"type": "integer", "minimum": 0}, "The forfeited seats"),
        "ended": instant("When it ended"),
    },
    "A match of yours that is over.",
)

_MOVED: Final[Json] = {
    "match": text("The match's id"),
    "seat": whole("Your seat"),
    "turn": whole("The turn that was answered; null for a free move", 1, null=True),
    "move": text("The move that was made"),
    "ms": whole("The time taken"),
    "charged_ms": whole("The part of it charged to your bank"),
    "replayed": flag("Whether the move had been made before; the result is the first one"),
}

_POLLED: Final[Json] = {
    "turns": listed(ref("Turn"), "Your open turns that `since` does not cover"),
    "finished": listed(ref("FinishedMatch"), "Matches of yours that are over"),
    "since": text("Send it with your next request"),
    "service": ref("ServiceState"),
}

COMPONENTS: Final[dict[str, Json]] = {
    "MoveFacts": _request(
        "What you report about a move. No turn, event or record has it.",
        (),
        {
            **{name: _whole(MOST_COUNT) for name in USAGE},
            "mended": {
                "type": "array",
                "maxItems": len(MENDINGS),
                "description": "By your client",
                "items": {"type": "string", "enum": list(MENDINGS)},
            },
            "thoughts": text(
                "At most this many bytes. Private until everybody may read the match", maxLength=MOST_THOUGHTS
            ),
        },
    ),
    "TurnMove": _request("A move that answers a turn.", ("turn", "move"), _TURN_MOVE),
    "FreeMove": _request(
        "A free move (`exchange`), on or off turn: it answers no turn and is sent with a deal.",
        ("deal", "move"),
        _FREE_MOVE,
    ),
    "MatchTurnMove": _request(
        "An answer to a turn of one of your matches.",
        ("turn", "move", "match"),
        {**_TURN_MOVE, "match": _MATCH},
    ),
    "MatchFreeMove": _request(
        "A free move in one of your matches.", ("deal", "move", "match"), {**_FREE_MOVE, "match": _MATCH}
    ),
    "Turn": _TURN,
    "SeenCards": _SEEN_CARDS,
    "FinishedMatch": _FINISHED,
    "MoveResult": obj(_MOVED, "The result of a move."),
    "MoveResultAndTurns": obj(
        {
            **_MOVED,
            "next": either("Turn", "Your next turn of this match, if it came within the wait"),
            "finished": either("FinishedMatch", "The end of the match, if it came within the wait"),
            "service": ref("ServiceState"),
        },
        "The result of a move, and what came next.",
    ),
    "RefusedMove": obj(
        {
            "match": text("The match in the request"),
            "turn": whole("The turn in the request; null for a free move", 0, null=True),
            "move": text("The move in the request"),
            "problem": ref("Problem"),
        },
        "A refused move of a batch.",
    ),
    "TurnList": obj(_POLLED),
    "MoveResults": obj(
        {
            "results": listed(
                {"oneOf": [ref("MoveResult"), ref("RefusedMove")]},
                "The result of each move, in the order sent",
            ),
            **_POLLED,
            "running": whole(
                "With `leaving`: how many of your matches have begun and are not over. At 0 the wait ends", 0
            ),
        },
        optional=("running",),
    ),
}
