"""Reviews in Redis. They share a hash tag.

    kozyr:{reviews}:review:MATCH  hash  owner, requested, state, total, truncated, finished, failure, worker (with the
                                        lease), jobs (how many it has had), attempts (how many leases since a decision
                                        was last stored)
    kozyr:{reviews}:moves:MATCH   list  its reviewed moves (JSON)
    kozyr:{reviews}:waiting       zset  unfinished reviews by the instant (ms) from which a worker may take them: for a
                                        leased one, the end of the lease
    kozyr:{reviews}:owner:NAME    set   the unfinished reviews that an owner has requested
    kozyr:{reviews}:ended         zset  ended reviews by the instant (ms) at which they ended

An ended review expires after `KEPT_S`, or earlier if more than `MOST_KEPT` have ended after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import orjson

from records.reviews.model import (
    Review,
    ReviewedMove,
    ReviewFailure,
    ReviewLease,
    ReviewProgress,
    ReviewState,
)
from redisio.connection import Redis
from redisio.scripts import Script

REQUEST: Final = Script("league.reviews", "redisio:time.lua", "review_request.lua")
DUE: Final = Script("league.reviews", "redisio:time.lua", "review_due.lua")
TAKE: Final = Script("league.reviews", "redisio:time.lua", "review_take.lua")
PUT: Final = Script("league.reviews", "redisio:time.lua", "review_put.lua")
LEAVE: Final = Script("league.reviews", "redisio:time.lua", "review_leave.lua")
DROP: Final = Script("league.reviews", "review_drop.lua")

KEPT_S: Final = 30 * 86_400
MOST_KEPT: Final = 5_000
MOST_WAITING: Final = 500
"""How many reviews may wait, of all owners."""
MOST_OF_OWNER: Final = 10
"""How many reviews of an owner may wait."""
LEASE_MS: Final = 60_000
"""Longer than the longest decision takes. A killed worker's review waits for at most this long."""

_TAG: Final = "kozyr:{reviews}:"
_WAITING: Final = f"{_TAG}waiting"
_ENDED: Final = f"{_TAG}ended"
_FIELDS: Final = ("state", "requested", "finished", "total", "truncated", "failure")


class RedisReviewStore:
    """The store of reviews, which are identified by their matches. Its clock is Redis's, or `clock` in tests."""

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis, self._clock = redis, clock

    def request(self, match: str, owner: str) -> bool:
        """Let a review wait for a worker unless it exists, or has failed with `ReviewFailure.ERRORS`: then it is
        replaced. Return false, without effect, if too many wait."""
        keys = (_review(match), _moves(match), _WAITING, _owner(owner), _ENDED)
        call = REQUEST.call(keys, self._given(), match, owner, MOST_OF_OWNER, MOST_WAITING)
        return bool(self._redis.one(*call))

    def review(self, match: str) -> Review | None:
        (state, requested, finished, total, truncated, failure), rows = self._redis.all(
            [("HMGET", _review(match), *_FIELDS), ("LRANGE", _moves(match), 0, -1)],
        )
        if state is None:
            return None
        return Review(
            match=match,
            state=ReviewState(state.decode()),
            requested=int(requested),
            finished=None if finished is None else int(finished),
            total=None if total is None else int(total),
            truncated=truncated == b"1",
            moves=[ReviewedMove.from_json(orjson.loads(row)) for row in rows],
            failure=None if failure is None else ReviewFailure(failure.decode()),
        )

    def due(self, most: int) -> list[tuple[str, int]]:
        """Return the matches whose reviews wait for a worker, and how many jobs each has had. The one that has waited
        longest is first."""
        ids = [
            each.decode() for each in self._redis.one(*DUE.call((_WAITING,), self._given(), most, LEASE_MS))
        ]
        jobs = self._redis.all([("HGET", _review(each), "jobs") for each in ids])
        return [(each, int(count or 0)) for each, count in zip(ids, jobs, strict=True)]

    def take(self, match: str, worker: str) -> ReviewLease | None:
        """Lease a review, or return `None` if another worker has it or it is done."""
        keys = (_review(match), _moves(match), _WAITING)
        row = self._redis.one(*TAKE.call(keys, self._given(), match, worker, LEASE_MS))
        if row is None:
            return None
        owner, done, total, attempt = row
        return ReviewLease(
            match=match,
            worker=worker,
            owner=owner.decode(),
            done=done,
            total=None if total is None else int(total),
            attempt=attempt,
        )

    def put(self, lease: ReviewLease, progress: ReviewProgress, moves: Sequence[ReviewedMove]) -> bool:
        """Append the moves that follow the first `lease.done`, and renew the lease or end the review. Return false,
        without effect, if the lease was lost."""
        keys = (_review(lease.match), _moves(lease.match), _WAITING, _owner(lease.owner), _ENDED)
        call = PUT.call(
            keys,
            self._given(),
            lease.match,
            lease.worker,
            lease.done,
            LEASE_MS,
            KEPT_S,
            progress.state.value,
            progress.total,
            int(progress.truncated),
            progress.failure or "",
            *(orjson.dumps(move.to_json()) for move in moves),
        )
        if not self._redis.one(*call):
            return False
        if progress.state is not ReviewState.RUNNING:
            self._trim()
        return True

    def leave(self, lease: ReviewLease, for_ms: int = 0) -> None:
        """Return a lease, which does not count as an attempt. The next one is given in `for_ms` at the earliest."""
        keys = (_review(lease.match), _WAITING)
        self._redis.one(*LEAVE.call(keys, self._given(), lease.match, lease.worker, for_ms))

    def _trim(self) -> None:
        """Delete the reviews that ended before the last `MOST_KEPT`."""
        for each in self._redis.one("ZRANGE", _ENDED, 0, -MOST_KEPT - 1):
            review = each.decode()
            self._redis.one(*DROP.call((_review(review), _moves(review), _ENDED), review))

    def _given(self) -> int | str:
        return "" if self._clock is None else self._clock()


def _review(match: str) -> str:
    return f"{_TAG}review:{match}"


def _moves(match: str) -> str:
    return f"{_TAG}moves:{match}"


def _owner(name: str) -> str:
    return f"{_TAG}owner:{name}"
