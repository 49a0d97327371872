"""Checks: a match in which the service puts faults in a bot's way, and a verdict."""

from __future__ import annotations

from typing import Any

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import LOCATION, NOT_ADMITTED, ResponseSpec, describe
from api.limits.rates import RateScope
from api.problems import Problem
from api.schemas.checks import NewCheckSchema, check_view, health_view
from api.services import services
from api.wire import answer
from engine.quoting import quoted
from engine.registry import GAMES
from league.accounts.tokens import Scope
from referee.service.state import admit

blueprint = Blueprint(
    "checks", __name__, description="Checks: whether a bot keeps to the protocol when things go wrong."
)

Body = dict[str, Any]


@blueprint.route("/v1/checks", methods=["POST"])
@describe(
    "createCheck",
    {201: ResponseSpec("The check", "Check", headers=LOCATION)},
    scope="play",
    problems=["no_such_game", "wrong_token_kind", "bot_unavailable", "overtaken", *NOT_ADMITTED],
    has_body=True,
)
@blueprint.arguments(NewCheckSchema)
def create_check(body: Body) -> Response:
    """A check of the bot whose token this is.

    A match against house bots begins, and the bot is to play it as any other. On the way its requests meet faults, each
    once: refusals that may be tried again, lost answers, connections that end, a turn twice, a turn near its
    deadline. Nobody else meets them. While a bot is in a check this answers with that one.
    """
    token = auth.caller(Scope.PLAY, RateScope.CREATIONS)
    bot = services().accounts.bot_by_id(auth.bot_of(token))
    if body["game"] not in GAMES:
        raise Problem(
            "no_such_game", f"there is no game {quoted(body['game'])}; there are " + ", ".join(GAMES)
        )
    admit(services().service)
    check, live = services().checks.begin(bot, body["game"])
    return answer(check_view(check, live), 201, {"Location": f"/v1/checks/{check.match}"})


@blueprint.route("/v1/checks/<match>")
@describe(
    "getCheck",
    {200: ResponseSpec("The check", "Check")},
    scope="any",
    problems=["not_found", "no_such_check", "not_your_bot"],
)
def get_check(match: str) -> Response:
    """How a check stands: what was tried, what the bot sent, and, when its match is over, the verdict.

    For the bot and its owner. Kept for 30 days.
    """
    token = auth.anybody()
    check, live = services().checks.look(match)
    if check.bot != token.bot and services().accounts.bot_by_id(check.bot).owner != token.owner:
        raise Problem("not_your_bot", "the check is of somebody else's bot")
    return answer(check_view(check, live))


@blueprint.route("/v1/bots/<owner>/<bot>/health")
@describe(
    "getBotHealth",
    {200: ResponseSpec("How it stands with the bot", "BotHealth")},
    scope="any",
    problems=["not_found", "no_such_bot", "not_your_bot"],
)
def get_bot_health(owner: str, bot: str) -> Response:
    """Whether a bot of mine is suspended, and which check it has passed last.

    Three matches of ladders in a row in which it lost its seat by running out of time, or to which it did not come,
    suspend a bot: it is in no new match of a ladder until it passes a check.
    """
    token, who = auth.anybody(), services().accounts.bot(owner, bot)
    if who.owner != token.owner:
        raise Problem("not_your_bot", f"{who.full_name} belongs to somebody else")
    return answer(health_view(who, services().ladders.fitness.of([who.id])[who.id]))
