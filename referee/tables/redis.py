"""The manifest of tables in Redis, one small document.

kozyr:{chain}:tables  string  runs, retired tables and merges under way (JSON)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from redisio.connection import Redis
from redisio.scripts import Script
from referee.tables.store import ManifestState, Merge, TablePart, TableRun

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
        tuple(TableRun(level, _parts(parts)) for level, parts in data["runs"]),
        tuple((name, at) for name, at in data["retired"]),
        tuple(Merge(level, _parts(parts), rest) for level, parts, rest in data.get("merges", ())),
    )


def _parts(parts: Sequence[Sequence[Any]]) -> tuple[TablePart, ...]:
    return tuple(TablePart(*part) for part in parts)


def _raw(state: ManifestState) -> bytes:
    if state == ManifestState():
        return b""
    runs = [[run.level, [list(part) for part in run.parts]] for run in state.runs]
    data: dict[str, Any] = {"runs": runs, "retired": state.retired}
    if state.merges:  # data of earlier releases lack the field, and `replace` compares bytes
        data["merges"] = [
            [merge.level, [list(part) for part in merge.parts], merge.rest] for merge in state.merges
        ]
    return orjson.dumps(data)
