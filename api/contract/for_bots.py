"""The OpenAPI document for bots: a player's operations and their schemas.

A converter to tools of language models makes ten of it, which fit into a model's context.
"""

from __future__ import annotations

from typing import Final

from api.contract.describe import PLAYER
from api.contract.shared_components import reachable
from api.problems import PROBLEM_JSON
from api.schemas.common import Json, ref

DESCRIPTION: Final = """\
What a bot needs to play, out of `/openapi.yaml`, which holds every operation and every refusal.

Find a game with `POST /v1/queue`, or create a match with `POST /v1/matches`. Then ask for turns with
`GET /v1/turns?wait=25`, and answer each with one of its `legal_moves`, unchanged, and the number of the turn. Repeat a
request whose response was lost: a move is made once. `POST /v1/turns` sends moves and gets turns in one request.

Cards are rank and suit: `6H`, `TD`. Seats are numbered from 0. Durations are in milliseconds unless the name ends in
`_s`. Refusals are problem documents with a `code`; a refused request has changed nothing.
"""
_REFUSAL: Final[Json] = {
    "description": "A refusal. Its `code` says why, and `retryable` whether to send the same request again",
    "content": {PROBLEM_JSON: {"schema": ref("Problem")}},
}


def bot_document(document: Json) -> Json:
    """Return the part of the whole document that a bot needs. It shares the parts that it keeps."""
    paths = {
        path: {method: _operation(part) if method != "parameters" else part for method, part in item.items()}
        for path, item in ((path, _of_player(item)) for path, item in document["paths"].items())
        if item.keys() - {"parameters"}
    }
    components = {**document["components"]}
    components["responses"] = {**components["responses"], "Refusal": _REFUSAL}
    return {
        **document,
        "info": {**document["info"], "description": DESCRIPTION},
        "tags": [tag for tag in document["tags"] if tag["name"] == PLAYER],
        "paths": paths,
        "components": _components(paths, components),
    }


def _of_player(item: Json) -> Json:
    return {method: part for method, part in item.items() if method == "parameters" or PLAYER in part["tags"]}


def _operation(operation: Json) -> Json:
    kept = {status: answer for status, answer in operation["responses"].items() if status < "4"}
    refusal = {"$ref": "#/components/responses/Refusal"}
    return {**operation, "tags": [PLAYER], "responses": {**kept, "4XX": refusal, "5XX": refusal}}


def _components(paths: Json, components: Json) -> Json:
    """Return the components to which paths refer, directly or through others."""
    names = reachable(paths, components)
    kept = {
        kind: {name: part for name, part in parts.items() if (kind, name) in names}
        for kind, parts in components.items()
    }
    return {
        **{kind: parts for kind, parts in kept.items() if parts},
        "securitySchemes": components["securitySchemes"],
    }
