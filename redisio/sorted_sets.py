"""Page through a sorted set. Finding a page takes O(log n) round trips, however many members share a score."""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

from redisio.connection import Redis
from redisio.errors import checked

_ATTEMPTS: Final = 8


class Place(NamedTuple):
    """A member of a sorted set with its score, in the order of the set."""

    score: float
    member: str


class SortedSetPages:
    """The members of one sorted set, ascending by score and name, or descending."""

    def __init__(self, redis: Redis, key: str, *, descending: bool = False) -> None:
        self._redis, self._key, self._descending = redis, key, descending

    def after(self, place: Place | None, most: int, first: float | None = None) -> list[Place]:
        """Return at most `most` members after `place`, even if `place` has left the set. Without a `place`, start at
        the score `first`. Other greenlets run before this returns."""
        time.sleep(0)
        if place is None:
            passed = 0 if first is None else self._redis.one("ZCOUNT", self._key, *self._before(first))
            return self._range(passed, most)
        for _ in range(_ATTEMPTS):
            passed = self._passed(place)
            found = self._range(max(0, passed - 1), most + 1)
            # `found` starts at `place` or before it, unless earlier members have left the set since the count.
            if passed == 0 or not found or not self._is_after(found[0], place):
                break
        return [each for each in found if self._is_after(each, place)][:most]

    def _passed(self, place: Place) -> int:
        """Return how many members are not after this place."""
        rank = "ZREVRANK" if self._descending else "ZRANK"
        score, at = map(
            checked,
            self._redis.run([("ZSCORE", self._key, place.member), (rank, self._key, place.member)]),
        )
        if score is not None and at is not None and float(score) == place.score:
            return int(at) + 1
        before, beyond = self._before(place.score), self._beyond(place.score)
        commands = [("ZCOUNT", self._key, *before), ("ZCOUNT", self._key, *beyond), ("ZCARD", self._key)]
        low, later, card = self._redis.all(commands)
        high = card - later
        while low < high:  # binary search among members with the same score
            middle = (low + high) // 2
            found = self._range(middle, 1)
            if found and not self._is_after(found[0], place):
                low = middle + 1
            else:
                high = middle
        return int(low)

    def _range(self, start: int, most: int) -> list[Place]:
        command = "ZREVRANGE" if self._descending else "ZRANGE"
        flat: list[Any] = self._redis.one(command, self._key, start, start + most - 1, "WITHSCORES")
        return [
            Place(float(score), member.decode()) for member, score in zip(flat[::2], flat[1::2], strict=True)
        ]

    def _is_after(self, one: Place, other: Place) -> bool:
        return one < other if self._descending else one > other

    def _before(self, score: float) -> tuple[str, str]:
        return (f"({score!r}", "+inf") if self._descending else ("-inf", f"({score!r}")

    def _beyond(self, score: float) -> tuple[str, str]:
        return ("-inf", f"({score!r}") if self._descending else (f"({score!r}", "+inf")
