"""Games."""

from __future__ import annotations

from typing import Final

from flask import request

from api.blueprint import Blueprint
from api.caching import ETAG, UNCHANGED, revalidated
from api.contract.describe import ResponseSpec, header
from api.host_and_accept import preferred_language
from api.problems import Problem
from api.schemas.games import GameListSchema, GameSchema, game_model, game_summary
from api.schemas.responses import dump
from api.services import services
from api.wire import answer
from engine.game import Game
from engine.quoting import quoted
from engine.registry import GAMES

blueprint = Blueprint("games", __name__, description="The games, their options and rules.")

LANGUAGES: Final = ("en", "ru")


@blueprint.serve("GET /v1/games", ResponseSpec("The games", "GameList", headers=ETAG), UNCHANGED, store=False)
def list_games() -> object:
    """List the games.

    Use the `id` of a game in other requests. `GET /v1/games/{game}` adds the options and the rules.
    """
    return revalidated(
        answer(dump(GameListSchema, {"games": [game_summary(game) for game in GAMES.values()]}))
    )


@blueprint.serve(
    "GET /v1/games/<game>",
    ResponseSpec(
        "The game, with rules in the language of `Accept-Language`, English or Russian",
        "Game",
        headers={
            "Content-Language": header(
                "The language of `rules_text`", {"type": "string", "enum": list(LANGUAGES)}, required=True
            ),
            "Vary": header("The response depends on `Accept-Language`", required=True),
            **ETAG,
        },
    ),
    UNCHANGED,
    parameters=[
        {
            "name": "Accept-Language",
            "in": "header",
            "description": "Preferred languages, optionally with `q` values; English if none matches",
            "schema": {"type": "string"},
            "example": "ru, en;q=0.5",
        }
    ],
    store=False,
    player=True,
)
def get_game(game: str) -> object:
    """Get a game with its options and its rules.

    The options come as JSON Schema, the rules as Markdown in English or Russian, chosen by `Accept-Language`.
    """
    found = known_game(game)
    language = preferred_language(request.accept_languages, LANGUAGES)
    text = services().rules_text(game, language)
    if text is None and language != "en":
        language, text = "en", services().rules_text(game, "en")
    headers = {"Content-Language": language, "Vary": "Accept-Language"}
    return revalidated(answer(dump(GameSchema, game_model(found, language, text)), headers=headers))


def known_game(name: str) -> type[Game]:
    """Return the game with this id. Raise `Problem` if there is none."""
    if name not in GAMES:
        raise Problem("no_such_game", f"there is no game {quoted(name)}; there are {', '.join(GAMES)}")
    return GAMES[name]
