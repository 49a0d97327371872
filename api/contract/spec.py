"""The OpenAPI document, from the descriptions of handlers and the schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

from api.contract import observations
from api.contract.describe import PLAYER, header, problem_example, problems_response
from api.contract.examples import examples
from api.contract.for_bots import bot_document
from api.contract.shared_components import operations_of, reachable, share_components
from api.problems import KINDS
from api.schemas import accounts, checks, common, frames, matches, queue, service, turns
from api.schemas.common import Json, Strict, either, ref
from api.schemas.league import ladders, schedules
from api.schemas.responses import components
from api.services import Limits
from engine.registry import GAMES

DESCRIPTION: Final = """\
A league server for bots that play Russian card games with hidden hands.

**To play**

1. Create an owner: `POST /v1/owners`.
2. Create a bot with the owner's token: `POST /v1/bots`. Use the bot's token from here on.
3. Create a match: `POST /v1/matches`, for example against `house/random`.
4. Get your turns: `GET /v1/turns?wait=25`. This is also how a bot shows up for a match.
5. Each turn lists its `legal_moves`. Send one of them unchanged, with the number of the turn:
   `POST /v1/matches/{match}/moves`.
6. Repeat from 4 with the `since` of the last response until the match is listed in `finished`.

`POST /v1/turns` does steps 4 and 5 in one request, for any number of matches.

**Cards** are written rank first, then suit: `6H`, `TD`, `AS` (ranks 2 to 9, T, J, Q, K, A; suits C, D, H, S). Seats
are numbered from 0 in the order of play.

**Free moves** (`exchange` in Durak) answer no turn. `free_moves` lists those that you may make now. Send one with the
deal, `{"deal": 1, "move": "exchange"}`; with `turn` it is refused. If you have an open turn, its number is withdrawn,
and a new turn with a new number follows. The clock keeps running.

**A move is made exactly once.** After a lost response or a 503, send the same request again. You get the first result,
with `replayed: true`.

**Refusals** are RFC 9457 problem documents with a `code`. A refused request has changed nothing. Unknown fields and
parameters are refused. The `default` response of each operation lists the problems that any request can meet. A
malformed HTTP request, or a request line or header field over 8190 bytes, is also refused with a problem document (400,
414 or 431).

**Records are public.** The records of finished matches and the monthly dumps (`GET /v1/dumps`) are published under
CC0-1.0, with the names of bots and their notes on moves. By registering an owner you agree.

Durations are in milliseconds unless the name ends in `_s`. Instants are RFC 3339 in UTC. Lists are paged by cursors:
send the `cursor` of one response, with the same filters, to get the next page.
"""
INFO: Final = {
    "description": DESCRIPTION,
    "license": {"name": "MIT", "identifier": "MIT"},
    "contact": {"name": "The Kozyr developers"},
}
SERVERS: Final[list[Json]] = [
    {"url": "/", "description": "The service that serves this document"},
    {"url": "http://127.0.0.1:8000", "description": "A service started with `make run`"},
]
_PATH: Final[dict[str, Json]] = {
    name: {"description": description, "schema": {"type": "string", "minLength": 1}}
    for name, description in {
        "match": "A match's id",
        "owner": "The owner's name",
        "bot": "The bot's name",
        "other_owner": "The other bot's owner",
        "other": "The other bot's name",
        "game": "The game's id",
        "group": "A duplicate group's id",
        "token": "A token's id, not its text",
        "ladder": "A ladder's id",
        "webhook": "A webhook's id",
        "message": "A message's id",
        "month": "A month, as in `2026-11`",
        "file": "The name of a file",
    }.items()
} | {
    "action": {
        "description": "The action",
        "schema": {"type": "string", "enum": ["pause", "drain", "resume"]},
    },
    "change": {"description": "The change", "schema": {"type": "string", "enum": ["disable", "enable"]}},
    "number": {
        "description": "The number of a round or a season",
        "schema": {"type": "integer", "minimum": 1},
    },
}
_NAMED: Final = {"status": "MatchStatus", "result": "Ending"}
"""The components that query parameters share with bodies."""
ANYWHERE: Final = ("bad_request", "method_not_allowed", "wrong_host", "internal_error")
"""The problems that any request can meet, documented as the `default` response of every operation."""
_BEARER: Final = (
    "The token of an owner or a bot, as `Authorization: Bearer kozyr_…`. `x-scope` names the scope that an "
    "operation requires. Owners' tokens have `challenge`, `read` and `league`; bots' `play`, `challenge` and `read`."
)
_HEADERS: Final[Json] = {
    "X-Request-Id": header("Identifies this request in the service's logs"),
    "RateLimit-Policy": header(
        "The limit that this request counts against: `q` requests in `w` seconds",
        {"type": "string", "examples": ['"requests";q=3000;w=60']},
    ),
    "RateLimit": header(
        "The requests left (`r`) and the seconds until the window ends (`t`)",
        {"type": "string", "examples": ['"requests";r=2991;t=42']},
    ),
}


@cache
def component_schemas() -> dict[str, Json]:
    """Return the schemas of all components that no request has. The modules of all resources must be imported."""
    return {
        **common.COMPONENTS,
        **components(),
        "GameId": {"type": "string", "enum": list(GAMES), "description": "A game's id"},
        **accounts.COMPONENTS,
        **checks.COMPONENTS,
        **ladders.COMPONENTS,
        **schedules.COMPONENTS,
        **matches.COMPONENTS,
        **queue.COMPONENTS,
        **frames.COMPONENTS,
        **turns.COMPONENTS,
        **service.COMPONENTS,
        **observations.observation_schemas(),
        "Options": observations.options_schema(),
        "Move": {"oneOf": [ref("TurnMove"), ref("FreeMove")]},
        "MatchMove": {"oneOf": [ref("MatchTurnMove"), ref("MatchFreeMove")]},
    }


def openapi(app: Flask) -> dict[str, Any]:
    """Return the document of this application, with its limits."""
    made: dict[str, Any] | None = app.extensions.get("kozyr-openapi")
    if made is None:
        made = app.extensions["kozyr-openapi"] = _made(app)
    return made


def openapi_texts(app: Flask) -> dict[str, str]:
    """Return the document as YAML, and the one for bots, by the names of their files."""
    document = openapi(app)
    return {"openapi.yaml": _yaml(document), "openapi-bot.yaml": _yaml(bot_document(document))}


def _yaml(document: Json) -> str:
    text: str = yaml.dump(document, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=110)
    return text


_ONE_LINE: Final = 100
"""The longest mapping or list, as JSON, that the YAML shows on one line."""


class _Plain(yaml.SafeDumper):
    """YAML without anchors, with short mappings and lists on one line."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write out every value."""
        return True


def _text(dumper: _Plain, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _mapping(dumper: _Plain, data: Json) -> yaml.MappingNode:
    node = dumper.represent_mapping("tag:yaml.org,2002:map", data)
    node.flow_style = _is_short(data)
    return node


def _sequence(dumper: _Plain, data: list[Any]) -> yaml.SequenceNode:
    node = dumper.represent_sequence("tag:yaml.org,2002:seq", data)
    node.flow_style = _is_short(data) or all(isinstance(each, str | int) for each in data)
    return node


def _is_short(data: Any) -> bool:
    written = json.dumps(data, ensure_ascii=False)
    return len(written) <= _ONE_LINE and "\\n" not in written


_Plain.add_representer(str, _text)
_Plain.add_representer(dict, _mapping)
_Plain.add_representer(list, _sequence)


def _gathered(app: Flask, version: str) -> dict[str, Any]:
    """Return the paths, tags and schemas of the application's blueprints."""
    spec = APISpec("Kozyr", version, "3.1.0", [MarshmallowPlugin()], info=INFO)
    for blueprint in app.blueprints.values():
        # Those of `api.blueprint`, which imports this package.
        if documented := getattr(blueprint, "documented", []):
            spec.tag({"name": blueprint.name, "description": getattr(blueprint, "description", "")})
            for route, handler in documented:
                path = re.sub(r"<(?:[^>:]+:)?(\w+)>", r"{\1}", route.rule)
                parameters = [{"in": "path", "name": name} for name in re.findall(r"{(\w+)}", path)]
                operations = {route.method.lower(): route.document(handler, blueprint.name)}
                spec.path(path, operations=operations, parameters=parameters)
    spec.tag({"name": PLAYER, "description": "What a bot needs to play."})
    gathered: dict[str, Any] = spec.to_dict()
    return gathered


def _made(app: Flask) -> dict[str, Any]:
    limits: Limits = app.extensions["kozyr-services"].limits
    document = _gathered(app, limits.version)
    schemas = document["components"]["schemas"]
    duplicates = schemas.keys() & component_schemas()
    assert not duplicates, f"two components have the name {duplicates}"
    schemas.update(component_schemas())
    for name in ("NewMatch", "NewGroup", "NewLadder", "JoinQueue"):
        schemas[name]["properties"]["options"] = ref("Options")
        schemas[name]["properties"]["game"] = ref("GameId", "As in `GET /v1/games`")
    for name in ("NewLadder", "LadderChange", "LadderSettings"):
        schemas[name]["properties"]["season_schedule"] = either(
            "Schedule", "When seasons end and the next begin. Null: only by hand"
        )
    schemas["NewToken"]["properties"]["scopes"]["items"] = ref("Scope")
    schemas["LadderChange"]["properties"]["state"] = ref("LadderState")
    schemas["MoveBatch"] = turns.move_batch(limits.max_moves, limits.max_wait_s)
    for request in _request_schemas(Strict):
        schemas.get(request.__name__.removesuffix("Schema"), {}).setdefault("description", request.__doc__)
    document["components"] = {
        "schemas": dict(sorted(schemas.items())),
        "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": _BEARER}},
        "headers": _HEADERS,
        "examples": {code: {"value": problem_example(code)} for code in KINDS},
        "responses": {"UnexpectedProblem": _response(problems_response(ANYWHERE))},
    }
    prefix = app.extensions["kozyr-services"].path_prefix
    document["servers"] = [{**SERVERS[0], "url": prefix}, *SERVERS[1:]] if prefix else SERVERS
    document["paths"] = dict(sorted(document["paths"].items()))
    for holder in (*document["paths"].values(), *operations_of(document["paths"])):
        for parameter in holder.get("parameters", []):
            _parameter(parameter, limits)
    for operation in operations_of(document["paths"]):
        responses = sorted(operation["responses"].items())
        unexpected = {"default": {"$ref": "#/components/responses/UnexpectedProblem"}}
        operation["responses"] = {str(status): _response(each) for status, each in responses} | unexpected
    document["components"]["examples"].update(_illustrate(document["paths"]))
    bodies = [each["requestBody"] for each in operations_of(document["paths"]) if "requestBody" in each]
    for kind, name in reachable(bodies, document["components"]):
        if kind == "schemas":
            _describe_defaults(schemas[name])
    share_components(document)
    ordered = ("openapi", "info", "servers", "tags", "paths", "components")
    return {name: document[name] for name in ordered if name in document}


def _request_schemas(schema: type[Strict]) -> Iterator[type[Strict]]:
    for subclass in schema.__subclasses__():
        yield subclass
        yield from _request_schemas(subclass)


def _describe_defaults(schema: Json) -> None:
    """Move the defaults of a request's fields into their descriptions.

    Type generators treat a field with a `default` as always present, and would require clients to send it.
    """
    for field in schema.get("properties", {}).values():
        value = field.pop("default", None)
        if value not in (None, "", {}, []):
            written = value if isinstance(value, str) else json.dumps(value)
            field["description"] = f"{field['description'].rstrip('.')}. Default: `{written}`"


def _illustrate(paths: dict[str, Any]) -> Json:
    """Refer each body to the example of its schema. Return the examples in use by name."""
    known, used = examples(), {}
    for operation in operations_of(paths):
        bodies = [*operation["responses"].values(), operation.get("requestBody", {})]
        for content in [kind for body in bodies for kind in body.get("content", {}).values()]:
            name = content["schema"].get("$ref", "").rpartition("/")[2]
            if name in known and "examples" not in content:
                content["examples"] = {name: {"$ref": f"#/components/examples/{name}Example"}}
                used[f"{name}Example"] = {"value": known[name]}
    return dict(sorted(used.items()))


def _parameter(parameter: dict[str, Any], limits: Limits) -> None:
    if parameter["in"] == "path":
        parameter.update(_PATH[parameter["name"]])
    elif parameter["name"] in _NAMED:
        parameter["schema"] = ref(_NAMED[parameter["name"]])
    elif parameter["name"] == "wait":
        parameter["schema"] = {"type": "number", "minimum": 0, "maximum": limits.max_wait_s, "default": 0}


def _response(response: dict[str, Any]) -> dict[str, Any]:
    headers = {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}}
    return {**response, "headers": {**headers, **response.get("headers", {})}}
