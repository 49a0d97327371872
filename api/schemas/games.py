"""Games, their options and their rules."""

from __future__ import annotations

from typing import Final

from api.schemas.common import Json, listed, mapping, text, whole
from api.schemas.responses import Nested, ResponseSchema, listing
from engine.game import Game
from engine.match import MOST_DEALS


class DealCountSchema(ResponseSchema):
    """The number of deals in a match of a game."""

    fixed = whole("The number of deals that the rules fix; null if it can be chosen", 1, null=True)
    most = whole("The largest number of deals in a match", 1)


class GameSummarySchema(ResponseSchema):
    """A game in the list, as `game_summary` returns it."""

    id = text("The game's id")
    title = mapping({"type": "string"}, "Its name by language")
    rules = text("The game and the version of its rules")
    seats = listed({"type": "integer", "minimum": 2}, "The possible numbers of seats")
    deals = Nested(DealCountSchema, inline=True)


GameListSchema: Final = listing("GameList", GameSummarySchema, "games", "")


class GameSchema(GameSummarySchema):
    """A game with its options and its rules, as `game_model` returns it."""

    options = mapping(True, "JSON Schema (2020-12) of the options")
    safe_move = text("The move that the referee makes on a timeout, in words")
    free_moves = listed({"type": "string"}, "Free moves, sent with `deal` instead of `turn`")
    language = text("The language of `rules_text`")
    rules_text = text("The rules, in Markdown", null=True)


def game_summary(game: type[Game]) -> Json:
    """Return the model of `GameSummarySchema`."""
    return {
        "id": game.id,
        "title": dict(game.title),
        "rules": f"{game.id}-{game.rules_version}",
        "seats": game.seat_counts,
        "deals": {"fixed": game.fixed_deals, "most": game.fixed_deals or MOST_DEALS},
    }


def game_model(game: type[Game], language: str, rules: str | None) -> Json:
    """Return the model of `GameSchema`. The rules are in this language, in Markdown; `None` if the service has none."""
    return {
        **game_summary(game),
        "options": _options(game),
        "safe_move": game.safe_move_text,
        "free_moves": sorted(game.free_move_texts),
        "language": language,
        "rules_text": rules,
    }


def _options(game: type[Game]) -> Json:
    """Return the JSON Schema of a game's options."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {name: dict(schema) for name, schema in game.option_schemas.items()},
        "additionalProperties": False,
    }
