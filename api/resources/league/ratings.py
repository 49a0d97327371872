"""Ratings of bots and of language models, with their intervals."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from api.blueprint import Blueprint
from api.contract.describe import describe
from api.problems import Problem
from api.schemas.common import ref
from api.schemas.league.ratings import (
    BotRatingsSchema,
    HeadToHeadQuery,
    ModelBoardSchema,
    ModelsQuery,
    PresetListSchema,
    PresetQuery,
    RatedPresetSchema,
    RatingHistorySchema,
    RatingPageSchema,
    RatingsQuery,
    VersionRatingListSchema,
    head_to_head_view,
    past_rating,
    rated_bot,
    version_rating,
)
from api.schemas.responses import dump
from api.services import services
from api.tables import columns, table, table_of
from engine.quoting import quoted
from records.ratings.model import shown

blueprint = Blueprint("ratings", __name__, description="Ratings by preset, with intervals and history.")

Body = dict[str, Any]
_PRESETS: Final = columns(ref("Preset"))
_RATED: Final = columns(ref("RatedBot"))
_OF_BOT: Final = columns(RatedPresetSchema.component())
_HISTORY: Final = columns(ref("PastRating"))
_VERSIONS: Final = columns(ref("VersionRating"))
_HEAD_TO_HEAD: Final = columns(ref("HeadToHead"))


@blueprint.route("/v1/presets")
@describe("listPresets", {200: table_of("The presets", "PresetList")})
def list_presets(_: Body) -> Response:
    """List the presets that have ratings.

    A preset is a game with its number of seats and its options. Ratings are kept separately for each preset.
    """
    presets = [{"preset": preset} for preset in services().ratings.presets()]
    body = dump(PresetListSchema, {"presets": presets})
    return table(body, body["presets"], _PRESETS)


@blueprint.route("/v1/ratings")
@describe(
    "listRatings",
    {200: table_of("Ratings", "RatingPage")},
    problems=["bad_cursor", "no_such_preset"],
    query=RatingsQuery,
)
def list_ratings(query: Body) -> Response:
    """List the bots of a preset, highest rating first.

    Each rating comes with its 95 % interval.
    """
    preset = _preset(query)
    cursor = services().cursors.of("ratings", query)
    after: tuple[float, str] | None = None
    if cursor.place is not None:
        mu, _, bot = cursor.place.partition(" ")
        after = float(mu), bot
    rated, then = services().ratings.page(preset, after, query["limit"])
    following = None if then is None else f"{then[0]!r} {then[1]}"
    ratings = [rated_bot(each) for each in rated]
    body = dump(RatingPageSchema, {"ratings": ratings, "cursor": cursor.then(following)})
    return table(body, body["ratings"], _RATED)


@blueprint.route("/v1/bots/<owner>/<bot>/ratings")
@describe(
    "getBotRatings", {200: table_of("The bot's ratings", "BotRatings")}, problems=["not_found", "no_such_bot"]
)
def get_bot_ratings(_: Body, owner: str, bot: str) -> Response:
    """Get a bot's ratings in all of its presets.

    Each rating comes with its 95 % interval and the number of rated groups.
    """
    target = services().accounts.bot(owner, bot)
    ratings = [
        {"preset": preset, "rating": shown(target.full_name, rating)}
        for preset, rating in services().ratings.of_bot(target.id).items()
    ]
    body = dump(BotRatingsSchema, {"bot": target.full_name, "id": target.id, "ratings": ratings})
    return table(body, body["ratings"], _OF_BOT)


@blueprint.route("/v1/bots/<owner>/<bot>/ratings/history")
@describe(
    "getRatingHistory",
    {200: table_of("The bot's rating history", "RatingHistory")},
    problems=["not_found", "no_such_bot", "no_such_preset", "bad_cursor"],
    query=RatingsQuery,
)
def get_rating_history(query: Body, owner: str, bot: str) -> Response:
    """List a bot's ratings after each of its rated groups, newest first.

    Each entry names the version of the bot that played the group.
    """
    target, preset = services().accounts.bot(owner, bot), _preset(query)
    cursor = services().cursors.of(f"ratings {target.id}", query)
    before: tuple[int, str] | None = None
    if cursor.place is not None:
        ended, _, group = cursor.place.partition(" ")
        before = int(ended), group
    found, then = services().ratings.history(preset, target.id, before, query["limit"])
    following = None if then is None else f"{then[0]} {then[1]}"
    history = [past_rating(target.full_name, past) for past in found]
    body = dump(RatingHistorySchema, {"history": history, "cursor": cursor.then(following)})
    return table(body, body["history"], _HISTORY)


@blueprint.route("/v1/bots/<owner>/<bot>/ratings/versions")
@describe(
    "getVersionRatings",
    {200: table_of("The ratings of its versions", "VersionRatingList")},
    problems=["not_found", "no_such_bot", "no_such_preset"],
    query=PresetQuery,
)
def get_version_ratings(query: Body, owner: str, bot: str) -> Response:
    """List the ratings of a bot's versions, the latest first.

    A new version keeps the rating of the last one, with a wider interval. Each entry has the rating after the
    version's last rated group.
    """
    target, preset = services().accounts.bot(owner, bot), _preset(query)
    found = services().ratings.versions(preset, target.id)
    versions = [version_rating(target.full_name, each) for each in found]
    body = dump(VersionRatingListSchema, {"versions": versions})
    return table(body, body["versions"], _VERSIONS)


@blueprint.route("/v1/bots/<owner>/<bot>/head-to-head/<other_owner>/<other>")
@describe(
    "getHeadToHead",
    {200: table_of("The comparison", "HeadToHead")},
    problems=["not_found", "no_such_bot", "no_such_preset"],
    query=HeadToHeadQuery,
)
def get_head_to_head(query: Body, owner: str, bot: str, other_owner: str, other: str) -> Response:
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
    view = head_to_head_view(preset, target.full_name, opponent.full_name, found, difference)
    return table(view, [view], _HEAD_TO_HEAD)


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

_MODELS: Final = columns(ref("RankedModel"))


@models.route("/v1/models")
@describe(
    "listModels",
    {200: table_of("The leaderboard", "ModelBoard")},
    problems=["no_such_preset"],
    query=ModelsQuery,
)
def list_models(query: Body) -> Response:
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
    body = dump(ModelBoardSchema, {"preset": preset, "presets": presets, "models": lines})
    return table(body, body["models"], _MODELS)
