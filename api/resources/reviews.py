"""Mistake reviews of finished matches, and exact values of their endings."""

from __future__ import annotations

from typing import Any, Final

from api.blueprint import Blueprint
from api.contract.describe import Created, ResponseSpec, created
from api.limits.rates import RateScope
from api.resources.matches import look
from api.schemas.reviews import (
    EndingQuery,
    EndingValueSchema,
    NewEndingSchema,
    ReviewSchema,
)
from api.services import services
from api.tables import table_of
from league.accounts.tokens import Token
from league.reviews.studies import StudyPlace, line_of

blueprint = Blueprint("reviews", __name__, description="Reviews of matches: which moves were mistakes.")

Body = dict[str, Any]


@blueprint.serve(
    "POST /v1/matches/<match>/reviews",
    created("The review, as far as it is computed", ReviewSchema, 202),
    scope="challenge",
    rate=RateScope.CREATIONS,
    problems=["record_not_ready", "group_running", "too_many_reviews"],
)
def create_review(caller: Token, match: str) -> object:
    """Request a review of a finished match.

    A worker evaluates each decision over sampled deals that agree with what the seat knew. Repeating the request
    returns the same review, whose result depends on nothing but the record. A review that failed with `errors` starts
    again.
    """
    loaded = look(match)
    review = services().reviews.request(loaded, caller.owner)
    return Created(review, f"/v1/matches/{loaded.id}/review")


@blueprint.serve(
    "GET /v1/matches/<match>/review",
    table_of("The review, as far as it is computed", ReviewSchema),
    problems=["record_not_ready", "group_running", "no_such_review"],
)
def get_review(_: Body, match: str) -> object:
    """Get a review of a finished match.

    Everybody who may read the match's record can read its review. It is kept for at most 30 days.
    """
    return services().reviews.get(look(match))


endings = Blueprint("endings", __name__, description="Exact values of positions without hidden cards.")

_PROBLEMS: Final = ["record_not_ready", "group_running", "events_not_ready", "bad_table"]


@endings.serve(
    "POST /v1/matches/<match>/endings",
    created("The position, as far as it is known", EndingValueSchema, 202),
    scope="challenge",
    rate=RateScope.CREATIONS,
    problems=[*_PROBLEMS, "too_many_reviews"],
    body=NewEndingSchema,
)
def create_ending(body: Body, caller: Token, match: str) -> object:
    """Let a worker solve a position of a finished match.

    Only an `open` position needs it: smaller ones are solved by `GET`. A worker tries it for two seconds, for each
    owner one position at a time. The result is kept for an hour.
    """
    loaded = look(match)
    place = _place(loaded.id, body)
    found = services().studies.request(loaded, place, caller.owner)
    return Created((place, found), f"/v1/matches/{loaded.id}/ending")


@endings.serve(
    "GET /v1/matches/<match>/ending",
    ResponseSpec("The position, as far as it is known", EndingValueSchema),
    problems=_PROBLEMS,
    query=EndingQuery,
)
def get_ending(query: Body, match: str) -> object:
    """Get the exact value of a position of a finished match.

    Nothing may be hidden from the seats any more. `line` plays on from the position, so moves that nobody made can be
    tried.
    """
    loaded = look(match)
    place = _place(loaded.id, query)
    return (place, services().studies.find(loaded, place))


def _place(match: str, asked: Body) -> StudyPlace:
    return StudyPlace(match, asked["deal"], asked["move"], line_of(asked["line"]))
