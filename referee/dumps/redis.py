"""Dumps in Redis, in the slot of the chain.

kozyr:{chain}:dumping  hash  the state: version; state, with the draft (JSON)
kozyr:{chain}:dumps    list  the published dumps (JSON), oldest first
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from records.decoding import decoded
from redisio.connection import Redis
from redisio.scripts import Script
from referee.dumps.store import Draft, Dump, DumpFile, DumpState, Piece

REPLACE: Final = Script("referee.dumps", "dump_replace.lua")
STATE_KEY: Final = "kozyr:{chain}:dumping"
DUMPS_KEY: Final = "kozyr:{chain}:dumps"


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
