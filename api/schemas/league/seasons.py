"""Seasons of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from marshmallow import fields

from api.schemas.common import (
    BOT_NAME,
    OPTIONAL,
    Json,
    Number,
    Strict,
    String,
    Text,
    Whole,
    flag,
    instant,
    number,
    text,
    whole,
)
from api.schemas.responses import Listed, Output, ResponseSchema, listing
from league.ladders.model import Season, Standing
from league.operators.audit import MOST_REASON
from league.operators.organisers import CorrectionAction


class SeasonQuery(Strict):
    """The season."""

    season = Number(1, 999_999_999, "The number of a season; the current one if omitted")


class CrossTableBotSchema(ResponseSchema):
    """A bot by name and id."""

    bot = Output(text("`owner/bot`"), "name")
    id = text("The bot's id")


class SeasonSchema(ResponseSchema):
    """A season and its winners, as `season_model` returns them."""

    ladder = text("The ladder's id")
    number = whole("From 1", 1)
    started = Output(instant("When it began"), "began")
    ended = instant("When the next season began; null for the current season", null=True)
    first_round = whole("The number of its first round, which may not have started yet", 1)
    last_round = whole("The number of its last round; null for the current season", 1, null=True)
    complete = flag(
        "Whether all of its matches are counted, and it has ended, the ladder is closed or its format is complete. "
        "False again while a correction is played or leaves a meeting of a bracket open"
    )
    versions = whole("How many versions its published result has; more than one after corrections")
    winners = Listed(
        CrossTableBotSchema,
        "The bots in first place of its standings; in a knock-out the last bot left. Empty until `complete`",
    )


def season_model(
    season: Season, *, complete: bool = False, winners: Sequence[Standing] = (), versions: int = 0
) -> Json:
    """Return the model of `SeasonSchema`: a season, and its winners if it is complete."""
    named = [{"name": winner.name, "id": winner.bot} for winner in winners]
    return {**season._asdict(), "complete": complete, "winners": named, "versions": versions}


class CorrectionSchema(Strict):
    """A correction of the result of a season."""

    action = fields.Enum(
        CorrectionAction,
        by_value=True,
        required=True,
        metadata={
            "description": "`disqualify`: the bot has no place, and the next ones move up. `reinstate`: it has one "
            "again. `decide`: it goes on from its undecided meeting of a bracket whose season has ended"
        },
    )
    bot = Text(BOT_NAME, "`owner/bot`", required=True, metadata={"example": "example/fool"})
    season = Whole(1, 999_999_999, "The number of a season; the current one if omitted", **OPTIONAL)
    reason = String(
        1,
        MOST_REASON,
        "Published with the result",
        required=True,
        metadata={"example": "two bots were one program"},
    )


class PublishedPlaceSchema(ResponseSchema):
    """A bot in a published result."""

    place = whole("Its place; null if it is out of the places", 1, null=True)
    bot = Output(text("`owner/bot`"), "name")
    id = Output(text("The bot's id"), "bot")
    score = number("The score of the ladder's format", null=True)
    deals = whole("Deals played")
    points_per_deal = number("Points divided by deals", null=True)
    out = text("Why it has no place", null=True)
    won = flag("Whether it has won, if the result is complete")


class ResultVersionSchema(ResponseSchema):
    """A version of the result of a season."""

    version = whole("From 1", 1)
    at = instant("When it was published")
    action = text(
        "`published` for the first; else what corrected the one before: `void`, `rerun`, `replayed` (a rerun was "
        "played), `recounted` (matches were counted late), `ban`, `remove_rule`, `disqualify`, `reinstate` "
        "or `decide`"
    )
    by = text("The organiser or admin who corrected it; empty for the first")
    reason = text("Why")
    complete = flag("Whether the season was complete, with its last match counted")
    winners = Listed(PublishedPlaceSchema, "Its winners; none until it is complete")
    places = Listed(PublishedPlaceSchema, "All bots, in the order of the standings")


ResultVersionListSchema: Final = listing("ResultVersionList", ResultVersionSchema, "versions", "Newest first")
SeasonPageSchema: Final = listing("SeasonPage", SeasonSchema, "seasons", "Newest first", paged=True)
