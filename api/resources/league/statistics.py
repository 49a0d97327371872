"""Bot statistics, for the bot's owner."""

from __future__ import annotations

from typing import Any, Final

from api.blueprint import Blueprint
from api.contract.describe import ResponseSpec
from api.problems import Problem
from api.resources.turns import REFUSALS
from api.schemas.common import ref, whole
from api.schemas.league.statistics import BotRegretSchema, BotStatisticsSchema, StatisticsQuery
from api.schemas.responses import dump
from api.services import services
from api.tables import columns, table, table_of
from league.accounts.tokens import Token
from league.permissions import sees_statistics

blueprint = Blueprint("statistics", __name__, description="Bot statistics, for the bot's owner.")

Body = dict[str, Any]
_COLUMNS: Final = columns(
    {
        "properties": {
            **BotStatisticsSchema.component()["properties"],
            "refused": {"properties": {code: whole(code) for code in REFUSALS}},
            "thinking": ref("Thinking"),
        }
    }
)


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/statistics",
    table_of("The bot's statistics", "BotStatistics"),
    scope="any",
    problems=["not_your_bot"],
    query=StatisticsQuery,
)
def get_bot_statistics(query: Body, caller: Token, owner: str, bot: str) -> object:
    """Get statistics of your bot: timeouts, refused moves, thinking time.

    Only the bot, its owner and admins can see them. Matches of a duplicate group are counted when the group
    ends, refused moves within two seconds. Statistics are kept for 30 days. The CSV has one line for each entry
    of `thinking`, which repeats all other fields.
    """
    target = services().accounts.bot(owner, bot)
    if not sees_statistics(caller, target):
        raise Problem("not_your_bot", f"{target.full_name} belongs to another owner")
    past = services().statistics.of(target.id, query["days"])
    body = dump(BotStatisticsSchema, (target, past))
    sums = {name: value for name, value in body.items() if name != "thinking"}
    return table(body, [{**sums, "thinking": each} for each in body["thinking"]] or [sums], _COLUMNS)


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/regret",
    ResponseSpec("The bot's regret", BotRegretSchema),
    query=StatisticsQuery,
)
def get_bot_regret(query: Body, owner: str, bot: str) -> object:
    """Get the regret of a bot per critical decision, in positions with exact values.

    A solver looks at the endings of finished matches in which no card is hidden, and a job counts them some seconds
    after the match may be read. The figures are kept for 30 days.
    """
    target = services().accounts.bot(owner, bot)
    games = services().regret.of(target.id, query["days"])
    return {"bot": target.full_name, "days": query["days"], "games": games}
