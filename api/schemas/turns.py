"""Turns and moves: the bodies and responses of the hot routes.

The document shows these marshmallow schemas. `api.moves.bodies` checks the same rules by hand, for speed. A test keeps
the two equal.
"""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from api.schemas.common import (
    OPTIONAL,
    Choice,
    Flag,
    Json,
    Several,
    Strict,
    String,
    Whole,
    either,
    flag,
    instant,
    listed,
    obj,
    ref,
    text,
    whole,
)
from records.match.log import MOST_NOTE, NOTE_PATTERN, is_note
from records.match.move_requests import MOST_COUNT, MOST_THOUGHTS
from records.words.reading import MENDINGS

MOST_TURN: Final = 10**9
MOST_DEAL: Final = 1000
MOST_MOVE_TEXT: Final = 300
MOST_CURSOR: Final = 100_000
MOST_IN_QUERY: Final = 7000
MOST_TOLD: Final = 16
"""The turns of a response whose past is read, since each is replayed."""

_NOTE: Final[Json] = {
    "description": "Your own note on the move. Only you see it before everybody may read the match",
    "maxLength": MOST_NOTE,
    "pattern": NOTE_PATTERN,
    "example": "keeps the trump ace",
}


class Note(fields.String):
    """A bot's note on its move."""

    def __init__(self) -> None:
        super().__init__(load_default="", validate=_note, metadata=_NOTE)


def _thoughts(value: str) -> None:
    if len(value.encode()) > MOST_THOUGHTS:
        raise ValidationError(f"Must be a text of at most {MOST_THOUGHTS} bytes.")


def _note(value: str) -> None:
    if not is_note(value):
        raise ValidationError(f"Must be a text of at most {MOST_NOTE} characters without control characters.")


class MoveFactsSchema(Strict):
    """What you report about a move. No turn, event or record has it."""

    input_tokens = Whole(0, MOST_COUNT)
    output_tokens = Whole(0, MOST_COUNT)
    cost_micro_usd = Whole(0, MOST_COUNT)
    mended = Several(Choice(MENDINGS), "By your client", most=len(MENDINGS))
    thoughts = fields.String(
        validate=_thoughts,
        metadata={
            "description": "At most this many bytes. Private until everybody may read the match",
            "maxLength": MOST_THOUGHTS,
        },
    )


_MOVE: Final = {"description": "The move as text, one of `legal_moves`", "example": "beat 7H TH"}


class TurnMoveSchema(Strict):
    """A move that answers a turn."""

    turn = Whole(1, MOST_TURN, "The turn that is answered", required=True)
    move = String(1, MOST_MOVE_TEXT, required=True, metadata=_MOVE)
    note = Note()
    facts = fields.Nested(MoveFactsSchema)


class FreeMoveSchema(Strict):
    """A free move (`exchange`), on or off turn: it answers no turn and is sent with a deal."""

    deal = Whole(1, MOST_DEAL, "The deal to make it in", required=True)
    move = String(1, MOST_MOVE_TEXT, "The move as text", required=True, metadata={"example": "exchange"})
    note = Note()
    facts = fields.Nested(MoveFactsSchema)


class MatchTurnMoveSchema(TurnMoveSchema):
    """An answer to a turn of one of your matches."""

    match = String(1, 64, "The match's id", required=True)


class MatchFreeMoveSchema(FreeMoveSchema):
    """A free move in one of your matches."""

    match = String(1, 64, "The match's id", required=True)


class OneOf(fields.Field[Any]):
    """A value of the schema that its field selects: `turn`, or else `deal`."""

    def __init__(self, turn: type[Strict], free: type[Strict], **more: Any) -> None:
        super().__init__(**more)
        self.turn, self.free = turn, free

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Must be an object.")
        chosen = self.free if "deal" in value and "turn" not in value else self.turn
        return chosen().load(value)


class MoveBatchSchema(Strict):
    """Any number of moves, and a wait for the next turns."""

    moves = Several(
        OneOf(MatchTurnMoveSchema, MatchFreeMoveSchema),
        "An empty list only waits",
        most=256,
        load_default=list,
    )
    wait = fields.Float(
        load_default=0.0,
        validate=validate.Range(0),
        metadata={"description": "Seconds to wait for a turn, at most `max_wait_s` of `GET /v1/limits`"},
    )
    since = String(
        1,
        MOST_CURSOR,
        "The `since` of the last response: leaves out turns and finished matches already delivered",
        **OPTIONAL,
    )
    leaving = Flag(
        "The bot finishes its matches and leaves: it does not show up for matches that have not "
        "begun, and gets no seat in new rounds of ladders, other than knock-outs",
        load_default=False,
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

COMPONENTS: Final[dict[str, Json]] = {
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
    "TurnList": obj(
        {
            "turns": listed(ref("Turn"), "Your open turns that `since` does not cover"),
            "finished": listed(ref("FinishedMatch"), "Matches of yours that are over"),
            "since": text("Send it with your next request"),
            "service": ref("ServiceState"),
        }
    ),
    "MoveResults": obj(
        {
            "results": listed(
                {"oneOf": [ref("MoveResult"), ref("RefusedMove")]},
                "The result of each move, in the order sent",
            ),
            "turns": listed(ref("Turn"), "Your open turns that `since` does not cover"),
            "finished": listed(ref("FinishedMatch"), "Matches of yours that are over"),
            "since": text("Send it with your next request"),
            "service": ref("ServiceState"),
            "running": whole(
                "With `leaving`: how many of your matches have begun and are not over. At 0 the wait ends", 0
            ),
        },
        optional=("running",),
    ),
}
