"""The disk of the embedded Redis, which must never be full.

With `appendfsync always` Redis ends at the first write that it can't store. So a part of the disk is reserved
(`KOZYR_DISK_RESERVE`). In it running matches end, in the last half of it only moves are made, and in the last eighth
Redis refuses every write (`DiskGuard`), which stops all clocks. The API then answers `storage_full`.

A file without contents, the ballast, occupies another part. `kozyr archive run` deletes it to have room for its work.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from redisio.server import info_fields
from referee.service.state import Space

if TYPE_CHECKING:
    from redisio.connection import Redis

LARGEST_PART: Final = 4
"""The reserve is at most this part of the disk, so that a small disk can be used."""
LAST: Final = 2
OUT: Final = 8
"""In these parts of the reserve only moves, and no writes, are accepted."""
BALLAST: Final = 4
"""The size of the ballast, as a part of the reserve. Without it, a full disk has room again (`DiskRoom.has_room`)."""
LOOK_S: Final = 1.0
"""How often the guard looks whether Redis refuses writes, in seconds."""
RECOVERS_S: Final = 10.0
"""How long Redis may take to write what it could not, once there is room, in seconds."""
REFUSING: Final = {"maxmemory": "2", "appendfsync": "everysec"}
"""The configuration of a Redis that refuses writes, by a limit of its memory that nobody else would set. It still
deletes what expires, and with `always` it would end if the disk had no room for that."""

_STATUSES: Final = ("aof_last_bgrewrite_status", "aof_last_write_status", "rdb_last_bgsave_status")

ARCHIVE_FULL: Final = ("storage_full: the disk of the archive is nearly full",)

log = logging.getLogger(__name__)


class DiskBytes(NamedTuple):
    """The free bytes of a disk, and all of its bytes."""

    free: int
    total: int


def bytes_of(folder: Path) -> DiskBytes:
    """Return the bytes of a folder's disk. Raise `OSError`."""
    found = os.statvfs(folder)
    return DiskBytes(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


class DiskRoom:
    """The room on the disk of a folder, of which `reserve` bytes are reserved. 0 means that nothing is watched."""

    def __init__(
        self, folder: Path, reserve: int, disk_bytes: Callable[[Path], DiskBytes] = bytes_of
    ) -> None:
        self.folder = folder
        self._most, self._bytes = reserve, disk_bytes

    @property
    def is_watched(self) -> bool:
        """Whether anything is reserved."""
        return self._most > 0

    def space(self) -> Space:
        """Return what the room is enough for. Plenty, while the folder does not exist."""
        free, reserve = self._look()
        if free >= reserve:
            return Space.AMPLE
        return Space.LAST if free < reserve // LAST else Space.SCARCE

    def is_out(self) -> bool:
        """Return whether there is no room for writes."""
        free, reserve = self._look()
        return free < reserve // OUT

    def has_room(self) -> bool:
        """Return whether there is so much room that writes may go on after there was none."""
        free, reserve = self._look()
        return free >= reserve // OUT * 3 // 2

    def keep_ballast(self) -> None:
        """Create the ballast if there is ample room for it."""
        free, reserve = self._look()
        if not reserve or self._ballast.exists() or free < reserve + reserve // BALLAST:
            return
        try:
            with self._ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, reserve // BALLAST)
        except OSError as why:
            log.warning("no room is kept for kozyr archive run: %s", why)
            self.release_ballast()

    def release_ballast(self) -> None:
        """Delete the ballast."""
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"

    def _look(self) -> DiskBytes:
        """Return the free bytes, and those that are reserved."""
        try:
            free, total = self._bytes(self.folder)
        except OSError:
            return DiskBytes(0, 0)
        return DiskBytes(free, min(self._most, total // LARGEST_PART))


class DiskGuard:
    """Makes Redis refuse writes while its disk has no room. Several processes may do so at once."""

    def __init__(
        self,
        redis: Redis,
        room: DiskRoom,
        appendfsync: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`appendfsync` is the policy of a Redis that accepts writes."""
        self._redis, self._room, self._monotonic = redis, room, monotonic
        self._accepting = {"maxmemory": "0", "appendfsync": appendfsync}
        self._refuses: bool | None = None
        self._look_at = 0.0

    def keep(self) -> None:
        """Look after the disk. Raise `RedisError`."""
        if not self._room.is_watched:
            return
        out = self._room.is_out()
        now = self._monotonic()
        if out is self._refuses and now < self._look_at:
            return
        self._look_at = now + LOOK_S
        self._refuses = self._limit() == REFUSING["maxmemory"]
        if out and not self._refuses:
            log.error("the disk of %s is full: no move is accepted, and all clocks stop", self._room.folder)
            self._configure(REFUSING)
        elif self._refuses and self._room.has_room() and self._writes():
            log.warning("the disk of %s has room again: moves are accepted", self._room.folder)
            self._configure(dict(reversed(self._accepting.items())))
        self._room.keep_ballast()

    def make_room(self) -> None:
        """Delete the ballast if the disk is nearly full, and wait until Redis accepts writes. Raise `RedisError`."""
        if self._room.space() is Space.AMPLE:
            return
        self._room.release_ballast()
        until = time.monotonic() + RECOVERS_S
        self.keep()
        while self._refuses and self._room.has_room() and time.monotonic() < until:
            time.sleep(0.1)
            self.keep()

    def compact(self) -> None:
        """Let Redis rewrite its file without deleted values if the disk is nearly full. Raise `RedisError`."""
        if self._room.space() is not Space.AMPLE:
            self._redis.one("BGREWRITEAOF")

    def _configure(self, values: dict[str, str]) -> None:
        for name, value in values.items():
            self._redis.one("CONFIG", "SET", name, value)
        self._refuses = values["maxmemory"] == REFUSING["maxmemory"]

    def _limit(self) -> str:
        answer: Any = self._redis.one("CONFIG", "GET", "maxmemory")
        return str(answer[1].decode())

    def _writes(self) -> bool:
        """Return whether Redis has written everything to its file. With `always` it would end if it could not."""
        return info_fields(self._redis.one("INFO", "persistence"))["aof_last_write_status"] == "ok"


def unwritten(redis: Redis) -> list[str]:
    """Return a warning for each thing that a master could not write to its disk. Raise `RedisError`."""
    nodes = map(info_fields, redis.all(redis.on_masters("INFO", "persistence")))
    failed = {name for node in nodes for name in _STATUSES if node.get(name, "ok") != "ok"}
    return [f"Redis can't write to its disk ({name}): is it full?" for name in sorted(failed)]
