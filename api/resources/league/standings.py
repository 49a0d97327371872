"""Standings and cross tables of ladders."""

from __future__ import annotations

from typing import Any, Final

from api.blueprint import Blueprint
from api.schemas.common import ref
from api.schemas.league import standings as schemas
from api.schemas.responses import dump
from api.services import services
from api.tables import columns, table, table_of
from league.ladders.model import StandingPosition
from records.ratings.model import shown

blueprint = Blueprint("standings", __name__, description="Standings and cross tables of ladders.")

Body = dict[str, Any]
_STANDINGS: Final = columns(ref("Standing"))
_CELLS: Final = columns(ref("CrossTableCell"))


@blueprint.serve(
    "GET /v1/ladders/<ladder>/standings", table_of("The standings", "Standings"), query=schemas.StandingsQuery
)
def get_standings(query: Body, ladder: str) -> object:
    """Get the standings of a season, by the score of the ladder's format.

    Ratings are current, not as of the season. Use `season` to get an earlier season.
    """
    found = services().standings.table(ladder, query.get("season"))
    cursor = services().cursors.of(f"standings {ladder}", {**query, "season": found.season})
    place = cursor.place
    page, then = found.page(place and StandingPosition(*place), query["limit"])
    criteria, names, shown_rows = found.ladder.format_class.criteria, found.names, found.rows[page]
    views = [
        schemas.standing_view(standing, criteria, names, rating and shown(standing.name, rating))
        for standing, rating in shown_rows
    ]
    body = {
        "preset": found.ladder.preset,
        "season": found.season,
        "frozen": found.frozen,
        "criteria": [each.value for each in criteria],
        "standings": views,
        "cursor": cursor.then(then),
    }
    # A column of a table has what a bot did in each round.
    rows = (
        {**view, "rounds": row.standing.rank.rounds_text(names)}
        for row, view in zip(shown_rows, views, strict=True)
    )
    return table(dump(schemas.StandingsSchema, body), rows, _STANDINGS)


@blueprint.serve(
    "GET /v1/ladders/<ladder>/crosstable",
    table_of("The cross table", "CrossTable"),
    query=schemas.CrossTableQuery,
)
def get_cross_table(query: Body, ladder: str) -> object:
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
    views = [schemas.cell_view(cell) for cell in cells]
    rows = ({**view, "bot": names[view["bot"]], "opponent": names[view["opponent"]]} for view in views)
    body = {"season": season, "frozen": found.frozen, "bots": bots, "cells": views}
    return table(dump(schemas.CrossTableSchema, {**body, "cursor": cursor.then(then)}), rows, _CELLS)
