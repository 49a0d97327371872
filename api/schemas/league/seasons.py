"""Seasons of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from marshmallow import pre_dump

from api.schemas.common import (
    NEXT_CURSOR,
    Number,
    PageQuery,
    Strict,
    flag,
    instant,
    nullable,
    text,
    whole,
)
from api.schemas.responses import Listed, Output, ResponseSchema
from league.ladders.model import Season
from league.ladders.seasons import Winner


class SeasonsQuery(PageQuery):
    """Which page of the seasons."""


class SeasonQuery(Strict):
    """The season."""

    season = Number(
        1,
        999_999_999,
        metadata={"description": "The number of a season; the current one if omitted"},
    )


class CrossTableBotSchema(ResponseSchema):
    """A bot by name and id."""

    bot = Output(text("`owner/bot`"), "name")
    id = Output(text("The bot's id"))


class SeasonWithWinners(NamedTuple):
    """A season with its winners, if it is complete."""

    season: Season
    complete: bool
    winners: Sequence[Winner] = ()


class SeasonSchema(ResponseSchema):
    """A season and its winners. The model is a `SeasonWithWinners`."""

    ladder = Output(text("The ladder's id"))
    number = Output(whole("From 1", 1))
    started = Output(instant("When it began"), "began")
    ended = Output(nullable(instant("When the next season began; null for the current season")))
    first_round = Output(whole("The number of its first round, which may not have started yet", 1))
    last_round = Output(nullable(whole("The number of its last round; null for the current season", 1)))
    complete = Output(flag("Whether it has ended and all of its matches are counted"))
    winners = Listed(
        CrossTableBotSchema,
        "The bots in first place of its standings; in a knock-out the last bot left. Empty until `complete`",
    )

    @pre_dump
    def _combine(self, model: SeasonWithWinners, **_: Any) -> dict[str, Any]:
        winners = [{"name": winner.name, "id": winner.bot} for winner in model.winners]
        return {**model.season._asdict(), "complete": model.complete, "winners": winners}


class SeasonPageSchema(ResponseSchema):
    """A page of seasons."""

    seasons = Listed(SeasonSchema, "Newest first")
    cursor = Output(NEXT_CURSOR)
