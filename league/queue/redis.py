"""The queue and the batches in Redis. They share a hash tag, so that one script claims entries and stores a batch.

kozyr:{queue}:pools        set     pools with waiting entries (`MatchTerms.pool`)
kozyr:{queue}:pool:P       zset    ids of the waiting entries of pool P by the instant (ms) at which they joined
kozyr:{queue}:entry:ID     hash    doc (JSON), state, joined, match, reason, ended; expires a day after its end
kozyr:{queue}:bot:BOT      string  id of the bot's last entry; expires with it
kozyr:{queue}:batches      hash    batch id -> batch (JSON)
kozyr:{queue}:batches-due  zset    batch ids by the instant (ms) at which the clock finishes them
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson

from league.errors import Overtaken
from league.queue.model import ClaimResult, DropReason, EntryState, MatchBatch, QueueEntry
from redisio.connection import Redis
from redisio.scripts import Script

JOIN: Final = Script("league.queue", "redisio:time.lua", "queue_join.lua")
WAITING: Final = Script("league.queue", "redisio:time.lua", "queue_waiting.lua")
END: Final = Script("league.queue", "redisio:time.lua", "queue_end.lua")
CLAIM: Final = Script("league.queue", "redisio:time.lua", "queue_claim.lua")
PUT: Final = Script("league.queue", "redisio:time.lua", "batch_put.lua")
DUE: Final = Script("league.queue", "redisio:time.lua", "batch_due.lua")
DONE: Final = Script("league.queue", "redisio:time.lua", "batch_done.lua")

KEPT_MS: Final = 24 * 3_600_000
"""How long an ended entry is kept: as long as idempotency keys, so that a repeated request finds its entry."""
DUE_MS: Final = 5_000
"""How long the process that stored a batch has for its matches. Then the clock process creates them."""
_ATTEMPTS: Final = 16
_TAG: Final = "kozyr:{queue}:"
_POOLS: Final = f"{_TAG}pools"
_BATCHES: Final = (f"{_TAG}batches", f"{_TAG}batches-due")
_FIELDS: Final = ("doc", "state", "joined", "match", "reason", "ended")


class RedisQueueStore:
    """The store of the queue. A bot has at most one waiting entry. Its clock is Redis's, or `clock` in tests."""

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis, self._clock = redis, clock

    def join(self, entry: QueueEntry) -> QueueEntry:
        """Add an entry and return it with its instant. Return the bot's waiting entry instead, if it has one, or the
        entry with this id in its present state, if it was added before."""
        pool, doc = entry.terms.pool, orjson.dumps(entry.to_json())
        for _ in range(_ATTEMPTS):
            last = self._redis.one("GET", _bot(entry.bot))
            before = "" if last is None else last.decode()
            keys = (_POOLS, _pool(pool), _bot(entry.bot), _entry(entry.id), _entry(before))
            what = self._redis.one(*JOIN.call(keys, self._given(), pool, entry.id, doc, before))
            if what != b"again":
                (found,) = self._entries([before if what == b"waiting" else entry.id])
                if found is not None:
                    return found
        raise Overtaken("the bot's queue entry changed too many times; retry the request")

    def last(self, bot: str) -> QueueEntry | None:
        """Return the bot's last entry. An ended entry is kept for a day."""
        found = self._redis.one("GET", _bot(bot))
        return None if found is None else self._entries([found.decode()])[0]

    def pools(self) -> list[str]:
        return sorted(pool.decode() for pool in self._redis.one("SMEMBERS", _POOLS))

    def waiting(self, pool: str, most: int) -> tuple[int, list[QueueEntry]]:
        """Return the current time, and at most `most` waiting entries of a pool, drawn by lot, the longest waiting
        first."""
        now, *ids = self._redis.one(*WAITING.call((_pool(pool),), self._given(), most))
        found = self._entries([each.decode() for each in ids])
        waiting = [each for each in found if each is not None and each.state is EntryState.WAITING]
        return int(now), sorted(waiting, key=lambda entry: (entry.joined, entry.id))

    def claim(self, pool: str, batch: MatchBatch) -> ClaimResult:
        """Store a batch of one match and take its entries out of their pool, all or none."""
        entries = [entry for entry, _ in batch.entries]
        keys = (_POOLS, _pool(pool), *_BATCHES, *map(_entry, entries))
        doc = orjson.dumps(batch.to_json())
        return ClaimResult(
            self._redis.one(*CLAIM.call(keys, self._given(), pool, batch.id, doc, DUE_MS, *entries))
        )

    def end(self, entry: QueueEntry, state: EntryState, reason: DropReason | None = None) -> bool:
        """End an entry. Return false, without effect, if it no longer waits."""
        pool = entry.terms.pool
        keys = (_POOLS, _pool(pool), _bot(entry.bot), _entry(entry.id))
        call = END.call(keys, self._given(), pool, entry.id, state.value, reason or "", KEPT_MS)
        return bool(self._redis.one(*call))

    def put(self, batch: MatchBatch) -> None:
        """Store a batch. From now on its matches will be created."""
        self._redis.one(*PUT.call(_BATCHES, self._given(), batch.id, orjson.dumps(batch.to_json()), DUE_MS))

    def unfinished(self, batch_id: str) -> MatchBatch | None:
        raw = self._redis.one("HGET", _BATCHES[0], batch_id)
        return None if raw is None else MatchBatch.from_json(orjson.loads(raw))

    def due(self, most: int) -> list[MatchBatch]:
        """Return batches that nobody has finished for some seconds, and postpone them by as much."""
        docs = self._redis.one(*DUE.call(_BATCHES, self._given(), most, DUE_MS))
        return [MatchBatch.from_json(orjson.loads(doc)) for doc in docs]

    def done(self, batch: MatchBatch, failed: DropReason | None = None) -> None:
        """Remove a batch. Its entries are matched, or with `failed` dropped. Safe to repeat."""
        keys = [key for entry, bot in batch.entries for key in (_entry(entry), _bot(bot))]
        state = EntryState.MATCHED if failed is None else EntryState.DROPPED
        entries = [entry for entry, _ in batch.entries]
        self._redis.one(
            *DONE.call(
                (*_BATCHES, *keys), self._given(), batch.id, state.value, failed or "", KEPT_MS, *entries
            )
        )

    def _entries(self, ids: Sequence[str]) -> list[QueueEntry | None]:
        rows = self._redis.all([("HMGET", _entry(each), *_FIELDS) for each in ids])
        return [_loaded(row) for row in rows]

    def _given(self) -> int | str:
        return "" if self._clock is None else self._clock()


def _loaded(row: Sequence[Any]) -> QueueEntry | None:
    doc, state, joined, match, reason, ended = row
    if doc is None:
        return None
    return QueueEntry.from_json(orjson.loads(doc))._replace(
        joined=int(joined),
        state=EntryState(state.decode()),
        match=match and match.decode(),
        reason=DropReason(reason.decode()) if reason else None,
        ended=None if ended is None else int(ended),
    )


def _pool(pool: str) -> str:
    return f"{_TAG}pool:{pool}"


def _entry(entry: str) -> str:
    return f"{_TAG}entry:{entry}"


def _bot(bot: str) -> str:
    return f"{_TAG}bot:{bot}"
