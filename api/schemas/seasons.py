"""Seasons of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from api.schemas.common import (
    Json,
    Number,
    PageQuery,
    Strict,
    flag,
    instant,
    listed,
    nullable,
    obj,
    page_of,
    ref,
    text,
    whole,
)
from league.ladders.model import Season
from league.ladders.seasons import Winner
from referee.instants import text_of


class SeasonsQuery(PageQuery):
    """Which page of the seasons."""


class SeasonQuery(Strict):
    """The season."""

    season = Number(
        1,
        999_999_999,
        metadata={"description": "The number of a season; left out: the present one"},
    )


def season_view(season: Season, over: bool, winners: Sequence[Winner]) -> Json:
    """A season and who won it."""
    return {
        "ladder": season.ladder,
        "number": season.number,
        "started": text_of(season.began),
        "ended": None if season.ended is None else text_of(season.ended),
        "first_round": season.first_round,
        "last_round": season.last_round,
        "complete": over,
        "winners": [{"bot": each.name, "id": each.bot} for each in winners],
    }


COMPONENTS: Final[dict[str, Json]] = {
    "Season": obj(
        {
            "ladder": text("The ladder's id"),
            "number": whole("From 1", 1),
            "started": instant("When it began"),
            "ended": nullable(instant("When the next began; null: it is the present one")),
            "first_round": whole("The number of its first round, opened or to come", 1),
            "last_round": nullable(whole("The number of its last round; null: it is the present one", 1)),
            "complete": flag("Whether it has ended and all of its matches are counted"),
            "winners": listed(
                ref("CrossTableBot"),
                "Who is first in its standings, in a knock-out the last bot left; none before it is over",
            ),
        }
    ),
    "SeasonPage": page_of("Season", "seasons", "Newest first"),
}
