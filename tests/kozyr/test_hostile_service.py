"""No answer and no refusal of a service can steer the terminal of a command."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from werkzeug import Request, Response

from kozyr.cli.main import main
from kozyr_client import http
from tests.kozyr.test_dead_address import OTHERS
from tests.kozyr.test_terminal import HOSTILE, steers, take_for
from tests.support.answering import answering
from tests.support.command_line import home, kozyr
from tests.support.commands import leaves
from tests.support.live import ROOT

__all__ = ["home"]

_SERVER: Final = "api archive backup clock data demo healthy openapi redis restore settings up worker"
_OPERATORS: Final = "admin announce audit disable drain enable pause rerun resume void"
_FILES: Final = "bench endings new-bot play points profile rate"
LOCAL: Final = frozenset(f"{_SERVER} {_OPERATORS} {_FILES}".split())
"""Commands that call no service over HTTP. `points` and `rate` read it as `verify` does."""
REQUESTS: Final = 20
"""The service refuses everything after this number of requests, so that every command ends."""
EVENT: Final = json.dumps(
    {"type": HOSTILE, "timestamp": HOSTILE, "data": {"match": HOSTILE, "id": HOSTILE, "ladder": HOSTILE}}
).encode()
PROBLEM: Final = {
    "title": HOSTILE,
    "detail": "owned" + HOSTILE,
    "code": "c" + HOSTILE,
    "type": "/docs/problems#c" + HOSTILE,
    "status": 403,
    "errors": {HOSTILE: [HOSTILE]},
}
AT: Final = ("--url", "{url}")
COMMANDS: Final = (
    *OTHERS,
    ("check", "{url}", "--", sys.executable, "-c", ""),
    ("compare", "a/b", "a/c", "--game", "durak", "--sprt", "0,1", *AT),
    ("challenge", "house/greedy", "--watch", *AT),
    ("challenge", "house/greedy", *AT, "--", sys.executable, "-c", ""),
    ("connect", "{url}", "--find", "durak", "--", sys.executable, "-c", "print(1)"),
    ("mcp", "{url}"),
    ("watch", *AT),
    ("ladder", "watch", "l1", "--every", "0.2", *AT),
    ("ladder", "watch", "l1", "--every", "0.2", "--round", *AT),
    *(("ladder", each, "l1", *AT) for each in ("audit", "bracket", "seasons", "show", "start", "state")),
    ("ladder", "create", "l", "--game", "durak", *AT),
    ("ladder", "change", "l1", "--name", "l", *AT),
    ("ladder", "access", "l1", *AT),
    ("ladder", "names", "l1", *AT),
    ("ladder", "access", "l1", "ban", "o1", *AT),
    ("ladder", "void", "m1", "--reason", "r", *AT),
    ("ladder", "rerun", "m1", "--reason", "r", *AT),
    ("ladder", "freeze", "l1", *AT),
    ("ladder", "release", "l1", *AT),
    ("ladder", "export", "l1", *AT),
    ("ladder", "import", str(Path(__file__).parents[2] / "clients/typescript/package.json"), *AT),
    ("ladder", "correct", "l1", "disqualify", "a/b", "--reason", "r", *AT),
    ("ladder", "results", "l1", "--season", "1", *AT),
    ("ladder", "enter", "l1", "a/b", *AT),
    ("ladder", "withdraw", "l1", "a/b", *AT),
    ("ladder", "state", "l1", "closed", *AT),
    ("match", "join", "m1", *AT),
    ("match", "resign", "m1", *AT),
    ("bot", "create", "b", *AT),
    ("bot", "set", "a/b", "--version", "2", *AT),
    ("rename", "b", *AT),
    ("real-name", *AT),
    ("token", "create", *AT),
    ("token", "show", *AT),
    ("token", "rotate", *AT),
    ("token", "revoke", "t1", *AT),
    *((each, "{url}/v1/matches/m1/record") for each in ("verify", "replay", "view", "review")),
    ("verify", "{url}/v1/records"),
)

CASES: Final[Mapping[str, tuple[int | None, str, tuple[str, ...]]]] = {
    "first words": (0, "pipe", ()),
    "first words as JSON": (0, "terminal", ("--json",)),
    "last words": (-1, "terminal", ()),
    "no words": (None, "terminal", ()),
    "no words as JSON": (None, "pipe", ("--json",)),
    "refusals": (0, "terminal", ()),
    "refusals in a pipe": (0, "pipe", ()),
}
"""The index of the value in each enumeration, what the output is taken for, and an option."""


@cache
def contract() -> dict[str, Any]:
    document: dict[str, Any] = yaml.load((ROOT / "openapi.yaml").read_text(), yaml.CSafeLoader)
    return document


def found(part: Any) -> Any:
    """Return a part of the contract, or what its reference names."""
    while "$ref" in part:
        name = part["$ref"]
        part = contract()
        for step in name.removeprefix("#/").split("/"):
            part = part[step]
    return part


def made(schema: Mapping[str, Any], *, words: int | None) -> Any:
    """Return a value of a schema with hostile strings. `words` is the index of the value in each enumeration."""
    schema = found(schema)
    for each in ("oneOf", "anyOf"):
        if each in schema:
            return made(schema[each][0], words=words)
    merged = dict(schema)
    for each in schema.get("allOf", ()):
        merged = {**found(each), **merged}
    kind = schema_kind(merged)
    if kind == "object":
        members = {name: made(each, words=words) for name, each in merged.get("properties", {}).items()}
        more = merged.get("additionalProperties")
        return members | ({"k" + HOSTILE: made(more, words=words)} if isinstance(more, dict) else {})
    if kind == "array":
        return [made(merged.get("items", {"type": "string"}), words=words)] * max(
            1, merged.get("minItems", 1)
        )
    if kind in ("integer", "number"):
        return merged.get("minimum", 1)
    if kind == "boolean":
        return words == -1
    if words is not None and ("enum" in merged or "const" in merged):
        return merged.get("const") or merged["enum"][words]
    if words is not None and merged.get("format") == "date-time":
        return "2026-01-02T03:04:05Z"
    return "owned" + HOSTILE


def schema_kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return kind if isinstance(kind, str) else kind[0]


def answer(method: str, path: str, *, words: int | None) -> tuple[int, str, Any]:
    """Return status, content type and document of a successful response."""
    for pattern, operations in contract()["paths"].items():
        if method in operations and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path):
            status = next(each for each in operations[method]["responses"] if each.startswith("2"))
            content = found(operations[method]["responses"][status]).get("content", {})
            kind = next(iter(content), "")
            document = made(content[kind]["schema"], words=words) if kind else None
            return int(status), kind, document
    return 404, "text/plain", None


class HostileService:
    """Answers by the contract, with hostile strings, until it has answered `left` requests."""

    def __init__(self, key: str = "0" * 64) -> None:
        self.url, self.left, self.key = "", REQUESTS, key
        self.words: int | None = 0

    def __call__(self, request: Request) -> Response:
        status, kind, document = answer(request.method.lower(), request.path, words=self.words)
        self.left -= 1
        if self.left < 0 and request.path != "/v1/limits":
            status, kind, document = 403, "application/problem+json", PROBLEM
        if request.path == "/v1/limits":
            document |= {"version": "0.1.0" + HOSTILE, "max_moves": 256, "max_wait_s": 25}
        if request.path == "/v1/keys":
            document = {"keys": [{"key": self.key}], "records": 1}
        body = b"" if document is None else json.dumps(document).encode() + b"\n"
        if kind == "text/event-stream":
            body = b"retry: 1\nid: 1\ndata: %s\n\n" % EVENT
        return Response(body, status, content_type=kind)


@pytest.fixture(scope="module")
def hostile() -> Iterator[HostileService]:
    """A hostile service."""
    service = HostileService()
    with answering(service) as service.url:
        yield service


def test_every_command_that_calls_a_service_is_tried() -> None:
    tried = {words[:size] for words in COMMANDS for size in (1, 2)}
    assert {words for words, _ in leaves(main.commands) if words[0] not in LOCAL} <= tried


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:4]))
def test_an_answer_cannot_steer_the_terminal(
    words: tuple[str, ...],
    case: str,
    hostile: HostileService,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def pause(_: http.Backoff, failure: http.RetryLater) -> float:
        raise failure.error

    monkeypatch.setattr(http.Backoff, "pause", pause)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    hostile.words, output, more = CASES[case]
    take_for(output, monkeypatch)
    refuses = case.startswith("refusals")
    hostile.left = 0 if refuses else REQUESTS
    at = words.index("--") if "--" in words else len(words)
    given = [word.format(url=hostile.url, folder=home) for word in (*words[:at], *more)]
    done = kozyr(*given, *words[at:], env={"KOZYR_TOKEN": "t"})
    assert not steers(done.output), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "owned" in done.output or not refuses


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_published_key_names_no_file(command: str, tmp_path: Path) -> None:
    mine = tmp_path / "key"
    mine.write_text("0" * 64)
    with answering(HostileService(str(mine))) as url:
        done = kozyr(command, f"{url}/v1/records")
    assert done.exit_code == 2, (done.output, done.exception)
    assert "publishes a malformed key" in done.stderr
