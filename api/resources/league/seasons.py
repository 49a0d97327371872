"""Seasons of ladders."""

from __future__ import annotations

from api.blueprint import Blueprint
from api.contract.describe import Created, ResponseSpec, created
from api.idempotency import intended
from api.resources.league.ladders import mine
from api.schemas.common import Json, PageQuery
from api.schemas.league.seasons import (
    CorrectionSchema,
    ResultVersionListSchema,
    SeasonPageSchema,
    SeasonSchema,
    season_model,
)
from api.services import services
from api.tables import table_of
from league.accounts.tokens import Token
from league.ladders.model import Season
from league.operators.audit import AuditActor

blueprint = Blueprint("seasons", __name__, description="Seasons of ladders and their winners.")


@blueprint.serve("GET /v1/ladders/<ladder>/seasons", table_of("Seasons", SeasonPageSchema), query=PageQuery)
def list_seasons(query: Json, ladder: str) -> object:
    """List the seasons of a ladder, newest first.

    Each season that is over names its winners.
    """
    cursor = services().cursors.of(f"seasons {ladder}", query)
    seasons, then = services().seasons.page(ladder, cursor.place, query["limit"])
    return {"seasons": [_season(season) for season in seasons], "cursor": cursor.then(then)}


@blueprint.serve(
    "GET /v1/ladders/<ladder>/seasons/<int(max=999999999):number>", ResponseSpec("The season", SeasonSchema)
)
def get_season(ladder: str, number: int) -> object:
    """Get a season of a ladder.

    Shows its rounds, whether it is over and, once it is over, its winners.
    """
    return _season(services().seasons.get(ladder, number))


@blueprint.serve(
    "POST /v1/ladders/<ladder>/seasons",
    created("The new season", SeasonSchema),
    scope="league",
    problems=["not_your_ladder", "season_empty", "wrong_ladder_state", "overtaken"],
    keyed=1,
)
def end_season(caller: Token, by: AuditActor, ladder: str) -> object:
    """End the current season of your ladder and begin the next.

    Standings and cross table restart from zero; `?season=` still returns the earlier ones. A round under way is
    played out and counts in the season in which it started. Entries and ratings are kept.
    """
    mine(caller, ladder)
    present = services().ladders.get(ladder).season
    number = intended(present + 1)
    if number <= present:
        shown = _season(services().seasons.get(ladder, number))
    else:  # a season that begins now has no winners to look up after the commit
        shown = season_model(services().organisers.end_season(by, ladder))
    return Created(shown, f"/v1/ladders/{ladder}/seasons/{shown['number']}")


@blueprint.serve(
    "GET /v1/ladders/<ladder>/seasons/<int(max=999999999):number>/results",
    ResponseSpec("The versions", ResultVersionListSchema),
)
def list_results(ladder: str, number: int) -> object:
    """List the versions of the published result of a season, newest first.

    The first is what the season ended with; of more than 100 the earliest are left out. Each correction that changes
    the result adds one. A season that is not over has none.
    """
    found = services().published.versions(ladder, number)
    return {"versions": found[::-1]}


@blueprint.serve(
    "POST /v1/ladders/<ladder>/corrections",
    ResponseSpec("The season", SeasonSchema),
    scope="league",
    problems=["not_your_ladder", "no_such_season", "no_such_bot", "entry_refused", "bad_value", "overtaken"],
    body=CorrectionSchema,
)
def correct_result(body: Json, caller: Token, by: AuditActor, ladder: str) -> object:
    """Correct the result of a season of your ladder.

    If its result is published, the correction makes a new version of it, with the reason and your name. It is
    announced to the owners of the bots.
    """
    found = mine(caller, ladder)
    bot, season = services().accounts.bot(*body["bot"].split("/")), body["season"]
    services().organisers.correct(by, found.id, body["action"], bot, season, body["reason"])
    return _season(services().seasons.get(ladder, season or found.season))


def _season(season: Season) -> Json:
    complete = services().published.is_complete(season)
    winners = services().seasons.leaders(season) if complete else ()
    versions = services().ladders.store.result_count(season.ladder, season.number)
    return season_model(season, complete=complete, winners=winners, versions=versions)
