"""The chain of records in Redis. It is one chain, so it lies in one slot of a cluster: some 100 bytes a record.

kozyr:{chain}:numbers  hash    number by match id
kozyr:{chain}:links    string  all links, 32 bytes each, one after another: 16 million fill what a string can hold
kozyr:{chain}:keys     zset    the public keys that sign or signed, by the number of records when each began
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.errors import Busy
from referee.proofs.proof import GENESIS, Link, chained

APPEND: Final = Script("referee.proofs", "chain_append.lua")
LINKS: Final = Script("referee.proofs", "chain_links.lua")
ATTEMPTS: Final = 64
"""How often a writer that was overtaken tries again."""
_NUMBERS, _LINKS, _KEYS = "kozyr:{chain}:numbers", "kozyr:{chain}:links", "kozyr:{chain}:keys"
_MOST: Final = 500
"""The most records of one script."""


class RedisChain:
    """The Redis form of `referee.proofs.proof.Chain`."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self._tail: tuple[int, bytes] = (-1, b"")
        """How many records there were when this process last knew, and their last link: if nobody else has appended
        since, the next append is one round trip."""

    def append(self, digests: Mapping[str, bytes]) -> None:
        """See `Chain`. Raises `Busy` if others were faster too many times."""
        matches = list(digests)
        for start in range(0, len(matches), _MOST):
            self._append({match: digests[match] for match in matches[start : start + _MOST]})

    def _append(self, todo: dict[str, bytes]) -> None:
        for _ in range(ATTEMPTS):
            count, last = self._tail
            links, previous = [], last or GENESIS
            for digest in todo.values():
                previous = chained(previous, digest)
                links.append(previous)
            done, count, *told = self.redis.one(
                *APPEND.call((_NUMBERS, _LINKS), count, last, b"".join(links), *todo)
            )
            if done:
                self._tail = count, previous
                return
            last, *numbers = told
            self._tail = count, last
            todo = {match: todo[match] for match, known in zip(todo, numbers, strict=True) if known is None}
            if not todo:
                return
        raise Busy("the chain of records grew under this one too many times")

    def links(self, matches: Sequence[str]) -> list[Link | None]:
        """See `Chain`."""
        commands = [
            LINKS.call((_NUMBERS, _LINKS), *matches[start : start + _MOST])
            for start in range(0, len(matches), _MOST)
        ]
        return [_link(raw) for answer in self.redis.run(commands) for raw in checked(answer)]

    def head(self) -> Link | None:
        """See `Chain`."""
        count, raw = (
            checked(answer) for answer in self.redis.run([("STRLEN", _LINKS), ("GETRANGE", _LINKS, -64, -1)])
        )
        return _link([count // 32, raw[:-32], raw[-32:]]) if raw else None

    def signed_by(self, key: str) -> list[tuple[str, int]]:
        """See `Chain`."""
        count = self.redis.one("STRLEN", _LINKS) // 32
        answers = self.redis.run([("ZADD", _KEYS, "NX", count, key), ("ZRANGE", _KEYS, 0, -1, "WITHSCORES")])
        flat = checked(answers[1])
        return [(name.decode(), int(since)) for name, since in zip(flat[::2], flat[1::2], strict=True)]


def _link(raw: list[Any]) -> Link | None:
    return Link(raw[0], raw[1] or GENESIS, raw[2]) if raw else None
