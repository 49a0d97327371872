"""Ratings by preset and by bot, their history, and head-to-head comparisons."""

from __future__ import annotations

from typing import Final

from api.schemas.common import (
    NEXT_CURSOR,
    Json,
    PageQuery,
    Strict,
    String,
    flag,
    instant,
    nullable,
    number,
    text,
    whole,
)
from api.schemas.responses import (
    Derived,
    Listed,
    Nested,
    Output,
    ResponseSchema,
    dump,
)
from league.ratings.book import LOOKED_AT, HeadToHead, Rated, VersionRating
from records.ratings.model import PastRating, preset_id, shown

_PRESET: Final = "A preset's name, as in records, or its id"


class PresetQuery(Strict):
    """Which preset."""

    preset = String(1, 300, _PRESET, required=True, metadata={"example": "durak/2"})


class RatingsQuery(PresetQuery, PageQuery):
    """Which page of the ratings of which preset."""


class HeadToHeadQuery(PresetQuery):
    """Which preset, and which versions."""

    version = String(1, 64, "Only groups of this version of the bot")
    other_version = String(1, 64, "Only groups of this version of the opponent")


class PresetSchema(ResponseSchema):
    """A preset."""

    doc = "Bots are rated per preset: a game, its number of seats and its options"

    preset = Output(text(_PRESET))
    id = Derived(
        text("16 hexadecimal digits of the SHA-256 of its name"), lambda model: preset_id(model["preset"])
    )


class PresetListSchema(ResponseSchema):
    """The presets that have ratings."""

    presets = Listed(PresetSchema, "By name")


class RatingSchema(ResponseSchema):
    """A rating."""

    doc = "A rating, fitted to all groups of the preset"

    rating = Output(number("`house/greedy` is 1500. 400 points more mean ten times the share"))
    low = Output(number("The lower end of its 95 % interval"))
    high = Output(number("The upper end"))
    mu = Output(number("The unrounded rating"))
    sigma = Output(number("Its standard deviation"))
    groups = Output(whole("Rated groups that the bot has played in this preset", 1))
    version = Output(text("The bot's version in the last of them"))
    anchor = Output(flag("Whether it is a house bot whose rating is fixed"))
    pool = Output(
        {
            "type": ["string", "null"],
            "description": (
                "null if the rating is on the scale of the anchor. Else no chain of meetings connects the bot with the "
                "anchor: its rating is relative to the mean of its pool, and comparable only within the pool, which "
                "this id names"
            ),
        }
    )


class RatedBotSchema(RatingSchema):
    """A bot in the ratings of a preset."""

    doc = ""
    first = ("bot", "id")

    bot = Output(text("`owner/bot`"))
    id = Output(text("The bot's id"))


class RatingPageSchema(ResponseSchema):
    """A page of the ratings of a preset."""

    ratings = Listed(RatedBotSchema, "The highest first")
    cursor = Output(NEXT_CURSOR)


class RatedPresetSchema(PresetSchema):
    """A preset with the rating of a bot."""

    doc = ""

    rating = Nested(RatingSchema)


class BotRatingsSchema(ResponseSchema):
    """The ratings of a bot."""

    bot = Output(text("`owner/bot`"))
    id = Output(text("The bot's id"))
    ratings = Listed(RatedPresetSchema, "By preset", inline=True)


class PastRatingSchema(RatingSchema):
    """A rating as published when a group was new."""

    doc = ""
    first = ("group", "ended")

    group = Output(text("The group's id, or the match's id if it belongs to no group"))
    ended = Output(instant("When it ended"))


class VersionRatingSchema(ResponseSchema):
    """The rating of a version."""

    version = Output(text("The bot's version"))
    groups = Output(whole("Rated groups that this version has played", 1))
    first_ended = Output(instant("When the first of them ended"))
    last_ended = Output(instant("When the last of them ended"))
    rating = Nested(RatingSchema, "The bot's rating as published with the last of them")


class VersionRatingListSchema(ResponseSchema):
    """The ratings of a bot's versions in a preset."""

    versions = Listed(VersionRatingSchema, f"Versions in its last {LOOKED_AT} groups, the latest first")


class RatingHistorySchema(ResponseSchema):
    """A page of a bot's rating history."""

    history = Listed(PastRatingSchema, "The bot's groups, newest first")
    cursor = Output(NEXT_CURSOR)


class HeadToHeadSchema(ResponseSchema):
    """Two bots compared."""

    bot = Output(text("`owner/bot`"))
    opponent = Output(text("`owner/bot`"))
    preset = Output(text(_PRESET))
    groups = Output(whole(f"Groups that both played on different sides, of the bot's last {LOOKED_AT}"))
    wins = Output(whole("Groups in which the bot had the better place"))
    ties = Output(whole("Groups in which both had the same place"))
    losses = Output(whole("Groups in which the bot had the worse place"))
    share = Output(nullable(number("(wins + ties / 2) / groups; null without groups")))
    low = Output(nullable(number("The lower end of its 95 % interval")))
    high = Output(nullable(number("The upper end")))
    difference = Output(
        nullable(
            number(
                "By how many points the bot is rated higher, from all groups of the preset; null if one is not rated "
                "or the ratings are not comparable"
            )
        )
    )
    difference_low = Output(nullable(number("The lower end of its 95 % interval")))
    difference_high = Output(nullable(number("The upper end")))


def rated_bot(rated: Rated) -> Json:
    """Return the model of `RatedBotSchema`."""
    return {"bot": rated.name, "id": rated.bot, **shown(rated.name, rated.rating)}


def past_rating(name: str, past: PastRating) -> Json:
    """Return the model of `PastRatingSchema`."""
    return {"group": past.group, "ended": past.ended, **shown(name, past.rating)}


def version_rating(name: str, found: VersionRating) -> Json:
    """Return the model of `VersionRatingSchema`."""
    rating = shown(name, found.rating)
    return {**found._asdict(), "version": found.rating.version, "rating": rating}


def head_to_head_view(
    preset: str, bot: str, opponent: str, counts: HeadToHead, difference: tuple[float, float, float] | None
) -> Json:
    """Return the comparison of two bots, with the intervals of the share and of the difference."""
    low, high = counts.interval or (None, None)
    ends = ("difference", "difference_low", "difference_high")
    apart = (
        dict(zip(ends, (round(each, 1) for each in difference), strict=True))
        if difference
        else dict.fromkeys(ends)
    )
    names = {"bot": bot, "opponent": opponent, "preset": preset}
    derived = {"groups": counts.groups, "share": counts.share, "low": low, "high": high}
    return dump(HeadToHeadSchema, {**names, **counts._asdict(), **derived, **apart})
