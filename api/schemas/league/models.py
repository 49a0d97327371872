"""The leaderboard by language model."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import pre_dump

from api.schemas.common import Strict, String, listed, nullable, number, text, whole
from api.schemas.responses import Listed, Nested, Output, ResponseSchema
from league.fitness.model import TOTALS
from league.models import ModelLine
from records.match.facts import USAGE

_PER_DEAL: Final = {"type": ["number", "null"], "minimum": 0}
_RATE: Final = {"type": ["number", "null"], "minimum": 0, "maximum": 1}


class ModelsQuery(Strict):
    """Which preset."""

    preset = String(
        1, 300, "The name of a preset; by default the first with a model", metadata={"example": "durak/2"}
    )


class ModelRatingSchema(ResponseSchema):
    """The rating of a model."""

    doc = "The mean of the ratings of its bots, weighted by groups, with the interval of the joint fit"

    mu = Output(number("The rating. `house/greedy` is 1500"))
    low = Output(number("The lower end of its 95 % interval"))
    high = Output(number("The upper end"))
    groups = Output(whole("Rated groups of its bots", 1))
    pool = Output(nullable(text("As in ratings: null if it is on the scale of the anchor")))


class RankedModelSchema(ResponseSchema):
    """A model in the leaderboard of a preset."""

    doc = "The bots that declare the same model, provider and effort. Nobody verifies what they declare"

    model = Output(text("The model, as declared"))
    provider = Output(text("Who runs it, as declared"))
    effort = Output(text("How much it is to think, as declared"))
    bots = Output(listed({"type": "string"}, "The bots, as `owner/bot`"))
    rating = Nested(ModelRatingSchema, null=True, inline=True)
    matches = Output(whole("Matches that began and ended"))
    deals = Output(whole("Deals of these matches"))
    won = Output(whole("Matches with the first place, alone or shared"))
    lost = Output(whole("All other matches, without the disconnected ones"))
    disconnected = Output(
        whole("Matches forfeited by timeouts after the bot's last move, without a late move either")
    )
    no_shows = Output(whole("Matches that did not begin, because the bot did not poll in time"))
    too_slow = Output(whole("Matches forfeited by other timeouts, which count as lost"))
    resigned = Output(whole("Matches that it resigned, which count as lost"))
    moves = Output(whole("Moves that it made"))
    refused = Output(whole("Moves refused for their text: illegal, unclear or malformed"))
    late = Output(whole("Moves refused because they answered another turn than the open one"))
    mended = Output(whole("Moves that were mended"))
    refusal_rate = Output({**_RATE, "description": "`refused` by `refused` and `moves`; null without moves"})
    mending_rate = Output({**_RATE, "description": "`mended` by `moves`; null without moves"})
    told = Output(whole("Moves with reported tokens or cost"))
    input_tokens_per_deal = Output(
        {**_PER_DEAL, "description": "In matches with reports; null without reports"}
    )
    output_tokens_per_deal = Output({**_PER_DEAL, "description": "The same of tokens that the model wrote"})
    cost_micro_usd_per_deal = Output({**_PER_DEAL, "description": "The same of the cost"})

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

    preset = Output(nullable(text("The preset; null if no model has played")))
    presets = Output(listed({"type": "string"}, "The presets in which models have played"))
    models = Listed(RankedModelSchema, "The highest rated first, then those without a rating")
