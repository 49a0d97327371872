"""Games."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from api.blueprint import Blueprint
from api.describe import Answer, describe
from api.problems import Problem
from api.schemas.games import summary, whole_view
from api.services import services
from api.wire import answer
from engine.registry import GAMES

blueprint = Blueprint("games", __name__, description="The games, as they describe themselves.")

LANGUAGES: Final = ("en", "ru")


@blueprint.route("/v1/games")
@describe("listGames", {200: Answer("All games", "Games")}, store=False)
def list_games() -> Response:
    """All games."""
    return answer({"games": [summary(game) for game in GAMES.values()]})


@blueprint.route("/v1/games/<game>")
@describe(
    "getGame",
    {
        200: Answer(
            "The game; its rules in the language that `Accept-Language` asks for, English or Russian",
            "Game",
            headers={
                "Content-Language": {"schema": {"type": "string", "enum": list(LANGUAGES)}},
                "Vary": {"schema": {"type": "string"}},
            },
        )
    },
    problems=["not_found", "no_such_game"],
    store=False,
)
def get_game(game: str) -> Response:
    """A game: seats, options as JSON Schema, deals, the rules' text, the safe move."""
    found = GAMES.get(game)
    if found is None:
        raise Problem("no_such_game", f"there is no game {game!r}; there are " + ", ".join(GAMES))
    language = request.accept_languages.best_match(LANGUAGES, default="en") or "en"
    text = services().rules_text(game, language)
    if text is None and language != "en":
        language, text = "en", services().rules_text(game, "en")
    headers = {"Content-Language": language, "Vary": "Accept-Language"}
    return answer(whole_view(found, language, text), headers=headers)
