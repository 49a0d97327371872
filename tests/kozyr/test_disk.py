"""The reserve on the disk of the embedded Redis, and the Redis that refuses writes without it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis

from redisio.connection import Redis
from referee.service.state import Space
from server.disk import DiskBytes, DiskGuard, DiskRoom
from server.embedded import EmbeddedRedis

MB = 1 << 20


class Disk:
    """A disk whose free bytes the test sets."""

    def __init__(self, total: int = 1000 * MB) -> None:
        self.now = DiskBytes(total, total)

    def free(self, free: float) -> None:
        self.now = DiskBytes(int(free), self.now.total)

    def __call__(self, folder: Path) -> DiskBytes:
        return self.now


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.mark.parametrize(
    ("free", "space", "out"),
    [
        (64, Space.AMPLE, False),
        (63, Space.SCARCE, False),
        (32, Space.SCARCE, False),
        (31, Space.LAST, False),
        (8, Space.LAST, False),
        (7, Space.LAST, True),
        (0, Space.LAST, True),
    ],
)
def test_the_reserve_has_three_parts(tmp_path: Path, disk: Disk, free: int, space: Space, out: bool) -> None:
    disk.free(free * MB)
    room = DiskRoom(tmp_path, 64 * MB, disk)
    assert (room.space(), room.is_out()) == (space, out)


def test_a_small_disk_can_be_used() -> None:
    disk = Disk(12 * MB)
    room = DiskRoom(Path("/"), 64 * MB, disk)
    disk.free(3 * MB)
    assert room.space() is Space.AMPLE
    disk.free(0.3 * MB)
    assert room.is_out()


def test_without_a_reserve_or_a_folder_nothing_is_watched(tmp_path: Path, disk: Disk) -> None:
    disk.free(0)
    assert DiskRoom(tmp_path, 0, disk).space() is Space.AMPLE
    missing = DiskRoom(tmp_path / "missing", 64 * MB)
    assert (missing.space(), missing.is_out()) == (Space.AMPLE, False)


def test_the_ballast_takes_room_until_it_is_released(tmp_path: Path, disk: Disk) -> None:
    room, file = DiskRoom(tmp_path, MB, disk), tmp_path / "ballast"
    disk.free(1.1 * MB)
    room.keep_ballast()
    assert not file.exists(), "there is too little room"
    disk.free(10 * MB)
    room.keep_ballast()
    assert file.stat().st_blocks * 512 >= MB // 4
    room.release_ballast()
    assert not file.exists()


@pytest.fixture
def server(tmp_path: Path, disk: Disk) -> Iterator[EmbeddedRedis]:
    started = EmbeddedRedis(tmp_path / "redis", room=DiskRoom(tmp_path / "redis", 64 * MB, disk)).start()
    yield started
    started.stop()


def accepts(server: EmbeddedRedis) -> bool:
    with closing(server.client()) as client:
        try:
            client.set("key", "value")
        except redis.exceptions.OutOfMemoryError:
            return False
        return True


def test_redis_refuses_writes_while_the_disk_has_no_room(server: EmbeddedRedis, disk: Disk) -> None:
    assert server.room is not None
    guard = DiskGuard(Redis(server.url), server.room, "always", monotonic=lambda: 0.0)
    guard.keep()
    assert accepts(server)
    disk.free(7 * MB)
    guard.keep()
    assert not accepts(server)
    disk.free(9 * MB)
    guard.keep()
    assert not accepts(server), "it does not flutter"
    disk.free(12 * MB)
    guard.keep()
    assert accepts(server)
    with closing(server.client()) as client:
        assert client.config_get("appendfsync")["appendfsync"] == "always"


def test_a_redis_that_starts_on_a_full_disk_refuses_writes_until_it_has_room(
    server: EmbeddedRedis, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    accepts(server)
    disk.free(0)
    server.stop()
    server.start()
    assert not accepts(server)
    with closing(server.client()) as client:
        assert client.get("key") == b"value"
    assert server.room is not None
    guard = DiskGuard(Redis(server.url), server.room, "always")
    disk.free(1000 * MB)
    with caplog.at_level(logging.WARNING):
        guard.keep()
    assert accepts(server)
    assert "has room again" in caplog.text


def test_the_limit_of_an_operator_is_left_alone(server: EmbeddedRedis) -> None:
    assert server.room is not None
    with closing(server.client()) as client:
        client.config_set("maxmemory", 1)
        DiskGuard(Redis(server.url), server.room, "always").keep()
        assert client.config_get("maxmemory")["maxmemory"] == "1"
