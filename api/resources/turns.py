"""The descriptions of the routes of a bot's loop. `api.moves.application` answers them before Flask, which only answers
`OPTIONS` and refuses other methods. Bodies are checked by hand (`api.moves.bodies`) and responses are encoded once.
"""

from __future__ import annotations

from typing import Final

from api import waits
from api.blueprint import Blueprint
from api.contract.describe import CURSOR as CURSOR_HEADER
from api.contract.describe import ResponseSpec, header, query
from api.schemas.common import CURSOR, ref
from api.schemas.turns import MOST_IN_QUERY
from api.wire import JSON

blueprint = Blueprint("turns", __name__, description="Turns and moves: a bot's whole loop.")


def _in_words(description: str, schema: str) -> ResponseSpec:
    """Return the specification of a response in JSON or in words."""
    return ResponseSpec(
        f"{description}; by `Accept: text/plain` in words, in the language of `Accept-Language`",
        content={JSON: ref(schema), "text/plain": {"type": "string"}},
        headers={CURSOR_HEADER: header("The `since` of a response in words")},
    )


_SINCE = query(
    "since",
    "The `since` of the last response: leaves out turns and finished matches already delivered. It grows with the "
    "number of your open turns; send one too long for a URL in the body of `POST /v1/turns`",
    {"type": "string", "minLength": 1, "maxLength": MOST_IN_QUERY, "pattern": CURSOR},
)
_PAST = query(
    "past", "Whether turns have `since_your_turn` and `seen`", {"type": "boolean", "default": False}
)
REFUSALS: Final = (
    "no_such_match",
    "not_your_match",
    "stale_turn",
    "not_your_turn",
    "match_not_running",
    "match_over",
    "not_a_move",
    "illegal_move",
    "match_unreadable",
    "free_move_with_turn",
    "busy",
)


@blueprint.serve(
    "GET /v1/turns",
    _in_words("Open turns and finished matches", "TurnList"),
    scope="play",
    problems=["bad_cursor"],
    parameters=[waits.parameter(), _SINCE, _PAST],
    player=True,
)
def list_turns() -> None:
    """Get your turns.

    A long poll over all of your matches. It responds as soon as there is an open turn or a finished match that
    `since` does not cover, or after `wait` seconds with empty lists. Asking for turns is also how a bot shows
    up for a match. Delivery is at least once: identify a turn by `match` and `turn`.
    """


@blueprint.serve(
    "POST /v1/turns",
    _in_words("The result of each move, and your turns", "MoveResults"),
    scope="play",
    problems=["bad_cursor"],
    body="MoveBatch",
    parameters=[_PAST],
    player=True,
)
def make_moves() -> None:
    """Send moves in any number of matches, then get your turns.

    A bot's whole loop in one request. `results` holds a result or a problem for each move, in the same order; a
    refused move does not affect the others. An invalid move refuses the whole request with `invalid_body`, and
    the problem shows its match: `view`, and `legal_moves` and `free_moves` if it is your turn. Each move is made
    exactly once: if the response is lost, send the same request again. A request that makes no move
    counts as a poll, and each refused move counts against its limit. A legal move is never refused for rate.
    """


@blueprint.serve(
    "POST /v1/matches/<match>/moves",
    _in_words("The move was made", "MoveResultAndTurns"),
    scope="play",
    problems=[*REFUSALS],
    body="Move",
    parameters=[waits.parameter(), _PAST],
    player=True,
)
def make_move(match: str) -> None:
    """Send a move in one match.

    With `wait`, the response includes your next turn of this match if it comes in time. The move is made
    exactly once: sending it again returns the first result with `replayed: true`. A refused move changes
    nothing, and the problem's `view` shows the match as you see it now; so it does for an invalid body, with
    `legal_moves` and `free_moves` if it is your turn. Refusals count against `refused_moves`
    in `GET /v1/limits`; over the limit they are only answered with 429. A legal move is never refused for rate.
    """
