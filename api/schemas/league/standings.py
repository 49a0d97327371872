"""Standings and cross tables of ladders.

Rows are built by hand, because a page has up to 1,000 bots or 4,000 cells: marshmallow takes about 60 ms for 1,000
standings, `standing_view` 4 ms. The schemas of rows only give the document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from api.schemas.common import (
    NEXT_CURSOR,
    Json,
    Number,
    PageQuery,
    flag,
    instant,
    listed,
    number,
    ref,
    text,
    whole,
)
from api.schemas.league.ratings import RatingSchema
from api.schemas.league.seasons import CrossTableBotSchema, SeasonQuery
from api.schemas.responses import Listed, Nested, ResponseSchema, part
from league.ladders.model import CrossTableCell, Standing, Totals
from league.ladders.service import MOST_CELLS
from league.pairing.formats.ranking import Criterion, RoundLine, RoundLineKind
from referee.storage.paging import PAGE_LIMIT

MOST_STANDINGS: Final = 1000
"""The most bots in a page of standings."""


class StandingsQuery(PageQuery):
    """Which page of the standings."""

    season = SeasonQuery().fields["season"]
    limit = Number(1, MOST_STANDINGS, "The most bots of a page", load_default=MOST_STANDINGS)


class CrossTableQuery(PageQuery):
    """Which page of the cross table."""

    season = SeasonQuery().fields["season"]
    limit = Number(
        1,
        200,
        f"The most rows of a page; there are fewer where they come to more than {MOST_CELLS} cells",
        load_default=PAGE_LIMIT,
    )


@part
class TotalsSchema(ResponseSchema):
    """The sums that standings and cross table share."""

    matches = whole("Matches played")
    groups = whole("The duplicate groups of these matches; a match without a group counts as one")
    deals = whole("Deals played")
    points = whole("Sum of the bot's scores", None)
    points_per_deal = number("Points divided by deals; null before the first deal", null=True)
    points_low = number(
        "The lower end of its 95 % interval, over groups; null until two of them differ", null=True
    )
    points_high = number("The upper end", null=True)


class StandingRoundSchema(ResponseSchema):
    """What a bot did in a round, as `_line_view` returns it."""

    round = whole("The number of the round", 1)
    kind = text(
        "played; unplayed: it had a meeting of which nothing counts; walkover: others did not show up; no_show: it "
        "did not show up; bye; missed: it entered later, or could "
        "not play",
        enum=[kind.value for kind in RoundLineKind],
    )
    points = number("The points that it scored")
    opponents = listed({"type": "string"}, "The bots that it met, as `owner/bot`; no partners")
    seat = whole("Its seat in a single match; null in a group, where every bot has every seat", null=True)


class StandingSchema(TotalsSchema):
    """A line of the standings, as `standing_view` returns it."""

    first = (
        *("place", "bot", "id", "withdrawn", "won"),
        *("score", "buchholz", "head_to_head", "byes", "rounds_missed", "rounds"),
    )

    place = whole(
        "1 + the number of bots that are better by the score and the tie-breaks of the ladder's format; "
        "null for a bot that is out of the places",
        1,
        null=True,
    )
    bot = text("`owner/bot`")
    id = text("The bot's id")
    withdrawn = flag("Whether it has been withdrawn")
    out = text("Why it has no place, as a banned or disqualified bot; null if it may have one", null=True)
    won = flag("Whether it would win if the season ended now")
    score = number(
        "The value of the first of `criteria`; null before the bot has one, and for bots beside it", null=True
    )
    buchholz = number("In a Swiss tournament, the sum of the opponents' points", null=True)
    head_to_head = number(
        "In a Swiss tournament, the points against the bots with equal points and Buchholz", null=True
    )
    byes = whole("In a Swiss tournament, the rounds that it sat out", null=True)
    rounds_missed = whole(
        "In a Swiss tournament, the rounds before its entry, or in which it could not play", null=True
    )
    rounds = Listed(
        StandingRoundSchema,
        "In a Swiss tournament, what it did in each round; else null",
        null=True,
        inline=True,
    )
    wins = whole("First places, including shared ones")
    forfeits = whole("Matches forfeited")
    rating = Nested(
        RatingSchema,
        "The rating in the ladder's preset, from all rated matches; null before the first",
        null=True,
    )


_FROZEN: Final = instant(
    "Since when a freeze of the ladder withholds the results of groups; null: it withholds none", null=True
)


class StandingsSchema(ResponseSchema):
    """A page of standings."""

    preset = text("The preset in which its groups are rated")
    season = whole("The season of these sums", 1)
    frozen = _FROZEN
    criteria = listed(
        {"type": "string", "enum": [each.value for each in Criterion]},
        "What places depend on: the score, then the tie-breaks in order. Higher values are better",
    )
    standings = listed(
        ref(StandingSchema.component_name()),
        "By place, the best first; equals by points per deal, then by name",
    )
    cursor = NEXT_CURSOR


class CrossTableCellSchema(TotalsSchema):
    """A cell of the cross table, as `cell_view` returns it."""

    first = ("bot", "opponent")

    bot = text("A bot's id")
    opponent = text("The id of an opponent")
    wins = whole("Matches in which the bot had the better place")
    ties = whole("Matches in which both had the same place")
    losses = whole("Matches in which the opponent had the better place")
    win_share = number("Wins divided by matches", minimum=0, maximum=1)
    tie_share = number("Ties divided by matches", minimum=0, maximum=1)
    loss_share = number("Losses divided by matches", minimum=0, maximum=1)


class CrossTableSchema(ResponseSchema):
    """A page of the cross table."""

    season = whole("The season of these sums", 1)
    frozen = _FROZEN
    bots = listed(
        ref(CrossTableBotSchema.component_name()),
        "The bots, in the order of the standings; every page lists all of them",
    )
    cells = listed(ref(CrossTableCellSchema.component_name()), "Whole rows, in the order of the bots' ids")
    cursor = NEXT_CURSOR


def standing_view(
    standing: Standing, criteria: Sequence[Criterion], names: Mapping[str, str], rating: Json | None
) -> Json:
    """Return a line of the standings, with the rating in the ladder's preset. `names` are those of the bots by id."""
    rank = standing.rank
    values = dict(zip(criteria, rank.values, strict=True))
    return {
        "place": standing.place,
        "bot": standing.name,
        "id": standing.bot,
        "withdrawn": standing.withdrawn,
        "out": rank.entry.out,
        "won": rank.won,
        "score": rank.values[0],
        "buchholz": values.get(Criterion.BUCHHOLZ),
        "head_to_head": values.get(Criterion.HEAD_TO_HEAD),
        "byes": rank.times(RoundLineKind.BYE),
        "rounds_missed": rank.times(RoundLineKind.MISSED),
        "rounds": None if rank.rounds is None else [_line_view(line, names) for line in rank.rounds],
        **_line(standing.line),
        "wins": standing.line.wins,
        "forfeits": standing.line.second,
        "rating": rating,
    }


def _line_view(line: RoundLine, names: Mapping[str, str]) -> Json:
    return {
        "round": line.round,
        "kind": line.kind.value,
        "points": float(line.points),
        "opponents": [names[bot] for bot in line.opponents],
        "seat": line.seat,
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
        "groups": line.sums.groups,
        "deals": line.deals,
        "points": line.points,
        "points_per_deal": estimate and estimate.mean,
        "points_low": estimate and estimate.low,
        "points_high": estimate and estimate.high,
    }
