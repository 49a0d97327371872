"""My turns, and moves: the hot routes.

Two round trips to the store a request, whatever the number of its moves: one reads the token and the matches,
one commits. Bodies are checked by hand and answers encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from flask import Response, request

from api import auth, check_faults, metrics
from api.blueprint import Blueprint
from api.check_faults import Faults
from api.contract.describe import ResponseSpec, describe, query
from api.limits import rates, waits
from api.limits.rates import RateScope
from api.moves import many_moves, one_move
from api.problems import KINDS, Problem, problem_of
from api.schemas.common import CURSOR
from api.schemas.turns import MOST_IN_QUERY
from api.services import Services, services
from api.wire import answer, body_and_arrival, check_content_type, parse
from league.accounts.tokens import Scope, Token
from league.fitness.statistics import REPLAYED_MOVES
from referee.after_commit import Hook
from referee.errors import RefereeError
from referee.ids import is_match_id
from referee.match import views
from referee.match.loaded_match import MoveResult
from referee.match.move_requests import MoveRequest
from referee.match.snapshot import Snapshot
from referee.storage.store import PendingReply, ReadPipeline

_A_POLL: Final = 16
"""So many moves that were sent again count as another poll."""
_NONE: Final = Problem("internal_error", "")
"""In the place of a move that was made."""

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
        raise Problem("invalid_query", "`since` is empty or too long for an address", errors=errors)
    services().presence.seen(bot, wait)
    return check_faults.of(token).answer(services().turns.poll(bot, wait, since))


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
    raw, arrived = body_and_arrival()
    parts = services()
    trip = parts.trip()
    asked = auth.ask(trip)
    try:
        check_content_type()
        body = many_moves(parse(raw))
    except Problem as malformed:
        _check_first(trip, asked, malformed)
        raise
    if not body.moves and waits.is_abandoned():
        metrics.of().abandoned()
        raise Problem("bad_request", "the connection was closed by the client before it was answered")
    looks = [_ask(parts, trip, move.match) for move in body.moves]
    trip.go()
    token = auth.checked(asked.answer, Scope.PLAY)
    bot, faults = auth.bot_of(token), check_faults.of(token)
    # Before anything is committed: a refused request has made no move.
    parts.turns.check(bot, body.since)
    faults.before(body.moves)
    seen = [None if look is None else look.answer for look in looks]
    results = parts.referee.moves(bot, body.moves, arrived, seen) if seen else []
    _note(bot, body.moves, results, faults, body.wait)
    if not any(isinstance(result, MoveResult) and not result.replayed for result in results):
        rates.check_bot(bot, RateScope.POLLS, 1 + len(results) // _A_POLL)
    said = [
        views.moved_view(result)
        if isinstance(result, MoveResult)
        else {"match": move.match, "turn": move.turn, "move": move.move, "problem": problem.to_json()}
        for move, result, problem in zip(
            body.moves, results, _problems(results, body.moves, bot), strict=True
        )
    ]
    polled = parts.after.run(
        Hook.POLL,
        lambda: parts.turns.poll(bot, body.wait, body.since, results),
        parts.turns.nothing_yet(bot, body.since),
        committed=_made(results),
    )
    return _answer(faults, {"results": said, **polled})


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
    raw, arrived = body_and_arrival()
    parts = services()
    trip = parts.trip()
    asked = auth.ask(trip)
    try:
        check_content_type()
        move = one_move(parse(raw), match)
        wait = waits.of_query()
    except Problem as malformed:
        _check_first(trip, asked, malformed)
        raise
    look = _ask(parts, trip, match)
    trip.go()
    token = auth.checked(asked.answer, Scope.PLAY)
    bot, faults = auth.bot_of(token), check_faults.of(token)
    faults.before([move])
    (result,) = parts.referee.moves(bot, [move], arrived, [None if look is None else look.answer])
    _note(bot, [move], [result], faults, wait)
    if not isinstance(result, MoveResult):
        (problem,) = _problems([result], [move], bot)
        raise problem
    if result.replayed:
        rates.check_bot(bot, RateScope.POLLS)
    following = parts.after.run(
        Hook.NEXT, lambda: parts.turns.after_move(bot, result, wait), parts.turns.no_next()
    )
    return _answer(faults, {**views.moved_view(result), **following})


def _check_first(trip: ReadPipeline, asked: PendingReply[Token | None], malformed: Problem) -> None:
    """Who may not ask at all is told that, and not what is wrong with the body; who may is counted."""
    trip.go()
    token = auth.checked(asked.answer, Scope.PLAY)
    rates.check_token(token, RateScope.REQUESTS)
    services().statistics.note(auth.bot_of(token), [malformed.code])


def _note(
    bot: str,
    moves: Sequence[MoveRequest],
    results: Sequence[MoveResult | RefereeError],
    faults: Faults,
    wait: float,
) -> None:
    """Note the moves for metrics, statistics, a check, and presence. Raises nothing where a move was made."""
    parts, made = services(), _made(results)
    codes = [code for code in map(_noted, results) if code is not None]
    notes: tuple[tuple[Hook, Callable[[], None]], ...] = (
        (Hook.METRICS, lambda: metrics.of().moved(results)),
        (Hook.STATISTICS, lambda: parts.statistics.note(bot, codes)),
        (Hook.CHECK, lambda: faults.moved(moves, results)),
        (Hook.PRESENCE, lambda: parts.presence.seen(bot, wait)),
    )
    for hook, note in notes:
        parts.after.run(hook, note, None, committed=made)


def _made(results: Sequence[MoveResult | RefereeError]) -> bool:
    """Whether a move of the request was made, now or before: then it has a response that must not be lost."""
    return any(isinstance(result, MoveResult) for result in results)


def _answer(faults: Faults, said: dict[str, Any]) -> Response:
    """The response to moves, or the fault of a check in its place, which is a `Problem`."""
    after = services().after
    found = after.run(Hook.CHECK, lambda: faults.answer(said), None, passing=(Problem,))
    return answer(said) if found is None else found


def _noted(result: MoveResult | RefereeError) -> str | None:
    """What of a move is the bot's own doing and worth telling its owner."""
    if isinstance(result, MoveResult):
        return REPLAYED_MOVES if result.replayed else None
    return None if KINDS[result.code].status >= 500 else result.code


def _ask(parts: Services, trip: ReadPipeline, match: str) -> PendingReply[Snapshot | None] | None:
    return parts.store.ask(trip, match) if is_match_id(match) else None


def _problems(
    results: Sequence[MoveResult | RefereeError], moves: Sequence[MoveRequest], bot: str
) -> list[Problem]:
    """By result, the refusal of a move with the match as the bot sees it now, if it has a seat there; or one that is
    had for nothing, for a bot with too many refusals."""
    problems = [_NONE if isinstance(result, MoveResult) else problem_of(result, ()) for result in results]
    after, made = services().after, _made(results)
    refused = [place for place, problem in enumerate(problems) if 400 <= problem.kind.status < 500]
    too_many = None
    if refused:
        too_many = after.run(
            Hook.RATES, lambda: rates.too_many_refused(bot, len(refused)), None, committed=made
        )
    if too_many is not None:
        for place in refused:
            problems[place] = too_many
        return problems
    shown = [place for place, problem in enumerate(problems) if problem.kind.status in (409, 422)]
    after.run(
        Hook.VIEW,
        lambda: _show([problems[place] for place in shown], [moves[place].match for place in shown], bot),
        None,
        committed=made,
    )
    return problems


def _show(problems: Sequence[Problem], matches: Sequence[str], bot: str) -> None:
    """Add to each of these problems its match, as the bot sees it now."""
    referee = services().referee
    for problem, live in zip(problems, referee.look_at(matches) if matches else [], strict=True):
        if live is not None:
            seat, masked = live.config.seat_of(bot), referee.is_masked(live)
            problem.details["view"] = views.match_view(live, seat, masked=masked)
