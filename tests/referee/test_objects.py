"""The object store: files that a power cut can't spoil, and a bucket that does not answer."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.archive.objects import AWAY_S, ObjectStore
from referee.object_store import ArchiveAway
from tests.support.s3 import s3_server

NAME = "segments/000000000001-000000000002-abc.ndjson.zst"
DATA = bytes(range(256)) * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def test_a_file_gets_its_name_after_its_content_and_before_its_folder_are_flushed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[str, str]] = []
    link, fsync = os.link, os.fsync

    def linked(source: Path, target: Path) -> None:
        steps.append(("named", target.name))
        link(source, target)

    def flushed(opened: int) -> None:
        path = Path(f"/proc/self/fd/{opened}").resolve()
        steps.append(("flushed", path.name.partition("#")[0]))
        fsync(opened)

    monkeypatch.setattr(os, "link", linked)
    monkeypatch.setattr(os, "fsync", flushed)
    ObjectStore(folder).create(NAME, DATA)
    file = NAME.partition("/")[2]
    assert steps == [("flushed", file), ("named", file), ("flushed", "segments"), ("flushed", "archive")]
    steps.clear()
    ObjectStore(folder).create(
        NAME, DATA
    )  # a process after one that was killed right after it named the file
    assert ("flushed", "segments") in steps


@pytest.mark.parametrize("kept", [0, 1, 5000, len(DATA) - 1])
def test_a_truncated_file_is_completed_by_the_next_run(folder: Path, kept: int) -> None:
    store = ObjectStore(folder)
    (folder / NAME).parent.mkdir(parents=True)
    (folder / NAME).write_bytes(DATA[:kept])
    store.create(NAME, DATA)
    assert store.read(NAME) == DATA
    assert store.names("") == [NAME]
    assert [path.name for path in (folder / "segments").iterdir()] == [Path(NAME).name]


def test_a_whole_file_stays_as_it_is(folder: Path) -> None:
    store = ObjectStore(folder)
    store.create(NAME, DATA)
    store.create(NAME, b"others")
    store.create(NAME, b"much longer" + DATA)
    assert store.read(NAME) == DATA


def test_a_killed_run_leaves_no_file_under_the_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        ObjectStore(folder).create(NAME, DATA)
    assert ObjectStore(folder).names("") == []


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run a server that accepts connections and never answers. Yield the address of a bucket there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://{}:{}".format(*server.getsockname()))
        for name, value in {
            "ALLOW_HTTP": "true",
            "REGION": "x",
            "ACCESS_KEY_ID": "k",
            "SECRET_ACCESS_KEY": "s",
        }.items():
            monkeypatch.setenv(f"AWS_{name}", value)
        yield "s3://bucket/league"


def test_a_bucket_that_never_answers_is_away_and_then_not_asked_for_a_moment(silent: str) -> None:
    now = 100.0
    store = ObjectStore(silent, request_s=0.2, monotonic=lambda: now)
    for call in (
        lambda: store.read(NAME),
        lambda: store.create(NAME, DATA),
        lambda: store.names("segments/"),
    ):
        with pytest.raises(ArchiveAway, match="can't be used"):
            call()
        with pytest.raises(ArchiveAway, match="a moment ago"):
            call()
        now += AWAY_S


def test_an_error_of_a_bucket_is_one_line_that_says_why(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        closed = "http://{}:{}".format(*unused.getsockname())
    monkeypatch.setenv("AWS_ENDPOINT_URL", closed)
    with pytest.raises(ArchiveAway, match=rf"at s3://bucket/league can't be used: .*{closed}/bucket") as away:
        ObjectStore(silent).read(NAME)
    assert "\n" not in str(away.value)


def test_a_missing_object_does_not_make_a_bucket_count_as_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with s3_server() as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        store = ObjectStore(variables["KOZYR_ARCHIVE_URL"])
        with pytest.raises(ArchiveAway, match="can't be used"):
            store.read(NAME)
        store.create(NAME, DATA)
        store.create(NAME, b"others")
        assert store.read(NAME) == DATA
        assert store.read_part(NAME, 5, 3) == DATA[5:8]
        assert store.read_part(NAME, len(DATA) - 1, 9) == DATA[-1:]
        assert store.read_part(NAME, len(DATA) + 5, 9) == b"", "a short object does not take the bucket away"
        assert store.names("segments/") == [NAME]
