"""A law over the contract: the service accepts every value that the document allows for a parameter of the query.

The values come from the document's own schemas: both bounds of a range and numbers between them in every spelling,
each value of an enumeration, texts of the least and the greatest length, texts that match a pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from api.app import create_app
from api.contract import spec
from api.services import Services
from tests.api.conftest import ApiWorld, Person
from tests.api.contract import inlined

Json = dict[str, Any]

DOCUMENT: Json = spec.openapi(create_app(Services.of_the_document()))
UNKNOWN = frozenset(
    {
        "bad_cursor",
        "no_such_bot",
        "no_such_game",
        "no_such_ladder",
        "no_such_match",
        "no_such_preset",
        "no_such_season",
        "record_not_ready",
        "stale_turn",
    }
)
"""How the service refuses a value of the right form that names nothing it knows."""
INSTANTS = (
    "2026-11-21T18:00:00Z",
    "2026-11-21T18:00:00.123456789Z",
    "2026-11-21T18:00:00.5+03:00",
    "1999-12-31T23:59:59-11:30",
)


def resolved(schema: Json) -> Json:
    """Return the schema that a reference stands for, or the schema itself."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return DOCUMENT["components"]["schemas"][name] if name else schema


def documented() -> Iterator[Any]:
    """Return every query parameter with its operation."""
    for path, item in inlined(DOCUMENT).items():
        for method, operation in item.items():
            for parameter in [] if method == "parameters" else operation.get("parameters", []):
                if parameter["in"] == "query":
                    schema = resolved(parameter["schema"])
                    yield pytest.param(
                        operation,
                        path,
                        {**parameter, "schema": schema},
                        id=f"{method} {path} {parameter['name']}",
                    )


PARAMETERS = list(documented())


def values(schema: Json) -> st.SearchStrategy[str]:
    """Return texts of values that the schema allows."""
    kind = schema["type"]
    if kind == "integer":
        low, high = schema["minimum"], schema["maximum"]
        return st.sampled_from([low, high]).map(str) | st.integers(low, high).map(str)
    if kind == "number":
        low, high = schema["minimum"], schema["maximum"]
        between = st.floats(low, high, allow_subnormal=False)
        spelled = st.sampled_from([str(low), str(high), "0.4738214790123456789", "1e-3", "1E0", "12e-1"])
        return spelled | between.map(repr) | between.map("{:.17f}".format)
    if kind == "boolean":
        return st.sampled_from(["true", "false"])
    assert kind == "string", f"a parameter of the query can't be {kind}"
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("format") == "date-time":
        return st.sampled_from(INSTANTS)
    if "pattern" in schema:
        least, most = schema.get("minLength", 0), schema.get("maxLength", 10**6)
        found = st.from_regex(schema["pattern"].replace("$", r"\Z"))
        return found.filter(lambda text: least <= len(text) <= most)
    letters = st.characters(codec="utf-8", exclude_characters="\x00")
    return st.text(letters, min_size=schema.get("minLength", 0), max_size=schema["maxLength"])


@pytest.fixture
def people(world: ApiWorld) -> dict[str, Any]:
    """Return a client for each scope, and values for the path parameters."""
    owner = world.owner()
    bot = world.bot(owner)
    world.match(bot)
    turn = world.turn(bot)
    ladder = owner("POST", "/v1/ladders", {"name": "A", "game": "durak", "seats": 2, "format": "knock_out"})
    (their, name) = bot.name.split("/")
    return {
        "match": turn["match"],
        "ladder": ladder.json["id"],
        "other_owner": "house",
        "other": "greedy",
        "owner": their,
        "bot": name,
        "tokens": {"play": bot, "admin": world.admin()},
        "else": owner,
    }


@pytest.mark.parametrize(("operation", "path", "parameter"), PARAMETERS)
@settings(
    max_examples=8,
    phases=[Phase.generate],
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_every_documented_value_of_a_parameter_is_accepted(
    world: ApiWorld, people: dict[str, Any], operation: Json, path: str, parameter: Json, data: st.DataObject
) -> None:
    schema = parameter["schema"]
    if parameter["name"] == "wait":
        schema = {**schema, "maximum": world.services.limits.max_wait_s}
    query = {
        each["name"]: each["schema"]["example"]
        for each in operation["parameters"]
        if each["in"] == "query" and each.get("required")
    }
    query[parameter["name"]] = data.draw(values(schema))
    tokens = people["tokens"]
    # An owner reads the log of one of its ladders alone.
    scope = "admin" if path == "/v1/audit" else operation.get("x-scope")
    who: Person = tokens.get(scope, people["else"])
    stale = {} if path == "/v1/turns" else {"turn": 10**6, "move": "take"}
    where = path.format_map({key: value for key, value in people.items() if isinstance(value, str)})
    body = {"method": "POST", "body": stale} if "requestBody" in operation else {"method": "GET"}
    answer = who(path=f"{where}?{urlencode(query)}", **body)
    refused = answer.json.get("errors", {}) if answer.is_json else {}
    assert parameter["name"] not in refused, (query, answer.text)
    assert answer.status_code == 200 or answer.json["code"] in UNKNOWN, (query, answer.text)
