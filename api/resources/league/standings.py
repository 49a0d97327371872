"""Standings and cross tables of ladders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson
from flask import Response

from api.blueprint import Blueprint
from api.contract.describe import describe
from api.http.compression import KeptBody, KeptResponse
from api.resources.league.ladders import THERE
from api.schemas.common import ref
from api.schemas.league.standings import (
    CrossTableQuery,
    CrossTableSchema,
    StandingsQuery,
    StandingsSchema,
    cell_view,
    standing_view,
)
from api.schemas.responses import dump
from api.services import services
from api.tables import (
    columns,
    csv_text,
    named,
    table,
    table_of,
    wants_csv,
    wants_excel,
)
from api.wire import CSV, JSON
from league.ladders.model import StandingPosition
from league.ladders.standings import RankedBot, StandingsTable
from league.spreadsheets import BOM
from records.ratings.model import shown

blueprint = Blueprint("standings", __name__, description="Standings and cross tables of ladders.")

Body = dict[str, Any]
_STANDINGS: Final = columns(ref("Standing"))
_CELLS: Final = columns(ref("CrossTableCell"))


@blueprint.route("/v1/ladders/<ladder>/standings")
@describe(
    "getStandings",
    {200: table_of("The standings", "Standings")},
    problems=[*THERE, "bad_cursor", "no_such_season"],
    query=StandingsQuery,
)
def get_standings(query: Body, ladder: str) -> Response:
    """Get the standings of a season, by the score of the ladder's format.

    Ratings are current, not as of the season. Use `season` to get an earlier season.
    """
    found = services().standings.table(ladder, query.get("season"))
    cursor = services().cursors.of(f"standings {ladder}", {**query, "season": found.season})
    after = None if cursor.place is None else StandingPosition(*orjson.loads(cursor.place))
    page, then = found.page(after, query["limit"])
    if after is None and then is None:
        if wants_csv():
            kept = KeptResponse(found.derived(_whole_excel if wants_excel() else _whole_csv))
            return named(kept, frozen=found.frozen is not None)
        return KeptResponse(found.derived(_whole_json))
    following = None if then is None else orjson.dumps([*then]).decode()
    views = found.encoded(_view)[page]
    return table(_page(found, views, cursor.then(following)), _cells(found, page), _STANDINGS)


@blueprint.route("/v1/ladders/<ladder>/crosstable")
@describe(
    "getCrossTable",
    {200: table_of("The cross table", "CrossTable")},
    problems=[*THERE, "no_such_season", "bad_cursor"],
    query=CrossTableQuery,
)
def get_cross_table(query: Body, ladder: str) -> Response:
    """Get the cross table of a season, by whole rows.

    Each cell shows how a bot did against one opponent. A page holds only whole rows.
    """
    found = services().standings.table(ladder, query.get("season"))
    season = found.season
    cursor = services().cursors.of(f"crosstable {ladder}", {**query, "season": season})
    cells, then = services().ladders.cross_page(ladder, cursor.place, query["limit"], season)
    names = {**found.names}
    # A bot whose own matches are all void is gone from the standings, but not from the rows of others.
    left = {bot for cell in cells for bot in (cell.bot, cell.opponent)} - names.keys()
    if left:
        entries = services().ladders.entries(ladder, withdrawn=True)
        names |= {each.bot: each.name for each in entries if each.bot in left}
    bots = [{"bot": name, "id": bot} for bot, name in names.items()]
    views = [cell_view(cell) for cell in cells]
    rows = ({**view, "bot": names[view["bot"]], "opponent": names[view["opponent"]]} for view in views)
    body = {"season": season, "frozen": found.frozen, "bots": bots, "cells": views}
    return table(dump(CrossTableSchema, {**body, "cursor": cursor.then(then)}), rows, _CELLS)


def _whole_json(standings: StandingsTable) -> KeptBody:
    return KeptBody(orjson.dumps(_page(standings, standings.encoded(_view), None)), JSON)


def _whole_csv(standings: StandingsTable) -> KeptBody:
    return KeptBody(csv_text(_cells(standings, slice(None)), _STANDINGS()).encode(), CSV)


def _whole_excel(standings: StandingsTable) -> KeptBody:
    return KeptBody(BOM.encode() + standings.derived(_whole_csv).data, CSV)


def _page(standings: StandingsTable, views: Sequence[Body], cursor: str | None) -> Body:
    ladder = standings.ladder
    season = {
        "preset": ladder.preset,
        "season": standings.season,
        "frozen": standings.frozen,
        "criteria": [each.value for each in ladder.format_class.criteria],
    }
    return dump(StandingsSchema, {**season, "standings": views, "cursor": cursor})


def _view(standings: StandingsTable, row: RankedBot) -> Body:
    """Return a row as JSON, which is kept: callers must not change it."""
    ladder = standings.ladder
    rating = None if row.rating is None else shown(row.standing.name, row.rating)
    return standing_view(row.standing, ladder.format_class.criteria, standings.names, rating)


def _cells(standings: StandingsTable, page: slice) -> Iterator[Body]:
    """Yield rows for a table. A column has what a bot did in each round."""
    for row, view in zip(standings.rows[page], standings.encoded(_view)[page], strict=True):
        yield {**view, "rounds": row.standing.rank.rounds_text(standings.names)}
