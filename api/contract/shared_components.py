"""Move equal responses, parameters and headers of an OpenAPI document into its components."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from api.problems import PROBLEM_JSON

Json = dict[str, Any]

METHODS: Final = ("get", "put", "post", "delete", "patch")


def share_components(document: Json) -> None:
    """Replace responses, parameters and headers that occur more than once by references into `components`.

    Changes `document` in place and loses nothing: resolving the references gives the document as it was. Names follow
    from the content (`RateLimitedResponse`, `WaitParameter`), so the same document always gets the same names. Each
    kind has a suffix, since generators of code put all components into one namespace.
    """
    components = document["components"]
    operations = list(_operations(document["paths"]))
    headers = _Shared("headers", components)
    for operation in operations:
        for response in operation["responses"].values():
            for name, header in response.get("headers", {}).items():
                headers.count(header, name)
    for operation in operations:
        for response in operation["responses"].values():
            if "headers" in response:
                response["headers"] = {
                    name: headers.reference(header) for name, header in response["headers"].items()
                }
    responses = _Shared("responses", components)
    for operation in operations:
        for status, response in operation["responses"].items():
            responses.count(response, f"{_response_name(status, response)}Response")
    for operation in operations:
        operation["responses"] = {
            status: responses.reference(response) for status, response in operation["responses"].items()
        }
    parameters = _Shared("parameters", components)
    lists = list(_parameter_holders(document["paths"]))
    for holder in lists:
        for parameter in holder["parameters"]:
            parameters.count(parameter, _parameter_name(parameter))
    for holder in lists:
        holder["parameters"] = [parameters.reference(parameter) for parameter in holder["parameters"]]
    for shared in (headers, responses, parameters):
        shared.store()


class _Shared:
    """Counts the parts of one kind and names the shared ones."""

    def __init__(self, kind: str, components: Json) -> None:
        self._kind, self._components = kind, components
        self._counts: Counter[str] = Counter()
        self._wanted: dict[str, str] = {}
        self._parts: dict[str, Json] = {}
        self._names: dict[str, str] | None = None

    def count(self, part: Json, name: str) -> None:
        """Count one occurrence of `part`, whose preferred name is `name`."""
        if "$ref" not in part:
            key = _key(part)
            self._counts[key] += 1
            self._wanted.setdefault(key, name)
            self._parts[key] = part

    def reference(self, part: Json) -> Json:
        """Return the reference to `part` if it is shared, else `part` itself."""
        name = self._named().get(_key(part)) if "$ref" not in part else None
        return part if name is None else {"$ref": f"#/components/{self._kind}/{name}"}

    def store(self) -> None:
        """Put the shared parts into the components."""
        # A new dict, because the current one may be shared with other documents of this process.
        shared = {name: self._parts[key] for key, name in self._named().items()}
        self._components[self._kind] = dict(
            sorted({**self._components.get(self._kind, {}), **shared}.items())
        )

    def _named(self) -> dict[str, str]:
        if self._names is None:
            taken = set(self._components.get(self._kind, {}))
            self._names = {}
            for key in sorted(key for key, count in self._counts.items() if count > 1):
                name, number = self._wanted[key], 1
                while name in taken:
                    number += 1
                    name = f"{self._wanted[key]}{number}"
                taken.add(name)
                self._names[key] = name
        return self._names


def _operations(paths: Mapping[str, Json]) -> Iterator[Json]:
    for item in paths.values():
        for method in METHODS:
            if method in item:
                yield item[method]


def _parameter_holders(paths: Mapping[str, Json]) -> Iterator[Json]:
    for item in paths.values():
        for holder in (item, *(item[method] for method in METHODS if method in item)):
            if "parameters" in holder:
                yield holder


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
    if "$ref" in response:
        return ""
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


def _key(part: Json) -> str:
    return json.dumps(part, sort_keys=True)
