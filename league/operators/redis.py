"""The audit log in Redis.

kozyr:{audit}:lines     stream  one entry each, by Redis's clock: token, owner, what, target, reason, before (JSON)
kozyr:{audit}:outcomes  hash    entry id -> {"outcome": …, "after": …} (JSON), set once
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from league.operators.store import AuditActor, AuditEntry
from redisio.connection import Redis

_LINES: Final = "kozyr:{audit}:lines"
_OUTCOMES: Final = "kozyr:{audit}:outcomes"


class RedisAuditStore:
    """The store of the audit log."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add(self, by: AuditActor, what: str, target: str, reason: str, before: Any) -> str:
        """Add an entry without an outcome and return its id."""
        fields = {"token": by.token, "owner": by.owner, "what": what, "target": target, "reason": reason}
        flat = [part for pair in fields.items() for part in pair]
        made: bytes = self._redis.one("XADD", _LINES, "*", *flat, "before", orjson.dumps(before))
        return made.decode()

    def settle(self, line: str, outcome: str, after: Any) -> None:
        """Set the outcome of an entry, once; later calls have no effect."""
        self._redis.one("HSETNX", _OUTCOMES, line, orjson.dumps({"outcome": outcome, "after": after}))

    def lines(self, before: str | None, since: int | None, until: int | None, most: int) -> list[AuditEntry]:
        """Return entries before this id, the latest first."""
        top = "+" if until is None else str(until)
        if before is not None and (until is None or int(before.partition("-")[0]) <= until):
            top = f"({before}"
        bottom = "-" if since is None else str(since)
        raws = self._redis.one("XREVRANGE", _LINES, top, bottom, "COUNT", most)
        if not raws:
            return []
        outcomes = self._redis.one("HMGET", _OUTCOMES, *[raw[0] for raw in raws])
        return [_line(raw[0], raw[1], outcome) for raw, outcome in zip(raws, outcomes, strict=True)]


def _line(ident: bytes, flat: list[bytes], outcome: bytes | None) -> AuditEntry:
    fields = {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}
    text = {name: value.decode() for name, value in fields.items() if name != "before"}
    settled = {} if outcome is None else orjson.loads(outcome)
    return AuditEntry(
        ident.decode(),
        int(ident.partition(b"-")[0]),
        AuditActor(text["token"], text["owner"]),
        text["what"],
        text["target"],
        text["reason"],
        orjson.loads(fields["before"]),
        settled.get("outcome"),
        settled.get("after"),
    )
