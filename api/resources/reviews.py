"""Mistake reviews of finished matches, and exact values of their endings."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import LOCATION, ResponseSpec, describe
from api.limits.rates import RateScope
from api.resources.matches import look
from api.schemas.common import ref
from api.schemas.responses import dump
from api.schemas.reviews import (
    EndingQuery,
    EndingValueSchema,
    NewEndingSchema,
    NewReviewSchema,
    ReviewQuery,
    ReviewSchema,
)
from api.services import services
from api.tables import columns, table, table_of
from api.wire import answer
from league.accounts.tokens import Scope
from league.reviews.studies import StudyPlace, line_of
from records.reviews.model import Effort

blueprint = Blueprint("reviews", __name__, description="Reviews of matches: which moves were mistakes.")

Body = dict[str, Any]
_COLUMNS: Final = columns(ref("ReviewedMove"))


@blueprint.route("/v1/matches/<match>/reviews", methods=["POST"])
@describe(
    "createReview",
    {202: ResponseSpec("The review, as far as it is computed", "Review", headers=LOCATION)},
    scope="challenge",
    problems=["not_found", "no_such_match", "record_not_ready", "group_running", "too_many_reviews"],
    body=NewReviewSchema,
)
def create_review(body: Body, match: str) -> Response:
    """Request a review of a finished match.

    A worker evaluates each decision over sampled deals that agree with what the seat knew. Repeating the request
    returns the same review: a match has one for each effort, and its result depends on nothing else. A review that
    failed with `errors` starts again.
    """
    token = auth.caller(Scope.CHALLENGE, RateScope.CREATIONS)
    loaded, effort = look(match), Effort(body["effort"])
    review = services().reviews.request(loaded, effort, token.owner)
    location = {"Location": f"/v1/matches/{loaded.id}/review?effort={effort}"}
    return answer(dump(ReviewSchema, review), 202, location)


@blueprint.route("/v1/matches/<match>/review")
@describe(
    "getReview",
    {200: table_of("The review, as far as it is computed", "Review")},
    problems=["not_found", "no_such_match", "record_not_ready", "group_running", "no_such_review"],
    query=ReviewQuery,
)
def get_review(query: Body, match: str) -> Response:
    """Get a review of a finished match.

    Everybody who may read the match's record can read its review. It is kept for at most 30 days.
    """
    review = services().reviews.get(look(match), Effort(query["effort"]))
    return table(dump(ReviewSchema, review), [move.to_row() for move in review.moves], _COLUMNS)


endings = Blueprint("endings", __name__, description="Exact values of positions without hidden cards.")

_PROBLEMS: Final = [
    "not_found",
    "no_such_match",
    "record_not_ready",
    "group_running",
    "events_not_ready",
    "bad_table",
]


@endings.route("/v1/matches/<match>/endings", methods=["POST"])
@describe(
    "createEnding",
    {202: ResponseSpec("The position, as far as it is known", "EndingValue", headers=LOCATION)},
    scope="challenge",
    problems=[*_PROBLEMS, "too_many_reviews"],
    body=NewEndingSchema,
)
def create_ending(body: Body, match: str) -> Response:
    """Let a worker solve a position of a finished match.

    Only an `open` position needs it: smaller ones are solved by `GET`. A worker tries it for two seconds, for each
    owner one position at a time. The result is kept for an hour.
    """
    token = auth.caller(Scope.CHALLENGE, RateScope.CREATIONS)
    loaded = look(match)
    place = _place(loaded.id, body)
    found = services().studies.request(loaded, place, token.owner)
    location = {"Location": f"/v1/matches/{loaded.id}/ending"}
    return answer(dump(EndingValueSchema, (place, found)), 202, location)


@endings.route("/v1/matches/<match>/ending")
@describe(
    "getEnding",
    {200: ResponseSpec("The position, as far as it is known", "EndingValue")},
    problems=_PROBLEMS,
    query=EndingQuery,
)
def get_ending(query: Body, match: str) -> Response:
    """Get the exact value of a position of a finished match.

    Nothing may be hidden from the seats any more. `line` plays on from the position, so moves that nobody made can be
    tried.
    """
    loaded = look(match)
    place = _place(loaded.id, query)
    return answer(dump(EndingValueSchema, (place, services().studies.find(loaded, place))))


def _place(match: str, asked: Body) -> StudyPlace:
    return StudyPlace(match, asked["deal"], asked["move"], line_of(asked["line"]))
