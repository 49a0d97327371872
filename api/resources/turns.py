"""The hot routes: a bot's turns and its moves.

A request makes two round trips to the store, however many moves it has. The first reads the token and the matches,
the second commits. Bodies are checked by hand (`api.moves.bodies`) and responses are encoded once.
"""

from __future__ import annotations

from typing import Any, Final

from flask import Response, current_app, request

from api import auth, metrics, waits
from api.blueprint import Blueprint
from api.contract.describe import ResponseSpec, describe, query
from api.limits import rates
from api.limits.rates import RateScope
from api.moves.bodies import read_batch, read_move
from api.moves.faults import faults_for
from api.moves.pipeline import MovePipeline, Sender
from api.problems import Problem
from api.schemas.common import CURSOR
from api.schemas.turns import MOST_IN_QUERY
from api.services import Services, services
from api.wire import answer, body_and_arrival, check_content_type, parse
from league.accounts.tokens import Scope, Token
from referee.after_commit import Hook
from referee.ids import is_match_id
from referee.match.snapshot import Snapshot
from referee.storage.store import PendingReply, ReadPipeline

blueprint = Blueprint("turns", __name__, description="Turns and moves: a bot's whole loop.")

_SINCE = query(
    "since",
    "The `since` of the last response: leaves out turns and finished matches already delivered. It grows with the "
    "number of your open turns; send one too long for a URL in the body of `POST /v1/turns`",
    {"type": "string", "minLength": 1, "maxLength": MOST_IN_QUERY, "pattern": CURSOR},
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


@blueprint.route("/v1/turns")
@describe(
    "listTurns",
    {200: ResponseSpec("Open turns and finished matches", "TurnList")},
    scope="play",
    parameters=[waits.parameter(), _SINCE],
    problems=["bad_cursor", "wrong_token_kind"],
)
def list_turns() -> Response:
    """Get your turns.

    A long poll over all of your matches. It responds as soon as there is an open turn or a finished match that
    `since` does not cover, or after `wait` seconds with empty lists. Asking for turns is also how a bot shows
    up for a match. Delivery is at least once: identify a turn by `match` and `turn`.
    """
    token = auth.caller(Scope.PLAY, RateScope.POLLS)
    bot = auth.bot_of(token)
    wait, since = waits.of_query("since"), request.args.get("since")
    if since is not None and not 0 < len(since) <= MOST_IN_QUERY:
        errors = {"since": [f"Must have 1 to {MOST_IN_QUERY} characters."]}
        raise Problem("invalid_query", "`since` is empty or too long for a URL", errors=errors)
    services().presence.seen(bot, wait)
    return faults_for(token, services().checks.store).answer(services().turns.poll(bot, wait, since))


@blueprint.route("/v1/turns", methods=["POST"])
@describe(
    "makeMoves",
    {200: ResponseSpec("The result of each move, and your turns", "MoveResults")},
    scope="play",
    body="MoveBatch",
    problems=["bad_cursor", "wrong_token_kind"],
)
def make_moves() -> Response:
    """Send moves in any number of matches, then get your turns.

    A bot's whole loop in one request. `results` holds a result or a problem for each move, in the same order; a
    refused move does not affect the others. Each move is made exactly once: if the response is lost, send the
    same request again. A request that makes no move counts as a poll, and each refused move counts against its
    limit. A legal move is never refused for rate.
    """
    parts, reads = services(), services().trip()
    raw, arrived = body_and_arrival()
    token = auth.ask(reads)
    try:
        check_content_type()
        batch = read_batch(parse(raw))
    except Problem as malformed:
        _count_malformed(reads, token, malformed)
        raise
    if not batch.moves and waits.is_abandoned():
        metrics.current().abandoned()
        raise Problem("bad_request", "the client closed the connection before the response")
    snapshots = [_ask(parts, reads, move.match) for move in batch.moves]
    reads.go()
    sender = _sender(token)
    snapshot = [None if each is None else each.answer for each in snapshots]
    return _respond(sender, pipeline().make_batch(sender, batch, snapshot, arrived=arrived))


@blueprint.route("/v1/matches/<match>/moves", methods=["POST"])
@describe(
    "makeMove",
    {200: ResponseSpec("The move was made", "MoveResultAndTurns")},
    scope="play",
    body="Move",
    parameters=[waits.parameter()],
    problems=["not_found", "wrong_token_kind", *REFUSALS],
)
def make_move(match: str) -> Response:
    """Send a move in one match.

    With `wait`, the response includes your next turn of this match if it comes in time. The move is made
    exactly once: sending it again returns the first result with `replayed: true`. A refused move changes
    nothing, and the problem's `view` shows the match as you see it now. Refusals count against `refused_moves`
    in `GET /v1/limits`; over the limit they are only answered with 429. A legal move is never refused for rate.
    """
    parts, reads = services(), services().trip()
    raw, arrived = body_and_arrival()
    token = auth.ask(reads)
    try:
        check_content_type()
        move = read_move(parse(raw), match)
        wait = waits.of_query()
    except Problem as malformed:
        _count_malformed(reads, token, malformed)
        raise
    pending = _ask(parts, reads, match)
    reads.go()
    sender = _sender(token)
    snapshot = None if pending is None else pending.answer
    return _respond(sender, pipeline().make_one(sender, move, snapshot, arrived=arrived, wait=wait))


def pipeline() -> MovePipeline:
    """Return the move pipeline of the application that serves the current request."""
    moves: MovePipeline = current_app.extensions["kozyr-moves"]
    return moves


def _ask(parts: Services, reads: ReadPipeline, match: str) -> PendingReply[Snapshot | None] | None:
    return parts.store.ask(reads, match) if is_match_id(match) else None


def _sender(pending: PendingReply[Token | None]) -> Sender:
    """Return the bot that sends the request. Raise `Problem` unless its token can play."""
    token = auth.checked(pending.answer, Scope.PLAY)
    return Sender(auth.bot_of(token), request.environ, faults_for(token, services().checks.store))


def _count_malformed(reads: ReadPipeline, pending: PendingReply[Token | None], malformed: Problem) -> None:
    """Count a malformed request. Raise `Problem` for an invalid token, which takes precedence."""
    reads.go()
    token = auth.checked(pending.answer, Scope.PLAY)
    rates.check_token(token, RateScope.REQUESTS)
    services().statistics.note(auth.bot_of(token), [malformed.code])


def _respond(sender: Sender, body: dict[str, Any]) -> Response:
    """Return the response to moves, or the fault that a check injects. Raise `Problem` for an injected refusal."""
    after = services().after
    response = after.run(Hook.CHECK, lambda: sender.faults.answer(body), None, passing=(Problem,))
    return answer(body) if response is None else response
