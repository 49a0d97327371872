"""Sorted tables in the object store: what was written is found, whatever was merged or killed."""

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
from referee.tables import table
from referee.tables.cache import ByteCache
from referee.tables.index import TableIndex
from referee.tables.merging import FANOUT, RETIRED_MS
from referee.tables.redis import RedisManifest
from referee.tables.store import ArchiveAway
from tests.support.league import WallClock


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "archive")


@pytest.fixture
def wall() -> WallClock:
    return WallClock()


@pytest.fixture
def index(redis: Redis, objects: ObjectStore, wall: WallClock) -> TableIndex:
    return TableIndex(RedisManifest(redis), objects, now=wall)


def test_tables_answer_like_a_dictionary_through_every_merge(
    redis: Redis, objects: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 200)
    monkeypatch.setattr(table, "TABLE_BYTES", 2_000)
    rng, known = Random(7), dict[bytes, bytes]()
    keys = [b"%c%05d" % (rng.choice(b"=~"), number) for number in range(0, 3000, 2)]
    index = TableIndex(RedisManifest(redis), objects, ByteCache(20_000))
    for turn in range(5 * FANOUT):
        changed = {key: b"%d" % turn * rng.randrange(9) for key in rng.sample(keys, 60)}
        removed = rng.sample(sorted(known), min(5, len(known)))
        index.write({**changed, **dict.fromkeys(removed)})
        known |= changed
        for key in removed:
            del known[key]
        while turn % 3 and index.merge():
            pass
        asked = [*rng.sample(keys, 40), b"=00001", b"=", b"~99999"]
        points = [key for key in asked if key.startswith(b"=")]
        assert index.get(points) == [known.get(key) for key in points]
        first, end = sorted(rng.sample(keys, 2))
        rows = sorted((key, value) for key, value in known.items() if first <= key < end)
        assert index.scan(first, end, 10**6) == rows
        assert index.scan(first, end, 7) == rows[:7]
        assert index.scan(first, end, 7, descending=True) == rows[::-1][:7]
    assert len(RedisManifest(redis).read().runs) < 2 * FANOUT
    assert list(index.faults()) == []


class Around:
    """An object of which one method is replaced. The replacement gets the method and its arguments."""

    def __init__(self, target: Any, name: str, replacement: Callable[..., Any]) -> None:
        self._target, self._name, self._replacement = target, name, replacement

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return partial(self._replacement, found) if name == self._name else found


def dying_index(redis: Redis, objects: ObjectStore, step: str, *, after: bool) -> TableIndex:
    """Return the tables of a process that dies right before or after this step."""

    def dies(method: Callable[..., Any], *arguments: Any) -> None:
        if after:
            method(*arguments)
        raise KeyboardInterrupt

    ends: Any = (Around(RedisManifest(redis), step, dies), Around(objects, step, dies))
    return TableIndex(*ends, now=lambda: 0)


@pytest.mark.parametrize("seed", range(4))
def test_repeated_contents_count_in_the_order_of_their_writes(
    redis: Redis, objects: ObjectStore, wall: WallClock, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 100)
    monkeypatch.setattr(table, "TABLE_BYTES", 300)
    rng, known = Random(seed), dict[bytes, bytes]()
    keys = [b"=%d" % number for number in range(40)]
    contents: list[dict[bytes, bytes | None]] = [
        {key: rng.choice((None, b"1", b"2")) for key in rng.sample(keys, size)} for size in (1, 1, 30, 30)
    ]
    for _ in range(200):
        index = TableIndex(RedisManifest(redis), objects, now=wall)
        dying = dying_index(redis, objects, rng.choice(("create", "replace")), after=rng.random() < 0.5)
        is_killed = rng.random() < 0.2
        if rng.random() < 0.4:
            written = rng.choice(contents)
            with suppress(KeyboardInterrupt):
                if is_killed:
                    dying.write(written)
            index.write(written)
            known = {key: value for key, value in {**known, **written}.items() if value is not None}
        elif rng.random() < 0.9:
            with suppress(KeyboardInterrupt):
                (dying if is_killed else index).merge()
        else:
            wall.ms += RETIRED_MS
        assert index.get(keys) == [known.get(key) for key in keys]
    assert list(index.faults()) == []


def test_merged_tables_are_deleted_when_nobody_reads_them_any_more(
    index: TableIndex, objects: ObjectStore, wall: WallClock
) -> None:
    for turn in range(FANOUT):
        index.write({b"=key": b"%d" % turn, b"=%d" % turn: b""})
    assert index.merge()
    assert len(objects.names("index/")) == FANOUT + 1
    wall.ms += RETIRED_MS
    assert not index.merge()
    assert len(objects.names("index/")) == 1
    assert index.get([b"=key"]) == [b"%d" % (FANOUT - 1)]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ArchiveAway], ids=["killed", "refused"])
def test_merged_tables_whose_deletion_was_interrupted_are_deleted_later(
    index: TableIndex,
    objects: ObjectStore,
    wall: WallClock,
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
) -> None:
    for turn in range(FANOUT):
        index.write({b"=%d" % turn: b""})
    assert index.merge()
    wall.ms += RETIRED_MS

    def fails(name: str) -> None:
        raise error

    with monkeypatch.context() as failing, suppress(KeyboardInterrupt):
        failing.setattr(objects, "delete", fails)
        index.merge()
    index.merge()
    assert len(objects.names("index/")) == 1


def test_a_merge_of_any_size_writes_one_table_at_a_time(
    redis: Redis, index: TableIndex, objects: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 100)
    rng, manifest, known = Random(3), RedisManifest(redis), dict[bytes, bytes]()

    def write(entries: int) -> None:
        written = {b"=%06d" % rng.randrange(10**6): rng.randbytes(20) for _ in range(entries)}
        index.write(written)
        known.update(written)

    for _ in range(FANOUT):
        for _ in range(FANOUT):
            write(12)
        assert index.merge()
    monkeypatch.setattr(table, "TABLE_BYTES", 1_000)
    steps = 0
    while True:
        before = objects.names("index/")
        if not index.merge():
            break
        assert len(objects.names("index/")) - len(before) <= 1
        asked = rng.sample(sorted(known), 30)
        assert index.get(asked) == [known[key] for key in asked]
        steps += 1
        if manifest.read().merges:
            write(1)
            assert len([run for run in manifest.read().runs if run.level == 0]) <= FANOUT
    assert steps > 3 * FANOUT, "new tables were merged too during the long merge"
    assert manifest.read().runs[0].level == 2
    assert manifest.read().merges == ()


def test_two_processes_that_merge_at_once_leave_nothing_behind(
    redis: Redis, index: TableIndex, objects: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 100)
    monkeypatch.setattr(table, "TABLE_BYTES", 500)
    for turn in range(FANOUT):
        index.write({b"=%d%d" % (number, turn): b"%d" % turn for number in range(10)})
    keys = [b"=%d%d" % (number, turn) for number in range(10) for turn in range(FANOUT)]

    def late(create: Callable[..., Any], *arguments: Any) -> None:
        create(*arguments)
        index.merge()

    other: Any = Around(objects, "create", late)
    slow = TableIndex(RedisManifest(redis), other)
    while slow.merge():
        assert index.get(keys) == [key[-1:] for key in keys]
    assert [run.level for run in RedisManifest(redis).read().runs] == [1]
    assert set(objects.names("index/")) == index.names()


def test_a_repeated_write_adds_nothing(index: TableIndex) -> None:
    for _ in range(3):
        index.write({b"=key": b"1", b"~list": b"2"})
    assert index.sizes()[0] == 1


def test_a_damaged_or_missing_table_is_no_empty_one(
    redis: Redis, index: TableIndex, tmp_path: Path, objects: ObjectStore
) -> None:
    index.write({b"=key": b"1"})
    (path,) = tmp_path.rglob("*.table")
    data = path.read_bytes()
    for damaged in (data[:-1] + b"?", b"\0" * 30 + data[30:], None):
        path.unlink()
        if damaged is not None:
            path.write_bytes(damaged)
        with pytest.raises(ArchiveAway):
            TableIndex(RedisManifest(redis), objects).get([b"=key"])
        assert len(list(index.faults())) == 1
    path.write_bytes(data)
    assert TableIndex(RedisManifest(redis), objects).get([b"=key"]) == [b"1"]


def test_no_changed_byte_of_a_table_gives_another_answer(
    redis: Redis, index: TableIndex, tmp_path: Path, objects: ObjectStore
) -> None:
    keys = [b"=key %d" % number for number in range(20)]
    index.write({key: key * 3 for key in keys})
    (path,) = tmp_path.rglob("*.table")
    data = path.read_bytes()
    found = 0
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        try:
            answers = TableIndex(RedisManifest(redis), objects).get(keys)
        except ArchiveAway:
            found += 1
        else:
            assert answers == [key * 3 for key in keys], place
    assert found > 0.9 * len(data)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", ["create", "replace"])
def test_a_killed_merge_is_repeated(
    redis: Redis, objects: ObjectStore, index: TableIndex, step: str, after: bool
) -> None:
    for turn in range(FANOUT):
        index.write({b"=%d" % turn: b"%d" % turn})

    with pytest.raises(KeyboardInterrupt):
        dying_index(redis, objects, step, after=after).merge()
    while index.merge():
        pass
    keys = [b"=%d" % turn for turn in range(FANOUT)]
    assert index.get(keys) == [key[1:] for key in keys]
    assert len(RedisManifest(redis).read().runs) == 1


def test_the_cache_keeps_no_more_bytes_than_it_may() -> None:
    cache, made = ByteCache(100), list[int]()

    def value(number: int) -> int:
        def make() -> tuple[int, int]:
            made.append(number)
            return number, 40

        return cache.get(number, make)

    assert [value(number) for number in (1, 2, 1, 3, 1, 2)] == [1, 2, 1, 3, 1, 2]
    assert made == [1, 2, 3, 2]
