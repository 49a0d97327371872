"""The manifest of tables in Redis, one small document.

kozyr:{chain}:tables  string  runs and retired tables (JSON)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import orjson

from redisio.connection import Redis
from redisio.scripts import Script
from referee.tables.store import ManifestState, Run, TablePart

REPLACE: Final = Script("referee.tables", "manifest_replace.lua")
TABLES_KEY: Final = "kozyr:{chain}:tables"


class RedisManifest:
    """The manifest in Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def read(self) -> ManifestState:
        return _state(self._redis.one("GET", TABLES_KEY) or b"")

    def replace(self, before: ManifestState, after: ManifestState) -> bool:
        return bool(self._redis.one(*REPLACE.call((TABLES_KEY,), _raw(before), _raw(after))))


@lru_cache(maxsize=8)
def _state(raw: bytes) -> ManifestState:
    if not raw:
        return ManifestState()
    data = orjson.loads(raw)
    return ManifestState(
        tuple(Run(level, tuple(TablePart(*part) for part in parts)) for level, parts in data["runs"]),
        tuple((name, at) for name, at in data["retired"]),
    )


def _raw(state: ManifestState) -> bytes:
    if state == ManifestState():
        return b""
    runs = [[run.level, [list(part) for part in run.parts]] for run in state.runs]
    return orjson.dumps({"runs": runs, "retired": state.retired})
