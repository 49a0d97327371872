"""The leaderboard by language model."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from api.blueprint import Blueprint
from api.contract.describe import describe
from api.problems import Problem
from api.schemas.common import ref
from api.schemas.league.models import ModelBoardSchema, ModelsQuery
from api.schemas.responses import dump
from api.services import services
from api.tables import columns, table, table_of
from engine.quoting import quoted

blueprint = Blueprint("models", __name__, description="Language models, as owners declare them.")

Body = dict[str, Any]
_MODELS: Final = columns(ref("RankedModel"))


@blueprint.route("/v1/models")
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
