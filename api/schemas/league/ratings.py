"""Ratings by preset, by bot and by language model, their history, and head-to-head comparisons."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import pre_dump

from api.schemas.common import (
    Json,
    PageQuery,
    Strict,
    String,
    flag,
    instant,
    listed,
    number,
    text,
    whole,
)
from api.schemas.responses import (
    Derived,
    Listed,
    Nested,
    ResponseSchema,
    listing,
)
from league.fitness.model import TOTALS
from league.models import ModelLine
from league.ratings.book import LOOKED_AT, HeadToHead, VersionRating
from league.ratings.redis import Rated
from records.match.move_requests import USAGE
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

    preset = text(_PRESET)
    id = Derived(
        text("16 hexadecimal digits of the SHA-256 of its name"), lambda model: preset_id(model["preset"])
    )


PresetListSchema: Final = listing("PresetList", PresetSchema, "presets", "By name")


class RatingSchema(ResponseSchema):
    """A rating."""

    doc = "A rating, fitted to all groups of the preset"

    rating = number("`house/greedy` is 1500. 400 points more mean ten times the share")
    low = number("The lower end of its 95 % interval")
    high = number("The upper end")
    mu = number("The unrounded rating")
    sigma = number("Its standard deviation")
    groups = whole("Rated groups that the bot has played in this preset", 1)
    version = text("The bot's version in the last of them")
    anchor = flag("Whether it is a house bot whose rating is fixed")
    pool = text(
        "null if the rating is on the scale of the anchor. Else no chain of meetings connects the bot with the anchor: "
        "its rating is relative to the mean of its pool, and comparable only within the pool, which this id names",
        null=True,
    )


class RatedBotSchema(RatingSchema):
    """A bot in the ratings of a preset."""

    doc = ""
    first = ("bot", "id")

    bot = text("`owner/bot`")
    id = text("The bot's id")


RatingPageSchema: Final = listing("RatingPage", RatedBotSchema, "ratings", "The highest first", paged=True)


class RatedPresetSchema(PresetSchema):
    """A preset with the rating of a bot."""

    doc = ""

    rating = Nested(RatingSchema)


class BotRatingsSchema(ResponseSchema):
    """The ratings of a bot."""

    bot = text("`owner/bot`")
    id = text("The bot's id")
    ratings = Listed(RatedPresetSchema, "By preset", inline=True)


class PastRatingSchema(RatingSchema):
    """A rating as published when a group was new."""

    doc = ""
    first = ("group", "ended")

    group = text("The group's id, or the match's id if it belongs to no group")
    ended = instant("When it ended")


class VersionRatingSchema(ResponseSchema):
    """The rating of a version."""

    version = text("The bot's version")
    groups = whole("Rated groups that this version has played", 1)
    first_ended = instant("When the first of them ended")
    last_ended = instant("When the last of them ended")
    rating = Nested(RatingSchema, "The bot's rating as published with the last of them")


VersionRatingListSchema: Final = listing(
    "VersionRatingList",
    VersionRatingSchema,
    "versions",
    f"Versions in its last {LOOKED_AT} groups, the latest first",
)
RatingHistorySchema: Final = listing(
    "RatingHistory", PastRatingSchema, "history", "The bot's groups, newest first", paged=True
)


class HeadToHeadSchema(ResponseSchema):
    """Two bots compared."""

    bot = text("`owner/bot`")
    opponent = text("`owner/bot`")
    preset = text(_PRESET)
    groups = whole(f"Groups that both played on different sides, of the bot's last {LOOKED_AT}")
    wins = whole("Groups in which the bot had the better place")
    ties = whole("Groups in which both had the same place")
    losses = whole("Groups in which the bot had the worse place")
    share = number("(wins + ties / 2) / groups; null without groups", null=True)
    low = number("The lower end of its 95 % interval", null=True)
    high = number("The upper end", null=True)
    difference = number(
        "By how many points the bot is rated higher, from all groups of the preset; null if one is not rated "
        "or the ratings are not comparable",
        null=True,
    )
    difference_low = number("The lower end of its 95 % interval", null=True)
    difference_high = number("The upper end", null=True)


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


def head_to_head(
    preset: str, bot: str, opponent: str, counts: HeadToHead, difference: tuple[float, float, float] | None
) -> Json:
    """Return the model of `HeadToHeadSchema`."""
    low, high = counts.interval or (None, None)
    ends = ("difference", "difference_low", "difference_high")
    apart = (
        dict(zip(ends, (round(each, 1) for each in difference), strict=True))
        if difference
        else dict.fromkeys(ends)
    )
    names = {"bot": bot, "opponent": opponent, "preset": preset}
    derived = {"groups": counts.groups, "share": counts.share, "low": low, "high": high}
    return {**names, **counts._asdict(), **derived, **apart}


class ModelsQuery(Strict):
    """Which preset."""

    preset = String(
        1, 300, "The name of a preset; by default the first with a model", metadata={"example": "durak/2"}
    )


class ModelRatingSchema(ResponseSchema):
    """The rating of a model."""

    doc = "The mean of the ratings of its bots, weighted by groups, with the interval of the joint fit"

    mu = number("The rating. `house/greedy` is 1500")
    low = number("The lower end of its 95 % interval")
    high = number("The upper end")
    groups = whole("Rated groups of its bots", 1)
    pool = text("As in ratings: null if it is on the scale of the anchor", null=True)


class RankedModelSchema(ResponseSchema):
    """A model in the leaderboard of a preset."""

    doc = "The bots that declare the same model, provider and effort. Nobody verifies what they declare"

    model = text("The model, as declared")
    provider = text("Who runs it, as declared")
    effort = text("How much it is to think, as declared")
    bots = listed({"type": "string"}, "The bots, as `owner/bot`")
    rating = Nested(ModelRatingSchema, null=True, inline=True)
    matches = whole("Matches that began and ended")
    deals = whole("Deals of these matches")
    won = whole("Matches with the first place, alone or shared")
    lost = whole("All other matches, without the disconnected ones")
    disconnected = whole(
        "Matches forfeited by timeouts after the bot's last move, without a late move either"
    )
    no_shows = whole("Matches that did not begin, because the bot did not poll in time")
    too_slow = whole("Matches forfeited by other timeouts, which count as lost")
    resigned = whole("Matches that it resigned, which count as lost")
    moves = whole("Moves that it made")
    refused = whole("Moves refused for their text: illegal, unclear or malformed")
    late = whole("Moves refused because they answered another turn than the open one")
    mended = whole("Moves that were mended")
    refusal_rate = number(
        "`refused` by `refused` and `moves`; null without moves", null=True, minimum=0, maximum=1
    )
    mending_rate = number("`mended` by `moves`; null without moves", null=True, minimum=0, maximum=1)
    told = whole("Moves with reported tokens or cost")
    input_tokens_per_deal = number("In matches with reports; null without reports", null=True, minimum=0)
    output_tokens_per_deal = number("The same of tokens that the model wrote", null=True, minimum=0)
    cost_micro_usd_per_deal = number("The same of the cost", null=True, minimum=0)

    @pre_dump
    def _combine(self, line: ModelLine, **_: Any) -> dict[str, Any]:
        rating = line.rating
        return {
            **line.declared._asdict(),
            "bots": [bot.full_name for bot in line.bots],
            "rating": rating
            and {
                **{name: round(getattr(rating, name), 1) for name in ("mu", "low", "high")},
                **{name: getattr(rating, name) for name in ("groups", "pool")},
            },
            **{name: line.totals[name] for name in TOTALS},
            "lost": line.lost,
            "refusal_rate": line.refusal_rate,
            "mending_rate": line.per("mended", "moves"),
            **{f"{name}_per_deal": line.per(name, "told_deals") for name in USAGE},
        }


class ModelBoardSchema(ResponseSchema):
    """The leaderboard of a preset."""

    preset = text("The preset; null if no model has played", null=True)
    presets = listed({"type": "string"}, "The presets in which models have played")
    models = Listed(RankedModelSchema, "The highest rated first, then those without a rating")
