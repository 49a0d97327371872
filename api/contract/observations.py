"""The JSON Schemas of observations, made from each game's own `TypedDict`.

A game describes its observation once (`Game.observation`, with `Annotated` descriptions). This module adds the fields
of the match. A new game in the registry needs no change here.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from api.schemas.common import listed, nullable, whole
from api.schemas.matches import FACTORED_MOVES
from engine.cards import RANKS, SUITS
from engine.game import Game
from engine.registry import GAMES
from engine.seen import AtMost, Items, Unit

Schema = dict[str, Any]

_PLAIN: Mapping[type, str] = {
    str: "string",
    int: "integer",
    bool: "boolean",
    float: "number",
    type(None): "null",
}

_UNITS: Mapping[Unit, Schema] = {
    Unit.CARD: {"pattern": f"^[{RANKS}][{SUITS}]$"},
    Unit.SUIT: {"enum": list(SUITS)},
    Unit.SEAT: {"minimum": 0},
    Unit.CARDS: {"minimum": 0},
    Unit.POINTS: {},
    Unit.MOVES: {"minimum": 0},
    Unit.FIXED: {},
}


def schema_of(hint: Any) -> Schema:
    """Return the schema of a type as games write it: plain types, `None`, `Literal`, lists, dicts, unions,
    `TypedDict`s, and `Annotated` with descriptions, schemas and units (`engine.seen`).
    """
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if typing.is_typeddict(hint):
        return object_of(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        schema = schema_of(arguments[0])
        for note in arguments[1:]:
            schema.update(_from_note(note))
        return schema
    if origin is NotRequired:
        return schema_of(arguments[0])
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if origin in (Union, types.UnionType):
        return _union([schema_of(member) for member in arguments])
    raise TypeError(f"an observation can't have a field of type {hint!r}")


def _from_note(note: Any) -> Schema:
    if isinstance(note, str):
        return {"description": note}
    if isinstance(note, AtMost):
        return {"maxItems": note.items}
    if isinstance(note, Items):
        items = [schema_of(member) for member in note.types]
        return {"prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return dict(_UNITS[note] if isinstance(note, Unit) else note)


def object_of(described: type) -> Schema:
    """Return the schema of a `TypedDict`."""
    hints = get_type_hints(described, include_extras=True)
    return {
        "type": "object",
        "properties": {name: schema_of(hint) for name, hint in hints.items()},
        "required": [name for name in hints if name in described.__required_keys__],  # type: ignore[attr-defined]
    }


def observation_of(game: type[Game]) -> Schema:
    """Return the schema of a game's observation."""
    own = object_of(game.observation)
    added: dict[str, Schema] = {
        "game": {"const": game.id, "type": "string"},
        "deal": whole("This deal's number in the match, from 1", 1),
        "deals": whole("The number of deals in the match", 1),
        "dealer": whole("The dealer of this deal"),
        "scores": listed({"type": "integer"}, "Points of the finished deals, by seat"),
    }
    legal = "The legal moves of this turn; send one with `turn`. Empty if it is not your turn"
    free = (
        "The free moves that you may make now, whether or not it is your turn; send one with `deal`. Empty for a "
        "spectator"
    )
    moves = {
        "legal_moves": listed({"type": "string"}, legal),
        "factored_moves": FACTORED_MOVES,
        "free_moves": listed({"type": "string"}, free),
    }
    return {
        "title": f"{game.__name__}Observation",
        "description": (game.observation.__doc__ or "").strip(),
        "type": "object",
        "properties": {**added, **own["properties"], **moves},
        "required": [*added, *own["required"], "legal_moves", "free_moves"],
    }


def observation_schemas() -> dict[str, Schema]:
    """Return the components: one schema per game, and `Observation`, which is any of them by `game`."""
    named = {f"{game.__name__}Observation": game for game in GAMES.values()}
    references = {game.id: f"#/components/schemas/{name}" for name, game in named.items()}
    either: Schema = {
        "description": "What a seat sees. The fields depend on the game.",
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "game", "mapping": references},
    }
    return {**{name: observation_of(game) for name, game in named.items()}, "Observation": either}


def options_schema() -> Schema:
    """Return the component: one object with the options of all games.

    It is no union of one schema per game. An empty object fits all of them, and generators of code refuse such a union.
    """
    found: dict[str, list[tuple[str, Schema]]] = {}
    for game in GAMES.values():
        for name, schema in game.option_schemas.items():
            found.setdefault(name, []).append((game.id, dict(schema)))
    return {
        "type": "object",
        "description": "The options of the game, as `GET /v1/games/{game}` describes them. A game refuses those of "
        "others. Omitted options have their defaults.",
        "properties": {name: _common(options) for name, options in found.items()},
        "additionalProperties": False,
    }


def _common(options: list[tuple[str, Schema]]) -> Schema:
    """Return what the options with one name have in common, and the description of each game's."""
    first, *others = [schema for _, schema in options]
    games: dict[str, list[str]] = {}
    for game, schema in options:
        games.setdefault(schema["description"], []).append(game)
    described = [f"{', '.join(ids)}: {description}" for description, ids in games.items()]
    common = {key: value for key, value in first.items() if all(each.get(key) == value for each in others)}
    return {**common, "description": " ".join(described)}


def _union(schemas: list[Schema]) -> Schema:
    """Return a schema for any of these. Null joins the `type` of a plain type.

    Several plain types give a schema without a type, since generators of code know one type a value.
    """
    null = {"type": "null"}
    others = [schema for schema in schemas if schema != null]
    if len(others) == 1 and null in schemas and isinstance(others[0].get("type"), str):
        return nullable(others[0])
    return {} if all(schema.keys() == {"type"} for schema in others) else {"oneOf": schemas}
