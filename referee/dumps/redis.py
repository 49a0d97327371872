"""Dumps in Redis, in the slot of the chain, and the files of published ones in the archive.

kozyr:{chain}:dumping  hash  the state: version; state, with the draft (JSON)
kozyr:{chain}:dumps    list  the published dumps (JSON), oldest first
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from records.decoding import decoded
from redisio.connection import Redis
from redisio.scripts import Script
from referee.dumps.store import Draft, Dump, DumpFile, DumpState, Piece
from referee.object_store import ArchiveAway, Objects

REPLACE: Final = Script("referee.dumps", "dump_replace.lua")
STATE_KEY: Final = "kozyr:{chain}:dumping"
DUMPS_KEY: Final = "kozyr:{chain}:dumps"
CHUNK_BYTES: Final = 1 << 20


class RedisDumps:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def state(self) -> DumpState:
        """Return how far the dumps are."""
        version, raw = self._redis.one("HMGET", STATE_KEY, "version", "state")
        if version is None:
            return DumpState()
        data = orjson.loads(raw)
        return DumpState(int(version), data["month"], data["segments"], _draft(data["draft"]))

    def replace(self, before: DumpState, after: DumpState, published: Dump | None = None) -> bool:
        """Replace the state, and publish a dump. Return false, without effect, if it is no longer `before`."""
        state = {
            "month": after.month,
            "segments": after.segments,
            "draft": after.draft and _fields(after.draft, "pieces", "parts"),
        }
        dump = b"" if published is None else orjson.dumps(_fields(published, "files"))
        keys = (STATE_KEY, DUMPS_KEY)
        return bool(self._redis.one(*REPLACE.call(keys, before.version, orjson.dumps(state), dump)))

    def dumps(self) -> list[Dump]:
        """Return the published dumps, oldest first."""
        return [_dump(orjson.loads(raw)) for raw in self._redis.one("LRANGE", DUMPS_KEY, 0, -1)]


class DumpReader:
    """The published dumps. Safe to share between greenlets and threads."""

    def __init__(self, dumps: RedisDumps, objects: Objects | None) -> None:
        self._dumps, self._objects = dumps, objects

    def dumps(self) -> list[Dump]:
        """Return the dumps, the last month first."""
        return self._dumps.dumps()[::-1]

    def file(self, month: str, name: str) -> DumpFile | None:
        """Return a file of a dump by its public name; `None` if there is none."""
        found = next((dump for dump in self._dumps.dumps() if dump.month == month), None)
        return None if found is None else found.file(name)

    def chunks(self, file: DumpFile, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes of a file from `start` to before `stop`, a chunk at a time. Raise `ArchiveAway` before the
        first one is yielded if there is no archive."""
        if self._objects is None:
            raise ArchiveAway("this service has no archive")
        for at in range(start, stop, CHUNK_BYTES):
            yield self._objects.read_part(file.object, at, min(CHUNK_BYTES, stop - at))


def _fields(value: Draft | Dump, *lists: str) -> dict[str, Any]:
    data = value._asdict()
    for name in lists:
        data[name] = [each._asdict() for each in data[name]]
    return data


def _draft(data: dict[str, Any] | None) -> Draft | None:
    if data is None:
        return None
    data["pieces"] = tuple(decoded(Piece, each) for each in data["pieces"])
    data["parts"] = tuple(decoded(DumpFile, each) for each in data["parts"])
    return decoded(Draft, data)


def _dump(data: dict[str, Any]) -> Dump:
    data["files"] = tuple(decoded(DumpFile, each) for each in data["files"])
    return decoded(Dump, data)
