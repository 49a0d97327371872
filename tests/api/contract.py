"""A test client that checks every response against the OpenAPI document, and refuses undocumented fields."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from typing import Any

import orjson
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from api.contract import spec
from tests.support.strict_schemas import closed, from_yaml

PYTHON = re.compile(r"\b(True|False|None)\b|\bdict_\w+|<\w+(\.\w+)* object|(?<!\w)b?'[^']*'(?!\w)")
"""What no refusal shows: Python's names of JSON's values, and its quotes."""


def refusals(value: Any) -> Iterator[str]:
    """Yield the texts of all problems in a response that people read."""
    if isinstance(value, list):
        for each in value:
            yield from refusals(each)
    if isinstance(value, dict):
        if isinstance(value.get("code"), str) and isinstance(value.get("detail"), str):
            yield value["detail"]
            yield str(value.get("expected", ""))
            yield from (text for texts in value.get("errors", {}).values() for text in texts)
        for each in value.values():
            yield from refusals(each)


SHARED = frozenset({"responses", "parameters", "headers"})


def inlined(document: dict[str, Any]) -> dict[str, Any]:
    """Return the paths with every shared response, parameter and header inlined."""

    def resolved(part: Any) -> Any:
        if isinstance(part, dict) and "$ref" in part:
            _, _, kind, name = part["$ref"].split("/")
            return resolved(document["components"][kind][name]) if kind in SHARED else part
        if isinstance(part, dict):
            return {name: resolved(inner) for name, inner in part.items()}
        return [resolved(inner) for inner in part] if isinstance(part, list) else part

    paths: dict[str, Any] = resolved(document["paths"])
    return paths


def unpacked(answer: Any) -> bytes:
    """Return the body of a response without its coding."""
    coding, body = answer.headers.get("Content-Encoding"), bytes(answer.data)
    return body if coding is None else gzip.decompress(body)


class ApiContract:
    """The document of an application."""

    def __init__(self, app: Flask) -> None:
        self.document = spec.openapi(app)
        self._app = app
        self._components = {"schemas": closed(self.document["components"]["schemas"])}
        self._validators: dict[int, tuple[dict[str, Any], Draft202012Validator]] = {}

    @classmethod
    def of(cls, app: Flask) -> ApiContract:
        """Return the document of this application, or the same of one with the same limits."""
        services = app.extensions["kozyr-services"]
        key = repr(services.limits), services.path_prefix
        if key not in _CONTRACTS:
            _CONTRACTS[key] = cls(app)
        return _CONTRACTS[key]

    def strict(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema with everything it refers to; it refuses fields that the document does not list."""
        return {**closed(schema), "components": self._components}

    def errors(self, schema: dict[str, Any], value: Any) -> list[str]:
        """Return what is wrong with a value. Fields that the document does not list are errors."""
        if id(schema) not in self._validators:
            self._validators[id(schema)] = schema, Draft202012Validator(self.strict(schema))
        _, validator = self._validators[id(schema)]
        return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]

    def resolved(self, part: dict[str, Any]) -> dict[str, Any]:
        """Return the part that a reference stands for, or the part itself."""
        while "$ref" in part:
            _, _, kind, name = part["$ref"].split("/")
            part = self.document["components"][kind][name]
        return part

    def check(self, method: str, path: str, answer: TestResponse) -> None:
        """Check that status, content type and body are documented for this operation."""
        operation = self._operation(method, path)
        if operation is None:
            return
        where = f"{method} {path} -> {answer.status_code}"
        response = operation["responses"].get(str(answer.status_code))
        assert response is not None, f"{where} is not documented: {answer.text}"
        response = self.resolved(response)
        content = response.get("content", {})
        if not content:
            assert not answer.data, where
            return
        assert answer.mimetype in content, f"{where}: {answer.mimetype} is not documented"
        schema = content[answer.mimetype]["schema"]
        body = unpacked(answer)
        if answer.mimetype.endswith("yaml"):
            values = [from_yaml(body)]
        elif answer.mimetype.endswith("/json") or answer.mimetype.endswith("+json"):
            values = [orjson.loads(body)]
        elif schema.get("format") == "binary":
            return
        elif answer.mimetype.endswith("ndjson"):
            values = [orjson.loads(line) for line in body.splitlines()]
        else:
            values = [body.decode()]
        for value in values:
            wrong = self.errors(schema, value)
            assert not wrong, f"{where}: {wrong[:3]}"
            for text in refusals(value):
                assert PYTHON.search(text) is None, f"{where} shows Python: {text}"

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        adapter = self._app.url_map.bind("localhost")
        try:
            rule, _ = adapter.match(path, method=method, return_rule=True)
        except Exception:
            return None
        template = re.sub(r"<(?:[^>]*:)?(\w+)>", r"{\1}", rule.rule)
        found: dict[str, Any] | None = self.document["paths"].get(template, {}).get(method.lower())
        return found


_CONTRACTS: dict[Any, ApiContract] = {}


class CheckedClient(FlaskClient):
    """Checks every response against the document."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        """Send a request and check the response."""
        answer = super().open(*args, **kwargs)
        ApiContract.of(self.application).check(answer.request.method, answer.request.path, answer)
        return answer
