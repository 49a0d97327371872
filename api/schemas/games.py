"""Games, their options and their rules."""

from __future__ import annotations

from typing import Any, Final

from api.schemas.common import Json, listed, nullable, obj, ref, text, whole
from engine.game import Game
from engine.match import MOST_DEALS

_TITLE: Final = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "Its name by language",
}
_SCHEMA: Final = {"type": "object", "additionalProperties": True}


def summary(game: type[Game]) -> dict[str, Any]:
    """Return a game as in the list."""
    return {
        "id": game.id,
        "title": dict(game.title),
        "rules": f"{game.id}-{game.rules_version}",
        "seats": list(game.seat_counts),
        "deals": {"fixed": game.fixed_deals, "most": game.fixed_deals or MOST_DEALS},
    }


def whole_view(game: type[Game], language: str, rules: str | None) -> dict[str, Any]:
    """Return a game with its options and rules."""
    options = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {name: dict(schema) for name, schema in game.option_schemas.items()},
        "additionalProperties": False,
    }
    return {
        **summary(game),
        "options": options,
        "safe_move": game.safe_move_text,
        "free_moves": sorted(game.free_move_texts),
        "language": language,
        "rules_text": rules,
    }


_SUMMARY: Final = {
    "id": text("The game's id"),
    "title": _TITLE,
    "rules": text("The game and the version of its rules"),
    "seats": listed({"type": "integer", "minimum": 2}, "The possible numbers of seats"),
    "deals": obj(
        {
            "fixed": nullable(whole("The number of deals that the rules fix; null if it can be chosen", 1)),
            "most": whole("The largest number of deals in a match", 1),
        }
    ),
}

COMPONENTS: Final[dict[str, Json]] = {
    "GameSummary": obj(_SUMMARY),
    "GameList": obj({"games": listed(ref("GameSummary"))}),
    "Game": obj(
        {
            **_SUMMARY,
            "options": {**_SCHEMA, "description": "JSON Schema (2020-12) of the options"},
            "safe_move": text("The move that the referee makes on a timeout, in words"),
            "free_moves": listed({"type": "string"}, "Free moves, sent with `deal` instead of `turn`"),
            "language": text("The language of `rules_text`"),
            "rules_text": nullable(text("The rules, in Markdown")),
        }
    ),
}
