"""The chain of records in Redis. It lies in one slot of a cluster and takes about 100 bytes for each record that is not
archived. The index of the archive has the others (`referee.storage.archived`), so the chain has no end.

kozyr:{chain}:numbers  hash    number by match id
kozyr:{chain}:links    string  links, 32 bytes each, one after another; a string holds 16 million
kozyr:{chain}:base     hash    number, link, previous: of the last archived record, which precedes `links`; ended: the
                               last end of all archived matches (ms)
kozyr:{chain}:keys     zset    all public keys that ever signed, by the number of records when each began
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from records.chain import GENESIS, Link, chained
from redisio.connection import Redis
from redisio.scripts import Script
from referee.archive_index.index import ArchiveIndex
from referee.errors import Busy
from referee.storage.archived import ArchivedPlace, match_key

APPEND: Final = Script("referee.proofs", "chain_append.lua")
LINKS: Final = Script("referee.proofs", "chain_links.lua")
FORGET: Final = Script("referee.proofs", "chain_forget.lua")
ATTEMPTS: Final = 64
"""How often a writer retries after others overtook it."""
NUMBERS_KEY, LINKS_KEY, SIGNERS_KEY = "kozyr:{chain}:numbers", "kozyr:{chain}:links", "kozyr:{chain}:keys"
ARCHIVED, IDS = "kozyr:{chain}:archived", "kozyr:{chain}:ids"
"""The number of the last archived record, and the matches of the records after it (`referee.archive.redis`)."""
BASE_KEY: Final = "kozyr:{chain}:base"
_MOST: Final = 500
"""The most records that one script handles."""


class RedisChain:
    def __init__(self, redis: Redis, index: ArchiveIndex | None = None) -> None:
        """`index` has the places of archived records."""
        self.redis, self._index = redis, index
        self._tail: tuple[int, bytes] = (-1, b"")
        """The number of records and the last link that this process saw last. If no other process has appended since,
        the next append takes one round trip."""

    def append(self, digests: Mapping[str, bytes], ended: int = 0) -> None:
        """Append the records of these matches in this order. Records that the chain contains stay where they are.

        `ended` is when the first of them ended, in ms; if it is known, only old records are looked up in the archive.
        Raises `Busy` if other writers were faster too many times.
        """
        matches = list(digests)
        for start in range(0, len(matches), _MOST):
            self._append({match: digests[match] for match in matches[start : start + _MOST]}, ended)

    def _append(self, pending: dict[str, bytes], ended: int) -> None:
        looked = -1
        for _ in range(ATTEMPTS):
            count, last = self._tail
            links, previous = [], last or GENESIS
            for digest in pending.values():
                previous = chained(previous, digest)
                links.append(previous)
            keys = (NUMBERS_KEY, LINKS_KEY, IDS, BASE_KEY)
            done, count, *rest = self.redis.one(
                *APPEND.call(keys, count, last, b"".join(links), ended, looked, *pending)
            )
            if done:
                self._tail = count, previous
                return
            last, base, *numbers = rest
            self._tail = count, last
            pending = {
                match: pending[match]
                for match, number in zip(pending, numbers, strict=True)
                if number is None
            }
            if base >= 0:
                # Records reach the index before the base rises, so at this base the index has all that left Redis.
                archived, looked = self._archived(list(pending)), base
                pending = {match: each for match, each in pending.items() if match not in archived}
            if not pending:
                return
        raise Busy("the chain of records changed too many times meanwhile; send the request again")

    def links(self, matches: Sequence[str]) -> list[Link | None]:
        """Return the positions of these matches' records; `None` for a record that isn't in the chain."""
        commands = [
            LINKS.call((NUMBERS_KEY, LINKS_KEY, BASE_KEY), *matches[start : start + _MOST])
            for start in range(0, len(matches), _MOST)
        ]
        found = [_link(raw) for answer in self.redis.all(commands) for raw in answer]
        missing = [match for match, link in zip(matches, found, strict=True) if link is None]
        archived = self._archived(missing)
        return [link or archived.get(match) for match, link in zip(matches, found, strict=True)]

    def head(self) -> Link | None:
        """Return the last position, or `None` for an empty chain."""
        commands = [("STRLEN", LINKS_KEY), ("GETRANGE", LINKS_KEY, -64, -1), self._base()]
        count, raw, (base, last, previous) = self.redis.all(commands)
        links = (previous or b"") + (last or b"") + raw
        return _link([int(base or 0) + count // 32, links[-64:-32], links[-32:]]) if links else None

    def count(self) -> int:
        """Return how many records the chain has."""
        count, (base, *_) = self.redis.all([("STRLEN", LINKS_KEY), self._base()])
        return int(base or 0) + int(count) // 32

    def forget(self, matches: Sequence[str], last: Link, ended: int) -> None:
        """Remove the numbers and links of these matches. All records up to `last` are archived; their matches ended by
        `ended` (ms). Safe to repeat."""
        # The base rises first, so that no writer takes a record without a number for a new one.
        self.redis.one(*FORGET.call((LINKS_KEY, BASE_KEY), last.number, last.link, last.previous, ended))
        for start in range(0, len(matches), _MOST):
            self.redis.one("HDEL", NUMBERS_KEY, *matches[start : start + _MOST])

    def _archived(self, matches: Sequence[str]) -> dict[str, Link]:
        if self._index is None or not matches:
            return {}
        raws = zip(matches, self._index.get([match_key(match) for match in matches]), strict=True)
        places = {match: ArchivedPlace.from_bytes(raw) for match, raw in raws if raw is not None}
        return {match: Link(*place[:3]) for match, place in places.items()}

    @staticmethod
    def _base() -> tuple[Any, ...]:
        return ("HMGET", BASE_KEY, "number", "link", "previous")

    def signed_by(self, key: str) -> list[tuple[str, int]]:
        """Note that this public key signs from now on.

        Returns all keys that ever did, the oldest first, each with the number of records when it began.
        """
        count = self.count()
        answers = self.redis.all(
            [("ZADD", SIGNERS_KEY, "NX", count, key), ("ZRANGE", SIGNERS_KEY, 0, -1, "WITHSCORES")]
        )
        flat = answers[1]
        return [(name.decode(), int(since)) for name, since in zip(flat[::2], flat[1::2], strict=True)]


def _link(raw: list[Any]) -> Link | None:
    return Link(raw[0], raw[1] or GENESIS, raw[2]) if raw else None
