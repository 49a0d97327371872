"""Sorted tables in the object store: what was written is found, whatever was merged or killed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.tables import table
from referee.tables.cache import ByteCache
from referee.tables.index import FANOUT, RETIRED_MS, TableIndex
from referee.tables.redis import RedisManifest
from referee.tables.store import ArchiveAway


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "archive")


@pytest.fixture
def index(redis: Redis, objects: ObjectStore) -> TableIndex:
    return TableIndex(RedisManifest(redis), objects)


def test_tables_answer_like_a_dictionary_through_every_merge(
    redis: Redis, objects: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 200)
    monkeypatch.setattr(table, "TABLE_BYTES", 2_000)
    rng, known = random.Random(7), dict[bytes, bytes]()
    keys = [b"%c%05d" % (rng.choice(b"=~"), number) for number in range(0, 3000, 2)]
    index = TableIndex(RedisManifest(redis), objects, ByteCache(20_000))
    for turn in range(5 * FANOUT):
        changed = {key: b"%d" % turn * rng.randrange(9) for key in rng.sample(keys, 60)}
        removed = rng.sample(sorted(known), min(5, len(known)))
        index.write({**changed, **dict.fromkeys(removed)})
        known |= changed
        for key in removed:
            del known[key]
        while turn % 3 and index.merge(turn):
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


def test_merged_tables_are_deleted_when_nobody_reads_them_any_more(
    index: TableIndex, objects: ObjectStore
) -> None:
    for turn in range(FANOUT):
        index.write({b"=key": b"%d" % turn, b"=%d" % turn: b""})
    assert index.merge(1000)
    assert len(objects.names("index/")) == FANOUT + 1
    assert not index.merge(1000 + RETIRED_MS)
    assert len(objects.names("index/")) == 1
    assert index.get([b"=key"]) == [b"%d" % (FANOUT - 1)]


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


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", ["create", "replace"])
def test_a_killed_merge_is_repeated(
    redis: Redis, objects: ObjectStore, index: TableIndex, step: str, after: bool
) -> None:
    for turn in range(FANOUT):
        index.write({b"=%d" % turn: b"%d" % turn})

    class Dying:
        def __init__(self, target: Any) -> None:
            self.target = target

        def __getattr__(self, name: str) -> Any:
            found = getattr(self.target, name)
            if name != step:
                return found

            def dies(*arguments: Any) -> None:
                if after:
                    found(*arguments)
                raise KeyboardInterrupt

            return dies

    dying: Any = (Dying(RedisManifest(redis)), Dying(objects))
    with pytest.raises(KeyboardInterrupt):
        TableIndex(*dying).merge(0)
    while index.merge(0):
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
