"""Commands report at once that no service listens at the given address, or something else than this Kozyr."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import Result
from werkzeug import Request, Response

from api.problems import Problem
from kozyr_client import http
from tests.support.answering import answering
from tests.support.command_line import home, kozyr

__all__ = ["home"]

Run = Callable[[str], Result]
COMMANDS = (
    ("check", "{url}"),
    ("export", "{url}", "--out", "{folder}/records.ndjson"),
    ("ladder", "list", "--url", "{url}"),
    ("ladder", "show", "l1", "--url", "{url}"),
    ("verify", "{url}"),
)
OTHERS = (
    *COMMANDS[:-1],
    ("register", "{url}", "example"),
    ("login", "{url}"),
    ("bot", "list", "--url", "{url}"),
    ("bot", "show", "house/greedy", "--url", "{url}"),
    ("token", "list", "--url", "{url}"),
    ("match", "list", "--url", "{url}"),
    ("match", "show", "m1", "--url", "{url}"),
    ("match", "create", "a/b", "-", "--url", "{url}"),
    ("challenge", "house/greedy", "--url", "{url}"),
    ("compare", "a/b", "a/c", "--game", "durak", "--url", "{url}"),
    ("watch", "m1", "--url", "{url}"),
    ("connect", "{url}", "--", sys.executable),
)


READERS = tuple((each, "{url}/v1/records") for each in ("verify", "replay", "view", "review"))
"""The commands that read the records of a service."""


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Run:
    """A function that runs the command of this test at an address. It must not wait for a service."""

    def pause(*_: Any) -> float:
        raise AssertionError("the command waits for a service that was never there")

    monkeypatch.setattr(http.Backoff, "pause", pause)
    monkeypatch.setenv("KOZYR_TOKEN", "t")
    words = request.node.callspec.params["words"]
    return lambda url: kozyr(*(word.format(url=url, folder=home) for word in words))


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_an_unreachable_service_is_reported_without_a_retry(words: tuple[str, ...], run: Run) -> None:
    with socket.socket() as bound:
        # Bound and not listening: connections are refused, and nobody else gets the port meanwhile.
        bound.bind(("127.0.0.1", 0))
        done = run(f"http://127.0.0.1:{bound.getsockname()[1]}")
    assert done.exit_code == 2, (done.output, done.exception)
    assert "refused" in done.stderr


def refusing_all(request: Request) -> Response:
    """Answer as a service of this version that refuses every request."""
    if request.path == "/v1/limits":
        limits = {"version": version("kozyr"), "max_moves": 256}
        return Response(orjson.dumps(limits), mimetype="application/json")
    problem = orjson.dumps(Problem("scope_missing", "no").to_json("r"))
    return Response(problem, 403, mimetype="application/problem+json")


@pytest.mark.parametrize("words", OTHERS, ids=lambda words: " ".join(words[:2]))
def test_a_refusal_of_the_service_has_status_1(words: tuple[str, ...], run: Run) -> None:
    with answering(refusing_all) as url:
        done = run(url)
    assert done.exit_code == 1, (done.output, done.exception)
    assert done.stderr.splitlines()[0].endswith("no (scope_missing)")


ELSEWHERE = (
    ("text/html", b"<html>hello</html>", "is no Kozyr service"),
    ("application/json", b'{"hello": "world"}', "is no Kozyr service"),
    ("application/json", b'["hello"]', "is no Kozyr service"),
    ("application/json", b'{"version": "7.1.0", "max_moves": 256}', "runs Kozyr 7.1.0, and this is 0."),
)
"""What other servers answer, and the message about it."""


@pytest.mark.parametrize(
    ("words", "answer"),
    [*((words, ELSEWHERE[0]) for words in OTHERS), *((OTHERS[0], answer) for answer in ELSEWHERE[1:])],
)
def test_an_address_of_something_else_is_reported(
    words: tuple[str, ...], answer: tuple[str, bytes, str], run: Run
) -> None:
    kind, body, output = answer
    with answering(lambda _: Response(body, mimetype=kind)) as url:
        done = run(url)
    assert done.exit_code == 2, (done.output, done.exception)
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"kozyr: {url} ")
    assert output in first
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "address"),
    [
        *((words, "http://me:secret@127.0.0.1:1") for words in (*OTHERS, *READERS)),
        *((OTHERS[0], address) for address in ("ftp://me:secret@127.0.0.1:1", "me:secret@127.0.0.1:1")),
    ],
)
def test_no_message_shows_the_password_of_an_address(words: tuple[str, ...], address: str, run: Run) -> None:
    done = run(address)
    assert done.exit_code == 2, (done.output, done.exception)
    assert "secret" not in done.output
    assert "user name or a password" in done.stderr
