"""The references of an OpenAPI document: its equal responses, parameters and headers become components."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import count
from typing import Any, Final

from api.problems import PROBLEM_JSON

Json = dict[str, Any]

_METHODS: Final = ("get", "put", "post", "delete", "patch")


def share_components(document: Json) -> None:
    """Replace responses, parameters and headers that occur more than once by references into `components`.

    Changes `document` in place and loses nothing: resolving the references gives the document as it was. Names follow
    from the content (`RateLimitedResponse`, `WaitParameter`), so the same document always gets the same names. Each
    kind has a suffix, since generators of code put all components into one namespace.
    """
    components, items = document["components"], document["paths"].values()
    operations = list(operations_of(document["paths"]))
    responses = [operation["responses"] for operation in operations]
    headers = [each["headers"] for found in responses for each in found.values() if "headers" in each]
    parameters = [holder["parameters"] for holder in (*items, *operations) if "parameters" in holder]
    _share("headers", components, headers, lambda name, _: name)
    _share("responses", components, responses, lambda status, each: f"{_response_name(status, each)}Response")
    _share("parameters", components, parameters, lambda _, parameter: _parameter_name(parameter))


def operations_of(paths: Mapping[str, Json]) -> Iterator[Json]:
    """Yield the operations."""
    for item in paths.values():
        yield from (operation for method, operation in item.items() if method in _METHODS)


def reachable(part: Any, components: Json) -> set[tuple[str, str]]:
    """Return the kinds and names of the components to which a part refers, directly or through others."""
    names: set[tuple[str, str]] = set()
    left = list(_references(part))
    while left:
        kind, name = left.pop()
        if (kind, name) not in names:
            names.add((kind, name))
            left += _references(components[kind][name])
    return names


def _references(part: Any) -> Iterator[tuple[str, str]]:
    if isinstance(part, dict):
        if isinstance(target := part.get("$ref"), str):
            kind, name = target.removeprefix("#/components/").split("/")
            yield kind, name
        for inner in part.values():
            yield from _references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _references(inner)


def _share(kind: str, components: Json, holders: Sequence[Any], name_of: Callable[[Any, Json], str]) -> None:
    """Move equal parts of these lists and mappings into components of this kind.

    `name_of(place, part)` returns the preferred name of a component. The place is the part's key or index.
    """
    equal: dict[str, list[tuple[Any, Any]]] = {}
    for holder in holders:
        for place in holder if isinstance(holder, dict) else range(len(holder)):
            if "$ref" not in holder[place]:
                equal.setdefault(json.dumps(holder[place], sort_keys=True), []).append((holder, place))
    # A new dict, because the current one may be shared with other documents of this process.
    shared: Json = {**components.get(kind, {})}
    for _, places in sorted(equal.items()):
        if len(places) == 1:
            continue
        holder, place = places[0]
        part, wanted = holder[place], name_of(place, holder[place])
        names = (f"{wanted}{number}" if number > 1 else wanted for number in count(1))
        name = next(each for each in names if each not in shared)
        shared[name] = part
        for holder, place in places:
            holder[place] = {"$ref": f"#/components/{kind}/{name}"}
    components[kind] = dict(sorted(shared.items()))


_TOGETHER: Final = (
    (("token_missing", "token_invalid"), "Unauthorized"),
    (("bad_json", "body_cut_short"), "MalformedBody"),
    (("wrong_content_type", "encoded_body"), "UnsupportedBody"),
    (("invalid_body", "invalid_query"), "InvalidBodyOrQuery"),
    (("invalid_header", "idempotency_key_reused"), "Key"),
    (("service_paused", "service_draining"), "NotRunning"),
    (("storage_full", "store_unavailable"), "StoreUnavailable"),
)
"""Problem codes that occur together, with the name of the group."""


def _response_name(status: str, response: Mapping[str, Any]) -> str:
    """Name a response after its schema, its content type or its problem codes (`NotFoundOrNoSuchBot`).

    `ForKey` marks the responses of operations with an `Idempotency-Key`.
    """
    codes: list[str] = []
    for kind, content in response.get("content", {}).items():
        if kind != PROBLEM_JSON:
            name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            name = name or _camel(kind.rpartition("/")[2].partition("+")[0])
            return f"{name}ForKey" if "Idempotency-Replayed" in response.get("headers", {}) else name
        codes += content.get("examples", {})
    if not codes:
        return HTTPStatus(int(status)).phrase.replace(" ", "")
    return "Or".join(_words(codes))


def _words(codes: list[str]) -> Iterator[str]:
    left, before = list(codes), ""
    while left:
        for together, name in _TOGETHER:
            if tuple(left[: len(together)]) == together:
                del left[: len(together)]
                yield name
                break
        else:
            word = _camel(left.pop(0))
            yield word.removeprefix("NoSuch") if before.startswith("NoSuch") else word
            before = word


def _parameter_name(parameter: Mapping[str, Any]) -> str:
    name = _camel(parameter["name"])
    return f"{name}InPathParameter" if parameter["in"] == "path" else f"{name}Parameter"


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.replace("-", "_").split("_"))
