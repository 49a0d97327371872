"""A log that can't be written loses lines and has no other effect."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
import structlog

from server.logs import structured as logs
from server.logs.stream import LogStream
from tests.kozyr.test_logs import as_it_was

__all__ = ["as_it_was"]

FULL = Path("/dev/full")


@pytest.fixture
def full() -> Iterator[TextIO]:
    """A file on a full disk."""
    if not FULL.exists():
        pytest.skip("there is no /dev/full here")
    with FULL.open("w") as out:
        yield out
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def has_room_again(out: TextIO, log: Path) -> None:
    with log.open("w") as other:
        os.dup2(other.fileno(), out.fileno())


def test_lines_for_a_full_disk_are_dropped_and_counted_when_it_has_room_again(
    full: TextIO, tmp_path: Path
) -> None:
    stream = LogStream(full)
    for number in range(3):
        stream.write(f'{{"event": "{number}"}}\n')
    has_room_again(full, tmp_path / "log")
    for number in (3, 4):
        stream.write(f'{{"event": "{number}"}}\n')
    first, *others = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (first["dropped"], first["level"]) == (3, "warning")
    assert [line["event"] for line in others] == ["3", "4"]


@pytest.mark.usefixtures("as_it_was")
def test_our_lines_and_the_libraries_raise_nothing_on_a_full_disk(
    full: TextIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", full)
    logs.configure("info")
    structlog.get_logger("kozyr.test").info("request", status=200)
    logging.getLogger("kozyr.test").warning("a library's")
    has_room_again(full, tmp_path / "log")
    logging.getLogger("kozyr.test").warning("there is room")
    first, second = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (first["dropped"], second["event"]) == (2, "there is room")


def test_an_unread_pipe_delays_nobody(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 8192)
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "w") as out:
        stream = LogStream(out)
        lines = [json.dumps({"event": str(number), "more": "x" * 3_000}) + "\n" for number in range(4)]
        for line in lines:
            stream.write(line)  # without a reader, the third write would block forever
        taken = os.read(reader.fileno(), 65_536)
        stream.write('{"event": "read"}\n')
        taken += os.read(reader.fileno(), 65_536)
    *there, missing, last = map(json.loads, taken.decode().splitlines())
    assert [line["event"] for line in there] == ["0", "1"]
    assert (missing["dropped"], last["event"]) == (2, "read")


def test_a_torn_line_does_not_corrupt_the_next(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 8192)
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "w") as out:
        stream = LogStream(out)
        stream.write(json.dumps({"event": "long", "more": "x" * 10_000}) + "\n")
        taken = os.read(reader.fileno(), 65_536)
        stream.write('{"event": "next"}\n')
        taken += os.read(reader.fileno(), 65_536)
    torn, missing, last = taken.decode().splitlines()
    assert torn.startswith('{"event": "long"')
    assert (json.loads(missing)["dropped"], json.loads(last)["event"]) == (1, "next")
