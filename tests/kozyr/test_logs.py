"""Exceptions in the logs."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterator

import pytest
import structlog

from server.logs import structured as logs
from server.logs.structured import LOGGED

WORDS = "the hand 6H TD"


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restore the logging configuration of the process after the test."""
    before = structlog.get_config()
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", root.handlers)
    monkeypatch.setattr(root, "level", root.level)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    yield
    structlog.configure(**before)


def fail(words: str) -> None:
    try:
        raise KeyError(words)
    except KeyError as error:
        raise RuntimeError(f"because of {words}") from error


@pytest.mark.parametrize("library", ["structlog", "logging"])
def test_exceptions_are_logged_with_types_and_places_but_without_their_text(
    capsys: pytest.CaptureFixture[str], library: str
) -> None:
    logs.configure("info")
    try:
        fail(WORDS)
    except RuntimeError:
        if library == "structlog":
            structlog.get_logger("kozyr.test").error("it failed", exc_info=True)
        else:
            logging.getLogger("kozyr.test").exception("it failed")
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "it failed"
    assert "builtins.RuntimeError" in line["exception"]
    assert "builtins.KeyError" in line["exception"]
    assert "test_logs.py" in line["exception"]
    assert "6H" not in json.dumps(line)


@pytest.mark.parametrize("library", ["structlog", "logging"])
def test_errors_are_noted_for_the_operators_without_secrets(
    capsys: pytest.CaptureFixture[str], library: str
) -> None:
    token = "kozyr_" + "a" * 32
    logs.configure("info")
    LOGGED.send(lambda _: None)
    log = structlog.get_logger("t") if library == "structlog" else logging.getLogger("t")
    log.warning("no error")
    try:
        fail(WORDS)
    except RuntimeError:
        log.error(f"it failed with {token}", exc_info=True)
    found: list[tuple[str, str]] = []
    with pytest.raises(OSError, match="away"):
        LOGGED.send(away)
    LOGGED.send(found.extend)
    ((what, where),) = found
    assert what.startswith("it failed with")
    assert (token in what, "6H" in where) == (False, False)
    assert where.startswith("builtins.RuntimeError")
    assert "test_logs.py" in where
    capsys.readouterr()


def away(_: object) -> None:
    raise OSError("away")


def test_an_exception_that_ends_a_thread_is_logged_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    thread = threading.Thread(target=fail, args=(WORDS,))
    thread.start()
    thread.join()
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "a thread ends"
    assert "6H" not in line["exception"]


def test_texts_of_operating_system_errors_are_logged(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    try:
        raise ConnectionRefusedError("nobody listens at 6379")
    except ConnectionRefusedError:
        logging.getLogger("kozyr.test").exception("it failed")
    assert "nobody listens at 6379" in capsys.readouterr().err
