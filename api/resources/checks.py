"""Conformance checks and bot health."""

from __future__ import annotations

from typing import Any

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import LOCATION, NOT_ADMITTED, ResponseSpec, describe
from api.limits.rates import RateScope
from api.problems import Problem
from api.resources.games import known_game
from api.schemas.checks import BotHealthSchema, CheckSchema, NewCheckSchema
from api.schemas.responses import dump
from api.services import services
from api.wire import answer
from league.accounts.tokens import Scope
from referee.service.admission import admit

blueprint = Blueprint(
    "checks",
    __name__,
    description="Conformance checks: whether a bot follows the protocol when requests fail.",
)

Body = dict[str, Any]


@blueprint.route("/v1/checks", methods=["POST"])
@describe(
    "createCheck",
    {201: ResponseSpec("The check", "Check", headers=LOCATION)},
    scope="play",
    problems=["no_such_game", "wrong_token_kind", "bot_unavailable", "overtaken", *NOT_ADMITTED],
    body=NewCheckSchema,
)
def create_check(body: Body) -> Response:
    """Start a conformance check of your bot.

    A match against house bots begins, and the bot plays it like any other. Its requests meet each fault once:
    retryable refusals, lost responses, broken connections, a repeated turn, and a turn close to its deadline.
    No other bot is affected. While a check of the bot is running, this returns that check.
    """
    token = auth.caller(Scope.PLAY, RateScope.CREATIONS)
    bot = services().accounts.bot_by_id(auth.bot_of(token))
    known_game(body["game"])
    admit(services().service)
    found = services().checks.begin(bot, body["game"])
    return answer(dump(CheckSchema, found), 201, {"Location": f"/v1/checks/{found[0].match}"})


@blueprint.route("/v1/checks/<match>")
@describe(
    "getCheck",
    {200: ResponseSpec("The check", "Check")},
    scope="any",
    problems=["not_found", "no_such_check", "not_your_bot"],
)
def get_check(match: str) -> Response:
    """Get a conformance check.

    Shows which faults were tried, what the bot sent and, after the match, the verdict. Only the bot and its
    owner can see it. Checks are kept for 30 days.
    """
    token = auth.anybody()
    check, _ = found = services().checks.look(match)
    if check.bot != token.bot and services().accounts.bot_by_id(check.bot).owner != token.owner:
        raise Problem("not_your_bot", "the check belongs to another owner's bot")
    return answer(dump(CheckSchema, found))


@blueprint.route("/v1/bots/<owner>/<bot>/health")
@describe(
    "getBotHealth",
    {200: ResponseSpec("The bot's suspension and last passed check", "BotHealth")},
    scope="any",
    problems=["not_found", "no_such_bot", "not_your_bot"],
)
def get_bot_health(owner: str, bot: str) -> Response:
    """Get the suspension and the last passed check of your bot.

    A bot is suspended after three ladder matches in a row that it forfeited by timeouts or did not show up for.
    It gets no new ladder match until it passes a check.
    """
    token, target = auth.anybody(), services().accounts.bot(owner, bot)
    if target.owner != token.owner:
        raise Problem("not_your_bot", f"{target.full_name} belongs to another owner")
    health = services().ladders.fitness.of([target.id])[target.id]
    return answer(dump(BotHealthSchema, {"bot": target.full_name, **health._asdict()}))
