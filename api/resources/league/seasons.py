"""Seasons of ladders."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import LOCATION, ResponseSpec, describe
from api.idempotency import intended, once
from api.limits.rates import RateScope
from api.resources.league.ladders import THERE, mine
from api.schemas.common import ref
from api.schemas.league.seasons import (
    CorrectionSchema,
    ResultVersionListSchema,
    SeasonPageSchema,
    SeasonSchema,
    SeasonsQuery,
    SeasonWithWinners,
)
from api.schemas.responses import dump
from api.services import services
from api.tables import columns, table, table_of
from api.wire import answer
from league.accounts.tokens import Scope
from league.ladders.model import Season

blueprint = Blueprint("seasons", __name__, description="Seasons of ladders and their winners.")

_SEASONS: Final = columns(ref("Season"))


@blueprint.route("/v1/ladders/<ladder>/seasons")
@describe(
    "listSeasons",
    {200: table_of("Seasons", "SeasonPage")},
    problems=[*THERE, "bad_cursor"],
    query=SeasonsQuery,
)
def list_seasons(query: dict[str, Any], ladder: str) -> Response:
    """List the seasons of a ladder, newest first.

    Each season that is over names its winners.
    """
    cursor = services().cursors.of(f"seasons {ladder}", query)
    before = None if cursor.place is None else int(cursor.place)
    seasons, then = services().seasons.page(ladder, before, query["limit"])
    following = cursor.then(None if then is None else str(then))
    page = {"seasons": [_season(season) for season in seasons], "cursor": following}
    body = dump(SeasonPageSchema, page)
    return table(body, body["seasons"], _SEASONS)


@blueprint.route("/v1/ladders/<ladder>/seasons/<int(max=999999999):number>")
@describe("getSeason", {200: ResponseSpec("The season", "Season")}, problems=[*THERE, "no_such_season"])
def get_season(ladder: str, number: int) -> Response:
    """Get a season of a ladder.

    Shows its rounds, whether it is over and, once it is over, its winners.
    """
    return answer(dump(SeasonSchema, _season(services().seasons.get(ladder, number))))


@blueprint.route("/v1/ladders/<ladder>/seasons", methods=["POST"])
@describe(
    "endSeason",
    {201: ResponseSpec("The new season", "Season", headers=LOCATION)},
    scope="league",
    problems=[
        *THERE,
        "not_your_ladder",
        "wrong_token_kind",
        "season_empty",
        "wrong_ladder_state",
        "overtaken",
    ],
    keyed=1,
)
def end_season(ladder: str) -> Response:
    """End the current season of your ladder and begin the next.

    Standings and cross table restart from zero; `?season=` still returns the earlier ones. A round under way is
    played out and counts in the season in which it started. Entries and ratings are kept.
    """
    token = auth.caller(Scope.LEAGUE, RateScope.CREATIONS)
    mine(token, ladder)

    def create(_: str | None) -> Response:
        present = services().ladders.get(ladder).season
        number = intended(present + 1)
        if number <= present:
            shown = _season(services().seasons.get(ladder, number))
        else:  # a season that begins now has no winners to look up after the commit
            shown = SeasonWithWinners(
                services().organisers.end_season(auth.actor(token), ladder), complete=False
            )
        headers = {"Location": f"/v1/ladders/{ladder}/seasons/{shown.season.number}"}
        return answer(dump(SeasonSchema, shown), 201, headers)

    return once(token.id, create, has_body=False)


@blueprint.route("/v1/ladders/<ladder>/seasons/<int(max=999999999):number>/results")
@describe(
    "listResults",
    {200: ResponseSpec("The versions", "ResultVersionList")},
    problems=[*THERE, "no_such_season"],
)
def list_results(ladder: str, number: int) -> Response:
    """List the versions of the published result of a season, newest first.

    The first is what the season ended with; of more than 100 the earliest are left out. Each correction that changes
    the result adds one. A season that is not over has none.
    """
    found = services().published.versions(ladder, number)
    return answer(dump(ResultVersionListSchema, {"versions": found[::-1]}))


@blueprint.route("/v1/ladders/<ladder>/corrections", methods=["POST"])
@describe(
    "correctResult",
    {200: ResponseSpec("The season", "Season")},
    scope="league",
    problems=[
        *(*THERE, "not_your_ladder", "wrong_token_kind", "no_such_season", "no_such_bot"),
        *("entry_refused", "bad_value", "overtaken"),
    ],
    body=CorrectionSchema,
)
def correct_result(body: dict[str, Any], ladder: str) -> Response:
    """Correct the result of a season of your ladder.

    If its result is published, the correction makes a new version of it, with the reason and your name. It is
    announced to the owners of the bots.
    """
    token = auth.caller(Scope.LEAGUE)
    found = mine(token, ladder)
    bot, season = services().accounts.bot(*body["bot"].split("/")), body["season"]
    services().organisers.correct(auth.actor(token), found.id, body["action"], bot, season, body["reason"])
    return answer(dump(SeasonSchema, _season(services().seasons.get(ladder, season or found.season))))


def _season(season: Season) -> SeasonWithWinners:
    complete = services().published.is_complete(season)
    winners = services().seasons.leaders(season) if complete else ()
    count = services().ladders.store.result_count(season.ladder, season.number)
    return SeasonWithWinners(season, complete, winners, count)
