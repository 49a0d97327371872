"""Ratings: by preset, by bot, and how they came about."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import (
    Json,
    PageQuery,
    Strict,
    flag,
    instant,
    listed,
    obj,
    page_of,
    ref,
    text,
    whole,
)
from league.ratings.book import LOOKED_AT, HeadToHead, Rated
from league.ratings.model import preset_id, shown
from league.ratings.store import PastRating
from referee.instants import text_of

_PRESET: Final = "A preset's name, as records have it"


class PresetQuery(Strict):
    """Which preset."""

    preset = fields.String(
        required=True,
        validate=validate.Length(1, 300),
        metadata={"description": _PRESET, "example": "durak/2"},
    )


class RatingsQuery(PresetQuery, PageQuery):
    """Which page of the ratings of which preset."""


def rated_view(preset: str, rated: Rated) -> Json:
    """A bot in the ratings of a preset."""
    return {"bot": rated.name, "id": rated.bot, **shown(preset, rated.name, rated.rating)}


def past_view(preset: str, name: str, past: PastRating) -> Json:
    """A bot's rating after a group."""
    return {"group": past.group, "ended": text_of(past.ended), **shown(preset, name, past.rating)}


def against_view(preset: str, bot: str, opponent: str, found: HeadToHead) -> Json:
    """How a bot did against another, never without the interval."""
    low, high = found.interval or (None, None)
    counts = {"groups": found.groups, **found._asdict()}
    head = {"bot": bot, "opponent": opponent, "preset": preset}
    return {**head, **counts, "share": found.share, "low": low, "high": high}


def preset_view(preset: str) -> Json:
    """A preset."""
    return {"preset": preset, "id": preset_id(preset)}


RATING: Final[Json] = {
    "rating": {
        "type": "number",
        "description": "Everybody starts at 1500, the fixed rating of `house/greedy`",
    },
    "low": {"type": "number", "description": "The lower end of its 95 % interval"},
    "high": {"type": "number", "description": "The upper end"},
    "mu": {"type": "number", "description": "The unrounded rating"},
    "sigma": {"type": "number", "description": "Its standard deviation"},
    "groups": whole("Groups that it has played in this preset", 1),
    "version": text("The bot's version in the last of them"),
    "anchor": flag("Whether it is a house bot whose rating is fixed"),
}
_NAMED: Final = {"bot": text("`owner/bot`"), "id": text("The bot's id")}
_PRESETS: Final = {"preset": text(_PRESET), "id": text("16 hexadecimal digits of the SHA-256 of its name")}

COMPONENTS: Final[dict[str, Json]] = {
    "Rating": obj(RATING, "A rating, as of the last group that was rated"),
    "Preset": obj(_PRESETS, "What is rated together: a game, its seats and its options"),
    "PresetList": obj({"presets": listed(ref("Preset"), "By name")}),
    "RatedBot": obj({**_NAMED, **RATING}),
    "RatingPage": page_of("RatedBot", "ratings", "The highest first"),
    "BotRatings": obj({**_NAMED, "ratings": listed(obj({**_PRESETS, "rating": ref("Rating")}), "By preset")}),
    "PastRating": obj(
        {
            "group": text("The group's id; a match's, if it is of none"),
            "ended": instant("When it was over"),
            **RATING,
        }
    ),
    "HeadToHead": obj(
        {
            "bot": text("`owner/bot`"),
            "opponent": text("`owner/bot`"),
            "preset": text(_PRESET),
            "groups": whole(f"Groups that both played on different sides, of the bot's last {LOOKED_AT}"),
            "wins": whole("Groups in which the bot had the better place"),
            "ties": whole("Groups in which both had the same place"),
            "losses": whole("Groups in which the bot had the worse place"),
            "share": {
                "type": ["number", "null"],
                "description": "(wins + ties / 2) / groups; null without groups",
            },
            "low": {"type": ["number", "null"], "description": "The lower end of its 95 % interval"},
            "high": {"type": ["number", "null"], "description": "The upper end"},
        }
    ),
    "RatingHistory": page_of("PastRating", "history", "The bot's groups, the last first"),
}
