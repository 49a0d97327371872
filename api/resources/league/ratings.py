"""Ratings of bots and of language models, with their intervals."""

from __future__ import annotations

from typing import Any

from api.blueprint import Blueprint
from api.problems import Problem
from api.schemas.league import ratings as schemas
from api.services import services
from api.tables import table_of
from engine.quoting import quoted
from records.ratings.model import shown

blueprint = Blueprint("ratings", __name__, description="Ratings by preset, with intervals and history.")

Body = dict[str, Any]


@blueprint.serve("GET /v1/presets", table_of("The presets", schemas.PresetListSchema))
def list_presets(_: Body) -> object:
    """List the presets that have ratings.

    A preset is a game with its number of seats and its options. Ratings are kept separately for each preset.
    """
    presets = [{"preset": preset} for preset in services().ratings.presets()]
    return {"presets": presets}


@blueprint.serve("GET /v1/ratings", table_of("Ratings", schemas.RatingPageSchema), query=schemas.RatingsQuery)
def list_ratings(query: Body) -> object:
    """List the bots of a preset, highest rating first.

    Each rating comes with its 95 % interval.
    """
    preset = _preset(query)
    cursor = services().cursors.of("ratings", query)
    rated, then = services().ratings.page(preset, cursor.place, query["limit"])
    ratings = [schemas.rated_bot(each) for each in rated]
    return {"ratings": ratings, "cursor": cursor.then(then)}


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/ratings", table_of("The bot's ratings", schemas.BotRatingsSchema)
)
def get_bot_ratings(_: Body, owner: str, bot: str) -> object:
    """Get a bot's ratings in all of its presets.

    Each rating comes with its 95 % interval and the number of rated groups.
    """
    target = services().accounts.bot(owner, bot)
    ratings = [
        {"preset": preset, "rating": shown(target.full_name, rating)}
        for preset, rating in services().ratings.of_bot(target.id).items()
    ]
    return {"bot": target.full_name, "id": target.id, "ratings": ratings}


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/ratings/history",
    table_of("The bot's rating history", schemas.RatingHistorySchema),
    query=schemas.RatingsQuery,
)
def get_rating_history(query: Body, owner: str, bot: str) -> object:
    """List a bot's ratings after each of its rated groups, newest first.

    Each entry names the version of the bot that played the group.
    """
    target, preset = services().accounts.bot(owner, bot), _preset(query)
    cursor = services().cursors.of(f"ratings {target.id}", query)
    found, then = services().ratings.history(preset, target.id, cursor.place, query["limit"])
    history = [schemas.past_rating(target.full_name, past) for past in found]
    return {"history": history, "cursor": cursor.then(then)}


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/ratings/versions",
    table_of("The ratings of its versions", schemas.VersionRatingListSchema),
    query=schemas.PresetQuery,
)
def get_version_ratings(query: Body, owner: str, bot: str) -> object:
    """List the ratings of a bot's versions, the latest first.

    A new version keeps the rating of the last one, with a wider interval. Each entry has the rating after the
    version's last rated group.
    """
    target, preset = services().accounts.bot(owner, bot), _preset(query)
    found = services().ratings.versions(preset, target.id)
    versions = [schemas.version_rating(target.full_name, each) for each in found]
    return {"versions": versions}


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/head-to-head/<other_owner>/<other>",
    table_of("The comparison", schemas.HeadToHeadSchema),
    query=schemas.HeadToHeadQuery,
)
def get_head_to_head(query: Body, owner: str, bot: str, other_owner: str, other: str) -> object:
    """Compare a bot with an opponent in rated groups that both played.

    Counts the groups in which the bot placed better, equal or worse, with a 95 % interval of its share, of all
    versions or of one each. Also says by how much the bot is rated higher, if the ratings are comparable. The CSV has
    one line.
    """
    accounts, preset = services().accounts, _preset(query)
    target, opponent = accounts.bot(owner, bot), accounts.bot(other_owner, other)
    versions = {name: query.get(name) for name in ("version", "other_version")}
    found = services().ratings.head_to_head(preset, target.id, opponent.id, **versions)
    difference = services().ratings.difference(preset, target.id, opponent.id)
    return schemas.head_to_head(preset, target.full_name, opponent.full_name, found, difference)


def _preset(query: Body) -> str:
    """Return the preset of the query. Raise `Problem` if it has no ratings."""
    preset = services().ratings.preset(query["preset"])
    if preset is None:
        raise Problem(
            "no_such_preset",
            f"{quoted(query['preset'])} has no ratings; `GET /v1/presets` lists the presets that have",
        )
    return preset


models = Blueprint("models", __name__, description="Language models, as owners declare them.")


@models.serve(
    "GET /v1/models", table_of("The leaderboard", schemas.ModelBoardSchema), query=schemas.ModelsQuery
)
def list_models(query: Body) -> object:
    """List the language models of a preset, highest rating first.

    A line has all bots whose owners declare the same model, provider and effort. Its figures count from the last
    declaration of each bot. Forfeits of a lost connection count apart from losses; ratings count both. Tokens and cost
    are what bots report.
    """
    board = services().models
    presets = board.presets()
    preset = query.get("preset") or next(iter(presets), None)
    if preset is not None and preset not in presets:
        raise Problem(
            "no_such_preset", f"no bot with a declared model has played the preset {quoted(preset)}"
        )
    lines = [] if preset is None else board.lines(preset)
    return {"preset": preset, "presets": presets, "models": lines}
