"""Everything that the API refuses, and how it says so: RFC 9457 problem documents.

`KINDS` is the closed list of codes, each with its status. Refusals of the referee and the league carry a `code`
of this list; what else goes wrong is turned into one by `problem_of`, in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson
from flask import Response, has_request_context, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from api.body import BodyCutShort, BodyTimeout
from engine.game import BadTable
from league.errors import LeagueError
from referee.errors import RefereeError
from referee.redis_trip import StoreFull

PROBLEM_JSON: Final = "application/problem+json"


class Kind(NamedTuple):
    """What is the same for every problem with a code."""

    status: int
    title: str
    retryable: bool = False
    """Whether the same request may succeed when it is sent again unchanged."""


KINDS: Final[Mapping[str, Kind]] = {
    # the request as such
    "bad_request": Kind(400, "The request is malformed"),
    "bad_json": Kind(400, "The body is no JSON that can be read in one way only"),
    "bad_cursor": Kind(400, "The cursor was not given by this service"),
    "body_cut_short": Kind(400, "The body ended before its announced end", True),
    "not_found": Kind(404, "There is no such address"),
    "method_not_allowed": Kind(405, "This address does not take this method"),
    "not_acceptable": Kind(406, "The address has no answer of a content type that the client accepts"),
    "body_timeout": Kind(408, "The body did not come in time", True),
    "body_too_large": Kind(413, "The body is too large"),
    "wrong_content_type": Kind(415, "The body has another content type than JSON"),
    "encoded_body": Kind(415, "The body is compressed or encoded otherwise"),
    "invalid_body": Kind(422, "Fields of the body are missing, unknown or wrong"),
    "invalid_query": Kind(422, "Parameters of the query are unknown or wrong"),
    "invalid_header": Kind(422, "A header is wrong"),
    # who asks
    "token_missing": Kind(401, "A token is needed"),
    "token_invalid": Kind(401, "The token is unknown, revoked or expired"),
    "scope_missing": Kind(403, "The token lacks a scope"),
    "wrong_token_kind": Kind(403, "Another kind of token is needed"),
    "bad_invitation": Kind(403, "Becoming an owner takes a living invitation"),
    "not_your_bot": Kind(403, "The bot belongs to somebody else"),
    "not_your_match": Kind(403, "The bot has no seat in this match"),
    "not_your_ladder": Kind(403, "The ladder belongs to somebody else"),
    "not_your_token": Kind(403, "The token belongs to somebody else"),
    # what is not there
    "no_such_game": Kind(404, "There is no such game"),
    "no_such_match": Kind(404, "There is no such match"),
    "no_such_owner": Kind(404, "There is no such owner"),
    "no_such_bot": Kind(404, "There is no such bot"),
    "no_such_token": Kind(404, "There is no such token"),
    "no_such_check": Kind(404, "There is no such check"),
    "no_such_group": Kind(404, "There is no such group"),
    "no_such_ladder": Kind(404, "There is no such ladder"),
    "no_such_preset": Kind(404, "Nobody is rated in this preset"),
    "no_such_round": Kind(404, "There is no such round"),
    "no_such_season": Kind(404, "There is no such season"),
    "no_bracket": Kind(404, "The ladder is no knock-out"),
    # how things stand
    "stale_turn": Kind(409, "The turn has been played, or has not come yet"),
    "not_your_turn": Kind(409, "Another seat is asked"),
    "match_not_running": Kind(409, "The match has not started"),
    "match_over": Kind(409, "The match is over"),
    "seat_taken": Kind(409, "The seat is not open"),
    "already_seated": Kind(409, "The bot sits at this table already"),
    "not_joinable": Kind(409, "The match is no longer open"),
    "record_not_ready": Kind(409, "The record may not be read yet"),
    "group_running": Kind(409, "The match's duplicate group is not over"),
    "bot_unavailable": Kind(409, "The bot can't be seated for this"),
    "name_taken": Kind(409, "The name is taken"),
    "wrong_ladder_state": Kind(409, "The ladder's state does not allow this"),
    "entry_refused": Kind(409, "The bot can't be entered or withdrawn"),
    "not_rerunnable": Kind(409, "The match can't be played again"),
    "round_running": Kind(409, "A round is running"),
    "nothing_to_play": Kind(409, "The entries make no table"),
    "season_empty": Kind(409, "No round of the season was opened"),
    "idempotency_key_in_flight": Kind(409, "The first request with this key is being answered", True),
    "idempotency_key_reused": Kind(422, "The key was used for another request"),
    "bad_value": Kind(422, "A value is refused"),
    "rate_limited": Kind(429, "Too many in too short a time", True),
    # the game
    "bad_table": Kind(422, "The game has no such table"),
    "not_a_move": Kind(422, "The text is no move of this game"),
    "free_move_with_turn": Kind(422, "A free move is sent with the deal, not with a turn"),
    "illegal_move": Kind(422, "The move is not legal now"),
    # us
    "match_unreadable": Kind(500, "The match can't be read as it is stored"),
    "internal_error": Kind(500, "Something went wrong here", True),
    "busy": Kind(503, "Others were faster too many times", True),
    "overtaken": Kind(503, "Others were faster too many times", True),
    "service_paused": Kind(503, "The service is paused", True),
    "service_draining": Kind(503, "The service makes nothing new for now", True),
    "storage_full": Kind(503, "The store is full", True),
    "store_unavailable": Kind(503, "The store does not answer", True),
}

_OF_STATUS: Final = {
    400: "bad_request",
    401: "token_missing",
    404: "not_found",
    405: "method_not_allowed",
    408: "body_timeout",
    413: "body_too_large",
    415: "wrong_content_type",
    429: "rate_limited",
}


class Problem(Exception):
    """A refusal of the API's own."""

    def __init__(
        self, code: str, detail: str, headers: Mapping[str, str] | None = None, **details: Any
    ) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail
        self.headers, self.details = headers or {}, details

    @property
    def kind(self) -> Kind:
        """What its code says."""
        return KINDS[self.code]

    def to_json(self) -> dict[str, Any]:
        """The problem document."""
        kind = self.kind
        said = {
            "type": f"/docs/problems#{self.code}",
            "title": kind.title,
            "status": kind.status,
            "detail": self.detail,
            "code": self.code,
            "retryable": kind.retryable,
            "request_id": request_id(),
        }
        return {**said, **self.details}


def request_id() -> str:
    """What names the present request in our logs."""
    return request.environ.get("kozyr.request_id", "") if has_request_context() else ""


def problem_of(error: Exception, store_errors: tuple[type[Exception], ...]) -> Problem:
    """How an exception is told. What nobody foresaw is `internal_error` and tells nothing."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, BadTable):
        code = "no_such_game" if error.field == "game" else "bad_table"
        return Problem(code, str(error), field=error.field, expected=error.expected)
    if isinstance(error, RefereeError | LeagueError):
        return Problem(error.code, str(error), **error.details)
    if isinstance(error, StoreFull):
        return Problem("storage_full", "the store has no room left and takes no writes for now")
    if isinstance(error, store_errors):
        return Problem("store_unavailable", "the store does not answer; nothing else is known")
    if isinstance(error, HTTPException):
        return _of_http(error)
    return Problem("internal_error", "the request could not be served; the request id tells us more")


def allow(methods: Iterable[str]) -> str:
    """The header `Allow`, in an order that is no process's own."""
    return ", ".join(sorted(methods))


def answer_of(problem: Problem) -> Response:
    """The problem as an answer."""
    headers = dict(problem.headers)
    if problem.kind.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="kozyr"'
    elif problem.kind.status == 503:
        headers["Retry-After"] = "1"
    return Response(orjson.dumps(problem.to_json()), problem.kind.status, headers, content_type=PROBLEM_JSON)


def _of_http(error: HTTPException) -> Problem:
    if isinstance(error, BodyCutShort):
        return Problem("body_cut_short", str(error.description))
    if isinstance(error, BodyTimeout):
        return Problem("body_timeout", str(error.description))
    code = _OF_STATUS.get(
        error.code or 500, "bad_request" if 400 <= (error.code or 500) < 500 else "internal_error"
    )
    headers = {}
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = allow(error.valid_methods or ())
    return Problem(code, (error.description or KINDS[code].title).strip(), headers)
