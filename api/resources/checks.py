"""Conformance checks and bot health."""

from __future__ import annotations

from typing import Any

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import NOT_ADMITTED, Created, ResponseSpec, created
from api.limits.rates import RateScope
from api.problems import Problem
from api.resources.games import known_game
from api.schemas.checks import BotHealthSchema, CheckSchema, NewCheckSchema
from api.services import services
from league.accounts.tokens import Token
from referee.service.admission import admit

blueprint = Blueprint(
    "checks",
    __name__,
    description="Conformance checks: whether a bot follows the protocol when requests fail.",
)

Body = dict[str, Any]


@blueprint.serve(
    "POST /v1/checks",
    created("The check", CheckSchema),
    scope="play",
    rate=RateScope.CREATIONS,
    problems=["no_such_game", "bot_unavailable", "overtaken", *NOT_ADMITTED],
    body=NewCheckSchema,
)
def create_check(body: Body, caller: Token) -> object:
    """Start a conformance check of your bot.

    A match against house bots begins, and the bot plays it like any other. Its requests meet each fault once:
    retryable refusals, lost responses, broken connections, a repeated turn, and a turn close to its deadline.
    No other bot is affected. While a check of the bot is running, this returns that check.
    """
    bot = services().accounts.bot_by_id(auth.bot_of(caller))
    known_game(body["game"])
    admit(services().service)
    found = services().checks.begin(bot, body["game"])
    return Created(found, f"/v1/checks/{found[0].match}")


@blueprint.serve(
    "GET /v1/checks/<match>", ResponseSpec("The check", CheckSchema), scope="any", problems=["not_your_bot"]
)
def get_check(caller: Token, match: str) -> object:
    """Get a conformance check.

    Shows which faults were tried, what the bot sent and, after the match, the verdict. Only the bot and its
    owner can see it. Checks are kept for 30 days.
    """
    check, _ = found = services().checks.look(match)
    if check.bot != caller.bot and services().accounts.bot_by_id(check.bot).owner != caller.owner:
        raise Problem("not_your_bot", "the check belongs to another owner's bot")
    return found


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/health",
    ResponseSpec("The bot's suspension and last passed check", BotHealthSchema),
    scope="any",
    problems=["not_your_bot"],
)
def get_bot_health(caller: Token, owner: str, bot: str) -> object:
    """Get the suspension and the last passed check of your bot.

    A bot is suspended after three ladder matches in a row that it forfeited by timeouts or did not show up for.
    It gets no new ladder match until it passes a check.
    """
    target = services().accounts.bot(owner, bot)
    if target.owner != caller.owner:
        raise Problem("not_your_bot", f"{target.full_name} belongs to another owner")
    health = services().ladders.fitness.of([target.id])[target.id]
    return {"bot": target.full_name, **health._asdict()}
