"""Problems: every refusal of the API, as RFC 9457 documents.

`KINDS` lists all codes. Errors of the referee and the league carry a `code` from it. `problem_of` turns every exception
into a problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson
from flask import has_request_context, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from api.http.body import BodyCutShort, BodyTimeout
from api.http.replies import HttpReply
from engine.game import BadTable
from league.errors import LeagueError
from records.errors import RefereeError

PROBLEM_JSON: Final = "application/problem+json"
STORE_UNAVAILABLE: Final = "the store does not respond; it is unknown whether the request took effect"
"""The detail of `store_unavailable`."""


class ProblemKind(NamedTuple):
    """What all problems with a code have in common."""

    status: int
    title: str
    retryable: bool = False
    """Whether the same request may succeed when it is sent again unchanged."""


KINDS: Final[Mapping[str, ProblemKind]] = {
    # the request
    "bad_request": ProblemKind(400, "The request is malformed"),
    "bad_json": ProblemKind(400, "The body is malformed or ambiguous JSON"),
    "bad_cursor": ProblemKind(400, "The cursor is not valid"),
    "body_cut_short": ProblemKind(400, "The body ended before its announced length", True),
    "not_found": ProblemKind(404, "The path does not exist"),
    "method_not_allowed": ProblemKind(405, "The path does not support this method"),
    "not_acceptable": ProblemKind(406, "No content type in `Accept` is supported"),
    "body_timeout": ProblemKind(408, "The body did not arrive in time", True),
    "body_too_large": ProblemKind(413, "The body is too large"),
    "wrong_host": ProblemKind(421, "The service has another name"),
    "wrong_content_type": ProblemKind(415, "The content type of the body is not JSON"),
    "encoded_body": ProblemKind(415, "The body has a content encoding"),
    "range_not_satisfiable": ProblemKind(416, "The range lies outside the file"),
    "invalid_body": ProblemKind(422, "Fields of the body are missing, unknown or invalid"),
    "invalid_query": ProblemKind(422, "Query parameters are missing, unknown or invalid"),
    "invalid_header": ProblemKind(422, "A header is invalid"),
    # the caller
    "token_missing": ProblemKind(401, "A token is required"),
    "token_invalid": ProblemKind(401, "The token is unknown, revoked or expired"),
    "scope_missing": ProblemKind(403, "The token lacks a required scope"),
    "wrong_token_kind": ProblemKind(403, "A different kind of token is required"),
    "bad_invitation": ProblemKind(403, "Registration requires a valid invitation"),
    "not_your_bot": ProblemKind(403, "The bot belongs to another owner"),
    "not_your_match": ProblemKind(403, "The bot has no seat in this match"),
    "not_your_ladder": ProblemKind(403, "The ladder belongs to another owner"),
    "not_your_token": ProblemKind(403, "The token belongs to another owner"),
    # missing resources
    "no_such_game": ProblemKind(404, "There is no such game"),
    "no_such_match": ProblemKind(404, "There is no such match"),
    "no_such_owner": ProblemKind(404, "There is no such owner"),
    "no_such_bot": ProblemKind(404, "There is no such bot"),
    "no_such_token": ProblemKind(404, "There is no such token"),
    "no_such_check": ProblemKind(404, "There is no such check"),
    "no_such_group": ProblemKind(404, "There is no such group"),
    "no_such_ladder": ProblemKind(404, "There is no such ladder"),
    "no_such_preset": ProblemKind(404, "The preset has no ratings"),
    "no_such_round": ProblemKind(404, "There is no such round"),
    "no_such_season": ProblemKind(404, "There is no such season"),
    "no_such_webhook": ProblemKind(404, "There is no such webhook"),
    "no_such_message": ProblemKind(404, "The webhook's log has no such message"),
    "no_such_review": ProblemKind(404, "The match has no such review"),
    "not_queued": ProblemKind(404, "The bot is not in the queue"),
    "no_bracket": ProblemKind(404, "The ladder is not a knock-out"),
    # conflicts with the current state
    "stale_turn": ProblemKind(409, "The turn is not the current one"),
    "not_your_turn": ProblemKind(409, "It is another seat's turn"),
    "match_not_running": ProblemKind(409, "The match has not started"),
    "match_over": ProblemKind(409, "The match is over"),
    "seat_taken": ProblemKind(409, "The seat is not open"),
    "already_seated": ProblemKind(409, "The bot already has a seat in this match"),
    "not_joinable": ProblemKind(409, "The match is no longer open"),
    "record_not_ready": ProblemKind(409, "The record is not available yet"),
    "group_running": ProblemKind(409, "The match's duplicate group is not over"),
    "bot_unavailable": ProblemKind(409, "The bot can't play this match"),
    "already_queued": ProblemKind(409, "The bot waits in the queue for other terms"),
    "name_taken": ProblemKind(409, "The name is taken"),
    "wrong_ladder_state": ProblemKind(409, "The ladder's state does not allow this"),
    "entry_refused": ProblemKind(409, "The bot can't be entered or withdrawn"),
    "not_rerunnable": ProblemKind(409, "The match can't be rerun"),
    "round_running": ProblemKind(409, "A round is running"),
    "nothing_to_play": ProblemKind(409, "The entries can't fill a table"),
    "season_empty": ProblemKind(409, "The season has no rounds"),
    "idempotency_key_in_flight": ProblemKind(
        409, "The first request with this key is still in progress", True
    ),
    "idempotency_key_reused": ProblemKind(422, "The idempotency key was used for a different request"),
    "bad_value": ProblemKind(422, "A value is not allowed"),
    "rate_limited": ProblemKind(429, "Too many requests", True),
    "too_many_reviews": ProblemKind(429, "Too many reviews wait", True),
    "too_many_house_matches": ProblemKind(429, "Too many matches wait for house bots", True),
    # the game
    "bad_table": ProblemKind(422, "The game can't be set up like this"),
    "not_a_move": ProblemKind(422, "The text is not a move of this game"),
    "free_move_with_turn": ProblemKind(422, "A free move is sent with the deal, not with a turn"),
    "illegal_move": ProblemKind(422, "The move is not legal now"),
    # the service
    "match_unreadable": ProblemKind(500, "The stored match is unreadable"),
    "internal_error": ProblemKind(500, "An internal error occurred", True),
    "busy": ProblemKind(503, "Busy: send it again", True),
    "events_not_ready": ProblemKind(503, "The match is still being replayed", True),
    "overtaken": ProblemKind(503, "Too many concurrent changes", True),
    "service_paused": ProblemKind(503, "The service is paused", True),
    "service_draining": ProblemKind(503, "The service is draining and creates nothing new", True),
    "storage_full": ProblemKind(503, "The store is full", True),
    "store_unavailable": ProblemKind(503, "The store is unavailable", True),
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
    """A refusal by the API itself."""

    def __init__(
        self, code: str, detail: str, headers: Mapping[str, str] | None = None, **details: Any
    ) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail
        self.headers, self.details = headers or {}, details

    @property
    def kind(self) -> ProblemKind:
        """The kind of its code."""
        return KINDS[self.code]

    def to_json(self, request_id: str) -> dict[str, Any]:
        """Return the problem document of this request."""
        kind = self.kind
        document = {
            "type": f"/docs/problems#{self.code}",
            "title": kind.title,
            "status": kind.status,
            "detail": self.detail,
            "code": self.code,
            "retryable": kind.retryable,
            "request_id": request_id,
        }
        return {**document, **self.details}


def request_id() -> str:
    """Return the id of the current request, as the logs show it."""
    return request.environ.get("kozyr.request_id", "") if has_request_context() else ""


def problem_of(
    error: Exception,
    store_errors: tuple[type[Exception], ...],
    full_errors: tuple[type[Exception], ...] = (),
) -> Problem:
    """Return the problem of an exception.

    `full_errors` are the `store_errors` that mean a full store. An unexpected exception becomes `internal_error` and
    reveals nothing.
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, BadTable):
        code = "no_such_game" if error.field == "game" else "bad_table"
        return Problem(code, str(error), field=error.field, expected=error.expected)
    if isinstance(error, RefereeError | LeagueError):
        return Problem(error.code, str(error), **error.details)
    if isinstance(error, full_errors):
        return Problem("storage_full", "the store is full and accepts no writes for now")
    if isinstance(error, store_errors):
        return Problem("store_unavailable", getattr(error, "detail", STORE_UNAVAILABLE))
    if isinstance(error, HTTPException):
        return _of_http(error)
    return Problem(
        "internal_error", "the request failed unexpectedly; quote the `request_id` to the operator"
    )


def allow(methods: Iterable[str]) -> str:
    """Return the `Allow` header, in a fixed order."""
    return ", ".join(sorted(methods))


def reply_of(problem: Problem, request_id: str) -> HttpReply:
    """Return the response with this problem."""
    headers = dict(problem.headers)
    if problem.kind.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="kozyr"'
    elif problem.kind.status == 503:
        headers["Retry-After"] = "1"
    return HttpReply(orjson.dumps(problem.to_json(request_id)), PROBLEM_JSON, problem.kind.status, headers)


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
