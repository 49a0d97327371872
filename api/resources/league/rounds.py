"""Rounds of ladders, brackets and schedules."""

from __future__ import annotations

from typing import Any

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import NOT_ADMITTED, Created, ResponseSpec, created
from api.idempotency import intended
from api.resources.league.ladders import OF_MINE, mine
from api.schemas.common import PageQuery
from api.schemas.league.rounds import (
    RoundPageSchema,
    RoundSchema,
    bracket_view,
    next_round_view,
    round_model,
)
from api.schemas.league.schedules import forecast_view
from api.schemas.league.seasons import SeasonQuery
from api.services import services
from api.tables import table_of
from league.accounts.tokens import Token, TokenKind

blueprint = Blueprint("rounds", __name__, description="Rounds of ladders, past, current and next.")

Body = dict[str, Any]


@blueprint.serve(
    "POST /v1/ladders/<ladder>/rounds",
    created("The round", RoundSchema),
    scope="league",
    problems=[*OF_MINE, "round_running", "nothing_to_play", "wrong_ladder_state", "busy", *NOT_ADMITTED],
    keyed=1,
)
def start_round(caller: Token, ladder: str) -> object:
    """Start a round of your ladder now.

    Works whether or not the ladder has a schedule. Only one round runs at a time, except in an arena.
    """
    found = mine(caller, ladder)
    last = services().ladders.store.last_round(ladder)
    number = intended(last + 1)
    opened = number <= last
    round_ = services().ladders.round(ladder, number) if opened else services().rounds.start(ladder)
    return Created(round_model(found, round_), f"/v1/ladders/{ladder}/rounds/{round_.number}")


@blueprint.serve("GET /v1/ladders/<ladder>/rounds", table_of("Rounds", RoundPageSchema), query=PageQuery)
def list_rounds(query: Body, ladder: str) -> object:
    """List the rounds of a ladder, newest first.

    Each entry shows how many of the round's matches are planned, created and finished.
    """
    cursor = services().cursors.of(f"rounds {ladder}", query)
    rounds, then = services().ladders.rounds(ladder, cursor.place, query["limit"])
    found = services().ladders.get(ladder)
    return {"rounds": [round_model(found, round_) for round_ in rounds], "cursor": cursor.then(then)}


@blueprint.serve(
    "GET /v1/ladders/<ladder>/rounds/next",
    ResponseSpec("The next round", "NextRound"),
    token_optional=True,
    problems=["nothing_to_play", "round_running", "busy"],
)
def preview_round(ladder: str) -> object:
    """Preview the next round without starting it.

    Shows who would meet if the round started now, and to the ladder's organisers which of the bots are not online. Only
    they see the meetings where table names are hidden and not every bot meets every other.
    """
    token, found = auth.asker(), services().ladders.get(ladder)
    mine = token is not None and token.kind is TokenKind.OWNER and found.is_run_by(token.owner)
    shown, next_round = mine or not found.hides_pairings, services().rounds.dry_run(ladder)
    remote = {bot.id: bot.name for bot in next_round.bots if not bot.house} if mine else {}
    online = services().presence.online(list(remote)) if remote else set()
    offline = sorted(name for bot, name in remote.items() if bot not in online) if mine else None
    return next_round_view(next_round, shown=shown, offline=offline)


@blueprint.serve(
    "GET /v1/ladders/<ladder>/rounds/<int(max=999999999):number>",
    ResponseSpec("The round", RoundSchema),
)
def get_round(ladder: str, number: int) -> object:
    """Get a round, its progress and its meetings."""
    round_ = services().ladders.round(ladder, number)
    return round_model(services().ladders.get(ladder), round_, with_pairing=True)


@blueprint.serve(
    "GET /v1/ladders/<ladder>/bracket",
    ResponseSpec("The bracket", "Bracket"),
    problems=["no_bracket"],
    query=SeasonQuery,
)
def get_bracket(query: Body, ladder: str) -> object:
    """Get the bracket of a knock-out ladder.

    Lists the stages with their meetings, the bots that advanced and the byes.
    """
    found = services().ladders.get(ladder)
    season = query.get("season") or found.season
    bracket = services().seasons.without_winner_out(ladder, season, services().rounds.bracket(ladder, season))
    return bracket_view(found, season, bracket)


@blueprint.serve("GET /v1/ladders/<ladder>/schedule", ResponseSpec("The schedule", "LadderForecast"))
def get_schedule(ladder: str) -> object:
    """Get the next rounds of a ladder.

    Shows when the next rounds and seasons start, and what the next round is waiting for.
    """
    found = services().ladders.get(ladder)
    return forecast_view(found, services().rounds.forecast(ladder))
