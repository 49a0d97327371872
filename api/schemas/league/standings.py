"""Standings and cross tables of ladders."""

from __future__ import annotations

from typing import Final

from api.schemas.common import (
    Json,
    Number,
    PageQuery,
    either,
    flag,
    listed,
    nullable,
    obj,
    ref,
    text,
    whole,
)
from api.schemas.league.seasons import CrossTableBotSchema, SeasonQuery
from api.schemas.responses import components
from league.ladders.model import CrossTableCell, Standing
from league.ladders.service import MOST_CELLS
from league.ladders.totals import Totals
from league.results.group_statistics import Estimate

MOST_STANDINGS: Final = 1000
"""The most bots in a page of standings."""


class StandingsQuery(PageQuery):
    """Which page of the standings."""

    season = SeasonQuery().fields["season"]
    limit = Number(
        1, MOST_STANDINGS, load_default=MOST_STANDINGS, metadata={"description": "The most bots of a page"}
    )


class CrossTableQuery(PageQuery):
    """Which page of the cross table."""

    season = SeasonQuery().fields["season"]
    limit = Number(
        1,
        200,
        load_default=50,
        metadata={
            "description": f"The most rows of a page; there are fewer where they come to more than {MOST_CELLS} cells"
        },
    )


def standing_view(standing: Standing, adjusted: Estimate | None, rating: Json | None) -> Json:
    """Return a line of the standings, with the points adjusted for luck if known, and the rating in the ladder's
    preset.
    """
    return {
        "place": standing.place,
        "bot": standing.name,
        "id": standing.bot,
        "withdrawn": standing.withdrawn,
        **_line(standing.line),
        "wins": standing.line.wins,
        "forfeits": standing.line.second,
        "adjusted": adjusted
        and {
            "points_per_deal": adjusted.mean,
            "low": adjusted.low,
            "high": adjusted.high,
            "deals": adjusted.deals,
            "groups": adjusted.groups,
        },
        "rating": rating,
    }


def cell_view(cell: CrossTableCell) -> Json:
    """Return a cell of the cross table."""
    line = cell.line
    losses = line.matches - line.wins - line.second
    return {
        "bot": cell.bot,
        "opponent": cell.opponent,
        **_line(line),
        "wins": line.wins,
        "ties": line.second,
        "losses": losses,
        "win_share": line.wins / line.matches,
        "tie_share": line.second / line.matches,
        "loss_share": losses / line.matches,
    }


def _line(line: Totals) -> Json:
    estimate = line.estimate
    return {
        "matches": line.matches,
        "groups": line.moments.groups,
        "deals": line.deals,
        "points": line.points,
        "points_per_deal": estimate and estimate.mean,
        "points_low": estimate and estimate.low,
        "points_high": estimate and estimate.high,
    }


_LINE: Final[Json] = {
    "matches": whole("Matches played"),
    "groups": whole("The duplicate groups of these matches; a match without a group counts as one"),
    "deals": whole("Deals played"),
    "points": whole("Sum of the bot's scores", None),
    "points_per_deal": {
        "type": ["number", "null"],
        "description": "Points divided by deals; null before the first deal",
    },
    "points_low": {
        "type": ["number", "null"],
        "description": "The lower end of its 95 % interval, over groups; null before the second",
    },
    "points_high": {"type": ["number", "null"], "description": "The upper end"},
}
_SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}


COMPONENTS: Final[dict[str, Json]] = {
    "Standing": obj(
        {
            "place": whole("1 + the number of bots with more points per deal", 1),
            "bot": text("`owner/bot`"),
            "id": text("The bot's id"),
            "withdrawn": flag("Whether it has been withdrawn"),
            **_LINE,
            "wins": whole("First places, including shared ones"),
            "forfeits": whole("Matches forfeited"),
            "adjusted": either(
                "AdjustedPoints",
                "Points per deal adjusted for the luck of the cards; null before it is computed",
            ),
            "rating": either(
                "Rating", "The rating in the ladder's preset, from all rated matches; null before the first"
            ),
        }
    ),
    "AdjustedPoints": obj(
        {
            "points_per_deal": {
                "type": "number",
                "description": "Points per deal less those of house bots on the same decks (`kozyr points --adjusted`)",
            },
            "low": {
                "type": ["number", "null"],
                "description": "The lower end of its 95 % interval, over groups; null before the second",
            },
            "high": {"type": ["number", "null"], "description": "The upper end"},
            "deals": whole("Deals covered; the other deals are not adjusted yet"),
            "groups": whole("Groups covered"),
        }
    ),
    "Standings": obj(
        {
            "preset": text("The preset in which its groups are rated"),
            "season": whole("The season of these sums", 1),
            "standings": listed(ref("Standing"), "By points per deal, the best first"),
            "cursor": nullable(text("The cursor of the next page; null on the last page")),
        }
    ),
    "CrossTableCell": obj(
        {
            "bot": text("A bot's id"),
            "opponent": text("The id of an opponent"),
            **_LINE,
            "wins": whole("Matches in which the bot had the better place"),
            "ties": whole("Matches in which both had the same place"),
            "losses": whole("Matches in which the opponent had the better place"),
            "win_share": {**_SHARE, "description": "Wins divided by matches"},
            "tie_share": {**_SHARE, "description": "Ties divided by matches"},
            "loss_share": {**_SHARE, "description": "Losses divided by matches"},
        }
    ),
    "CrossTable": obj(
        {
            "season": whole("The season of these sums", 1),
            "bots": listed(
                ref("CrossTableBot"), "The bots, in the order of the standings; every page lists all of them"
            ),
            "cells": listed(ref("CrossTableCell"), "Whole rows, in the order of the bots' ids"),
            "cursor": nullable(text("The cursor of the next page; null on the last page")),
        }
    ),
    **components(CrossTableBotSchema),
}
