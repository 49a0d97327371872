"""The demonstration rests while nobody looks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from server.attention import NOTE_EVERY_S, REST_AFTER_S, Attention, Nap


class Sleeper:
    """Something that rests, with clocks that a test sets."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.now = 1_000_000.0
        self.calls: list[str] = []
        self.attention = Attention(file)
        self.nap = Nap(self.attention, lambda: self.calls.append("wake"), self.rest, lambda: self.now)
        self.nap.begin()
        self.looked()

    def rest(self) -> None:
        self.calls.append("rest")
        self.looked()  # by its own requests

    def looked(self) -> None:
        os.utime(self.file, (self.now, self.now))


@pytest.fixture
def sleeper(tmp_path: Path) -> Sleeper:
    return Sleeper(tmp_path / "looked-at")


def test_it_begins_awake_and_rests_after_a_while(sleeper: Sleeper) -> None:
    sleeper.now += REST_AFTER_S
    sleeper.nap.look()
    assert sleeper.calls == ["wake"]
    sleeper.now += 1
    sleeper.nap.look()
    assert sleeper.calls == ["wake", "rest"]
    sleeper.now += REST_AFTER_S
    sleeper.nap.look()
    assert sleeper.nap.resting


def test_a_look_wakes_it(sleeper: Sleeper) -> None:
    sleeper.now += REST_AFTER_S + 1
    sleeper.nap.look()
    sleeper.now += 1
    sleeper.looked()
    sleeper.nap.look()
    assert sleeper.calls == ["wake", "rest", "wake"]
    sleeper.nap.look()
    assert not sleeper.nap.resting


def test_looks_are_noted_only_where_a_demonstration_plays(tmp_path: Path) -> None:
    now = 100.0
    file = tmp_path / "looked-at"
    attention = Attention(file, lambda: now)
    attention.note()
    assert not file.exists()
    attention.begin()
    os.utime(file, (1, 1))
    attention.note()
    assert attention.last() == 1, "not so soon"
    now += NOTE_EVERY_S
    attention.note()
    assert attention.last() > 1
