"""The index of the archive: what was written is found, whatever was compacted, killed, damaged or rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.archive_index import index as index_module
from referee.archive_index import parquet
from referee.archive_index.index import RETIRED_MS, ArchiveIndex
from referee.archive_index.manifest import Manifest
from referee.byte_cache import ByteCache
from referee.object_store import ArchiveAway
from tests.support.league import WallClock


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "archive")


@pytest.fixture
def wall() -> WallClock:
    return WallClock()


@pytest.fixture
def index(redis: Redis, objects: ObjectStore, wall: WallClock) -> ArchiveIndex:
    return ArchiveIndex(Manifest(redis), objects, now=wall)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files have few rows, and let none be read as a whole."""
    monkeypatch.setattr(parquet, "GROUP_ROWS", 7)
    monkeypatch.setattr(index_module, "FILE_GROUPS", 5)
    monkeypatch.setattr(index_module, "_WHOLE", 0)


def test_the_index_answers_like_a_dictionary_through_every_compaction(
    redis: Redis, objects: ObjectStore, small: None
) -> None:
    rng, known = Random(7), dict[bytes, bytes]()
    keys = [b"%c%05d" % (rng.choice(b"=~"), number) for number in range(0, 1600, 2)]
    index = ArchiveIndex(Manifest(redis), objects, ByteCache(20_000))
    for turn in range(14):
        changed = {key: b"%d" % turn * rng.randrange(9) for key in rng.sample(keys, 60)}
        removed = rng.sample(sorted(known), min(5, len(known)))
        index.write({**changed, **dict.fromkeys(removed)})
        known |= changed
        for key in removed:
            del known[key]
        while turn % 3 and index.compact():
            pass
        asked = [*rng.sample(keys, 40), b"=00001", b"=", b"~99999"]
        assert index.get(asked) == [known.get(key) for key in asked]
        first, end = sorted(rng.sample(keys, 2))
        rows = sorted((key, value) for key, value in known.items() if first <= key < end)
        assert index.scan(first, end, 10**6) == rows
        assert index.scan(first, end, 7) == rows[:7]
        assert index.scan(first, end, 7, descending=True) == rows[::-1][:7]
    while index.compact():
        pass
    assert len(Manifest(redis).read().runs) < 4
    assert list(index.faults()) == []
    fresh = ArchiveIndex(Manifest(redis), objects)
    fresh.rebuild(partial(sources, fresh, [0]))
    assert fresh.scan(b"", b"\x7f", 10**6) == sorted(known.items())


def sources(index: ArchiveIndex, position: list[int]) -> list[dict[bytes, bytes | None]]:
    """Return the files of the journal that came since the last call."""
    found = [dict(rows) for _, rows in index.journal(position[0])]
    position[0] += len(found)
    return found


class Around:
    """An object of which one method is replaced. The replacement gets the method and its arguments."""

    def __init__(self, target: Any, name: str, replacement: Callable[..., Any]) -> None:
        self._target, self._name, self._replacement = target, name, replacement

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return partial(self._replacement, found) if name == self._name else found


def dying_index(redis: Redis, objects: ObjectStore, step: str, *, after: bool) -> ArchiveIndex:
    """Return the index of a process that dies right before or after this step."""

    def dies(method: Callable[..., Any], *arguments: Any) -> None:
        if after:
            method(*arguments)
        raise KeyboardInterrupt

    ends: Any = (Around(Manifest(redis), step, dies), Around(objects, step, dies))
    return ArchiveIndex(*ends, now=lambda: 0)


@pytest.mark.parametrize("seed", range(2))
def test_repeated_contents_count_in_the_order_of_their_writes(
    redis: Redis, objects: ObjectStore, wall: WallClock, small: None, seed: int
) -> None:
    """A process is killed about 20 times in each run."""
    rng, known, kills = Random(seed), dict[bytes, bytes](), 0
    keys = [b"=%d" % number for number in range(40)]
    contents: list[dict[bytes, bytes | None]] = [
        {key: rng.choice((None, b"1", b"2")) for key in rng.sample(keys, size)} for size in (1, 1, 30, 30)
    ]
    for _ in range(120):
        index = ArchiveIndex(Manifest(redis), objects, now=wall)
        dying = dying_index(redis, objects, rng.choice(("create", "replace")), after=rng.random() < 0.5)
        is_killed = rng.random() < 0.2
        kills += is_killed
        if rng.random() < 0.4:
            written = rng.choice(contents)
            with suppress(KeyboardInterrupt):
                if is_killed:
                    dying.write(written)
            index.write(written)
            known = {key: value for key, value in {**known, **written}.items() if value is not None}
        elif rng.random() < 0.9:
            with suppress(KeyboardInterrupt):
                (dying if is_killed else index).compact()
        else:
            wall.ms += RETIRED_MS
        assert index.get(keys) == [known.get(key) for key in keys]
    assert kills > 15
    assert list(index.faults()) == []
    index.rebuild(partial(sources, index, [0]))
    assert index.get(keys) == [known.get(key) for key in keys]


def test_replaced_files_are_deleted_when_nobody_reads_them_any_more(
    index: ArchiveIndex, objects: ObjectStore, wall: WallClock
) -> None:
    for turn in range(3):
        index.write({b"=m key": b"%d" % turn, b"=m %d" % turn: b""})
    assert index.compact()
    assert len(objects.names("index/")) == 4
    wall.ms += RETIRED_MS
    assert not index.compact()
    assert len(objects.names("index/")) == 1
    assert index.get([b"=m key"]) == [b"2"]
    assert objects.names("journal/") == [], "these entries follow from segments"


def test_two_processes_that_compact_at_once_leave_nothing_behind(
    redis: Redis, index: ArchiveIndex, objects: ObjectStore, small: None
) -> None:
    keys = [b"=m %d%d" % (number, turn) for number in range(30) for turn in range(3)]
    for turn in range(3):
        index.write({key: key[-1:] for key in keys if key[-1:] == b"%d" % turn})

    def late(create: Callable[..., Any], *arguments: Any) -> None:
        create(*arguments)
        index.compact()

    other: Any = Around(objects, "create", late)
    slow = ArchiveIndex(Manifest(redis), other)
    while slow.compact():
        assert index.get(keys) == [key[-1:] for key in keys]
    assert len(Manifest(redis).read().runs) == 1
    assert set(objects.names("index/")) == Manifest(redis).read().names()


def test_a_repeated_write_adds_nothing(index: ArchiveIndex, objects: ObjectStore) -> None:
    for _ in range(3):
        index.write({b"=key": b"1", b"~list": b"2"})
    assert (len(objects.names("index/")), len(objects.names("journal/"))) == (1, 1)


def test_a_write_amid_a_rebuild_is_in_the_new_index(index: ArchiveIndex) -> None:
    index.write({b"=s 1": b"1"})
    position, has_written = [0], False

    def more() -> list[dict[bytes, bytes | None]]:
        nonlocal has_written
        found = sources(index, position)
        if not has_written:
            has_written = True
            index.write({b"=s 2": b"2"})
            index.compact()
        return found

    index.rebuild(more)
    assert index.get([b"=s 1", b"=s 2"]) == [b"1", b"2"]


def test_no_changed_byte_of_a_file_gives_another_answer(
    redis: Redis, index: ArchiveIndex, tmp_path: Path, objects: ObjectStore
) -> None:
    keys = [b"=m key %d" % number for number in range(20)]
    index.write({key: key * 3 for key in keys})
    (path,) = tmp_path.rglob("index/*.parquet")
    data = path.read_bytes()
    found = 0
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        try:
            answers = ArchiveIndex(Manifest(redis), objects).get(keys)
        except ArchiveAway:
            found += 1
        else:
            assert answers == [key * 3 for key in keys], place
    assert found > 0.8 * len(data)
    assert Manifest(redis).damaged() == [f"index/{path.name}"]


def test_a_list_skips_a_damaged_file_and_a_look_up_does_not(
    index: ArchiveIndex, redis: Redis, objects: ObjectStore, tmp_path: Path
) -> None:
    for number in range(2):
        index.write({b"~l %d" % number: b"row", b"=m %d" % number: b"place"})
    first = min(file.name for file in Manifest(redis).read().files() if index.get([b"=m 0"]))
    path, other = tmp_path / "archive" / first, ArchiveIndex(Manifest(redis), objects)
    for left in (None, b"", b"\0" * path.stat().st_size):
        path.unlink()
        if left is not None:
            path.write_bytes(left)
        other = ArchiveIndex(Manifest(redis), objects)
        assert len(other.scan(b"~l ", b"~l!", 10, lenient=True)) == 1
        with pytest.raises(ArchiveAway):
            other.get([b"=m 0", b"=m 1"])
        assert not other.compact()
        assert Manifest(redis).damaged() == [first]
        path.touch()


def test_the_cache_keeps_no_more_bytes_than_it_may() -> None:
    cache, made = ByteCache(100), list[int]()

    def value(number: int) -> int:
        def make() -> tuple[int, int]:
            made.append(number)
            return number, 40

        return cache.get(number, make)

    assert [value(number) for number in (1, 2, 1, 3, 1, 2)] == [1, 2, 1, 3, 1, 2]
    assert made == [1, 2, 3, 2]
