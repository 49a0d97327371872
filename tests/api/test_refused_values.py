"""Every problem shows a refused value as JSON, as the client sent it.

`tests.api.contract` looks for Python's notation in every problem of every API test. These tests send values of every
type everywhere.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.game import Game
from engine.registry import GAMES
from league.pairing.formats import FORMATS
from tests.api.conftest import ApiWorld, refused

VALUES: tuple[Any, ...] = (
    True,
    False,
    None,
    "all",
    'a "b"',
    "",
    -1,
    1.5,
    10**18,
    [],
    [None, True],
    {},
    {"a": False},
)


def fits(schema: Any, value: Any) -> bool:
    """Return whether the value has the option's type and may be valid."""
    kinds = {"boolean": bool, "integer": int, "string": str}
    return type(value) is kinds[schema["type"]] and value not in (-1, 10**18, 'a "b"', "")


@pytest.mark.parametrize("value", VALUES, ids=json.dumps)
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_an_option_of_a_wrong_value_is_refused_in_json(world: ApiWorld, game: type[Game], value: Any) -> None:
    owner = world.owner()
    for option, schema in game.option_schemas.items():
        if fits(schema, value):
            continue
        body = {
            "game": game.id,
            "seats": ["house/random"] * game.seat_counts[0],
            "options": {option: value},
        }
        problem = refused(owner("POST", "/v1/matches", body), 422, "bad_table")
        shown = json.dumps(value, ensure_ascii=False)
        assert problem["detail"].startswith(f"{option}: {shown} is refused; expected"), problem["detail"]


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_an_unknown_option_is_refused_with_the_known_ones(world: ApiWorld, game: type[Game]) -> None:
    seats = ["house/random"] * game.seat_counts[0]
    body = {"game": game.id, "seats": seats, "options": {"colour": True}}
    problem = refused(world.owner()("POST", "/v1/matches", body), 422, "bad_table")
    known = ", ".join(game.option_schemas)
    expected = f"one of the options {known}" if known else "no options: King has none"
    assert problem["detail"] == f'there is no option "colour"; expected {expected}'


@pytest.mark.parametrize("value", VALUES, ids=json.dumps)
def test_a_parameter_of_a_format_of_a_wrong_value_is_refused_in_json(world: ApiWorld, value: Any) -> None:
    owner = world.owner()
    for format_, format_class in FORMATS.items():
        for name in (*format_class.parameters, "colour"):
            parameters = {name: value}
            if name in ("low", "high") and value in (-1, 1.5):
                continue
            body = {"name": "A", "game": "durak", "seats": 2, "format": format_, "parameters": parameters}
            answer = owner("POST", "/v1/ladders", body)
            assert answer.status_code in (201, 422), answer.text
            if answer.status_code == 422:
                assert json.dumps(value) in answer.json["detail"]


@pytest.mark.parametrize("value", VALUES, ids=json.dumps)
@pytest.mark.parametrize(
    "field",
    ["game", "seats", "deals", "dealer", "clock", "rated", "decks", "format", "repeats", "name", "state"],
)
def test_a_field_of_a_wrong_type_is_refused_without_python(world: ApiWorld, field: str, value: Any) -> None:
    owner = world.owner()
    match = {"game": "durak", "seats": ["house/random", "house/greedy"], field: value}
    ladder = {"name": "A", "game": "durak", "seats": 2, field: value}
    for path, body in (
        ("/v1/matches", match),
        ("/v1/ladders", ladder),
        ("/v1/bots", {"name": "ab", field: value}),
    ):
        answer = owner("POST", path, body)
        assert answer.status_code in (201, 404, 409, 422), answer.text


def test_a_long_value_is_cut(world: ApiWorld) -> None:
    body = {"game": "durak", "seats": ["house/random", "house/greedy"], "options": {"attackers": "r" * 5000}}
    problem = refused(world.owner()("POST", "/v1/matches", body), 422, "bad_table")
    assert len(problem["detail"]) < 600
    assert "…" in problem["detail"]
