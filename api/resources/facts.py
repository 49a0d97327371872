"""What bots report about their moves, and how often they were refused."""

from __future__ import annotations

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import ResponseSpec, describe
from api.resources.matches import look
from api.schemas.facts import FactsOfSeat, MatchFactsSchema
from api.schemas.responses import dump
from api.services import services
from api.wire import answer
from records.errors import RefereeError

blueprint = Blueprint("facts", __name__, description="What bots report about their moves.")


@blueprint.route("/v1/matches/<match>/facts")
@describe(
    "getMatchFacts",
    {200: ResponseSpec("The facts", "MatchFacts")},
    token_optional=True,
    problems=["not_found", "no_such_match", "record_not_ready", "group_running"],
)
def get_match_facts(match: str) -> Response:
    """Get the tokens, cost, mendings and thoughts that bots reported with their moves, and their refused moves.

    Everybody who may read the match's record can read its facts. Before that, a bot can read its own. Facts are kept
    for 30 days. They are no part of the record, and nobody verifies them.
    """
    own, loaded = auth.reader(), look(match)
    seats = {
        number: seat
        for number, seat in enumerate(loaded.config.seats)
        if seat is not None and not (seat.house or seat.person)
    }
    try:
        services().referee.record(loaded)
    except RefereeError:
        seats = {number: seat for number, seat in seats.items() if seat.id == own}
        if not seats:
            raise
    found = services().facts.of([seat.id for seat in seats.values()], loaded.id)
    facts = [
        FactsOfSeat(number, seat.bot, each) for (number, seat), each in zip(seats.items(), found, strict=True)
    ]
    return answer(dump(MatchFactsSchema, {"match": loaded.id, "seats": facts}))
