"""Rounds of ladders that ended, in the index of the archive.

    =o LADDER ROUND  a round: its keys by name (JSON)

Only a match that becomes void, or is played again, changes them. Then they return to Redis first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson

from league.ladders.model import RoundState
from league.ladders.redis_totals import key_of
from redisio.connection import Redis
from redisio.scripts import Script
from referee.archive_index.index import PARTIAL_MS, ArchiveIndex

FORGET_ROUND: Final = Script("league.ladders", "round_forget.lua")
RESTORE_ROUND: Final = Script("league.ladders", "round_restore.lua")
ROUNDS_AT_ONCE: Final = 200
LADDERS_AT_ONCE: Final = 100
DAY_MS: Final = 86_400_000
_ENDED: Final = (RoundState.DONE.value, RoundState.FAILED.value)


class ArchivedLadders:
    """The archived rounds of all ladders."""

    def __init__(self, redis: Redis, index: ArchiveIndex) -> None:
        self._redis, self._index = redis, index
        self._place: str | None = None
        """The cursor of the last ladder of which everything has left."""

    # 1. Rounds leave after their end

    def archive(
        self,
        listed: Callable[[str | None, int], Sequence[tuple[str, str]]],
        until: int,
        has_time: Callable[[], bool],
        *,
        partial: bool,
    ) -> None:
        """Move the rounds of all ladders that ended before this instant. Stop when `has_time` returns false; the next
        call continues. Several processes may do so at once. `listed` returns cursors and ids of ladders after a
        cursor."""
        while found := listed(self._place, LADDERS_AT_ONCE):
            for place, ladder in found:
                moved = 1
                while moved:
                    if not has_time():
                        return
                    moved = self.archive_rounds(ladder, until, partial=partial)
                self._place = place
        self._place = None

    def archive_rounds(self, ladder: str, until: int, *, partial: bool) -> int:
        """Move the ladder's next rounds that ended before this instant, at most `ROUNDS_AT_ONCE`. Return how many left
        Redis. Without `partial`, fewer wait for a day. Safe to repeat."""
        raw = self._redis.one("HMGET", key_of(ladder, "rounds"), "kept", "last")
        first, last = int(raw[0] or 1), int(raw[1] or 0)
        ends = self._ends(ladder, first, last, until)
        waits = not partial and len(ends) < ROUNDS_AT_ONCE
        if not ends or (waits and min(ended or until for ended in ends) >= until - PARTIAL_MS):
            return 0
        end = first + len(ends)
        numbers = [number for number, ended in zip(range(first, end), ends, strict=True) if ended is not None]
        rounds = {number: self._read(ladder, number) for number in numbers}
        self._index.write({_round_key(ladder, number): raw for number, raw in rounds.items()})
        for number, stored in rounds.items():
            self._forget(ladder, number, stored)
        self._redis.one("HSET", key_of(ladder, "rounds"), "kept", end)
        return len(ends)

    def _ends(self, ladder: str, first: int, last: int, until: int) -> list[int | None]:
        """Return the ends of the rounds from `first` on that ended before `until`; `None` for those that an interrupted
        run has moved, since a round is opened in one step."""
        numbers = range(first, min(last + 1, first + ROUNDS_AT_ONCE))
        commands: list[tuple[Any, ...]] = []
        for number in numbers:
            commands.append(("HMGET", key_of(ladder, f"round:{number}"), "state", "ended"))
            commands += [("HLEN", key_of(ladder, f"{what}:{number}")) for what in ("open", "held")]
        answers = self._redis.all(commands)
        found: list[int | None] = []
        for (state, ended), *left in zip(answers[::3], answers[1::3], answers[2::3], strict=True):
            if state is not None and (
                state.decode() not in _ENDED or any(left) or int(ended or until) >= until
            ):
                break
            found.append(None if state is None else int(ended))
        return found

    def rounds(self, ladder: str, numbers: Sequence[int]) -> dict[int, dict[str, bytes]]:
        raws = zip(numbers, self._index.get([_round_key(ladder, number) for number in numbers]), strict=True)
        found = {number: orjson.loads(raw) for number, raw in raws if raw is not None}
        return {
            number: {name: bytes.fromhex(value) for name, value in _paired(keys["round"]).items()}
            for number, keys in found.items()
        }

    # 2. Returning to Redis

    def restore_round(self, ladder: str, number: int) -> None:
        (raw,) = self._index.get([_round_key(ladder, number)])
        if raw is not None:
            stored = orjson.loads(raw)
            flat, reruns, void = (
                [bytes.fromhex(part) for part in stored[what]] for what in ("round", "reruns", "void")
            )
            made = bytes.fromhex(stored["made"])
            call = RESTORE_ROUND.call(
                _keys(ladder, number), made, len(flat), *flat, len(reruns), *reruns, *void
            )
            self._redis.one(*call)

    def _read(self, ladder: str, number: int) -> bytes:
        commands = zip(("HGETALL", "GET", "HGETALL", "SMEMBERS"), _keys(ladder, number), strict=True)
        round_, made, reruns, void = self._redis.all(list(commands))
        return orjson.dumps(
            {
                "round": [part.hex() for part in round_],
                "made": (made or b"").hex(),
                "reruns": [part.hex() for part in reruns],
                "void": sorted(part.hex() for part in void),
            }
        )

    def _forget(self, ladder: str, number: int, stored: bytes) -> None:
        flat = [bytes.fromhex(part) for part in orjson.loads(stored)["round"]]
        fields = dict(zip(flat[::2], flat[1::2], strict=True))
        due = orjson.loads(fields[b"doc"])["due"]
        keys = [*_keys(ladder, number), key_of(ladder, "dues")]
        call = FORGET_ROUND.call(keys, "" if due is None else due, *flat)
        self._redis.one(*call)


def _keys(ladder: str, number: int) -> list[str]:
    """Return the keys of a round that leave Redis."""
    return [key_of(ladder, f"{what}:{number}") for what in ("round", "made", "reruns", "void")]


def _paired(flat: Sequence[str]) -> dict[str, str]:
    return {bytes.fromhex(name).decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}


def _round_key(ladder: str, number: int) -> bytes:
    return f"=o {ladder} {number}".encode()
