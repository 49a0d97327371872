"""What ladders leave of finished matches and rounds, in the index of the archive.

    =s LADDER GROUP  the group's share of the totals: fields and values of its hash, hexadecimal (JSON)
    =o LADDER ROUND  a round that ended: its keys by name (JSON)

Only a match that becomes void, or is played again, changes them. Then they return to Redis first, and the shares
stay there: `kozyr:{ladder:ID}:units:changed` names their units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from league.ladders.model import LadderResult, RoundState
from league.ladders.redis_totals import changed_key, key_of
from records.match.session import MatchConfig
from redisio.connection import Redis
from redisio.scripts import Script
from referee.archive_index.index import PARTIAL_MS, ArchiveIndex

FORGET_SHARE: Final = Script("league.ladders", "share_forget.lua")
FORGET_ROUND: Final = Script("league.ladders", "round_forget.lua")
RESTORE_ROUND: Final = Script("league.ladders", "round_restore.lua")
RESTORE_UNIT: Final = Script("league.ladders", "unit_restore.lua")
ROUNDS_AT_ONCE: Final = 200
_ENDED: Final = (RoundState.DONE.value, RoundState.FAILED.value)


class ArchivedLadders:
    """The archived rounds and shares of all ladders."""

    def __init__(self, redis: Redis, index: ArchiveIndex) -> None:
        self._redis, self._index = redis, index

    # 1. Shares leave with their matches (`referee.archive.redis.Leftovers`)

    def entries(self, matches: Sequence[MatchConfig]) -> dict[bytes, bytes]:
        units = [(match.ladder, match.group_id) for match in matches if match.ladder is not None]
        asked = self._unchanged(list(dict.fromkeys(units)))
        shares = self._redis.all([("HGETALL", key_of(ladder, f"group:{unit}")) for ladder, unit in asked])
        found = {}
        for (ladder, unit), share in zip(asked, shares, strict=True):
            if share:
                found[_share_key(ladder, unit)] = orjson.dumps([part.hex() for part in share])
        return found

    def remove(self, entries: Mapping[bytes, bytes]) -> None:
        commands = []
        for key, value in entries.items():
            _, ladder, unit = key.decode().split(" ")
            flat = [bytes.fromhex(part) for part in orjson.loads(value)]
            keys = (key_of(ladder, f"group:{unit}"), changed_key(ladder))
            commands.append(FORGET_SHARE.call(keys, unit, *flat))
        self._redis.all(commands)

    # 2. Rounds leave after their end

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

    # 3. Returning to Redis

    def restore_round(self, ladder: str, number: int) -> None:
        (raw,) = self._index.get([_round_key(ladder, number)])
        if raw is not None:
            stored = orjson.loads(raw)
            flat = [bytes.fromhex(part) for part in stored["round"]]
            reruns = [bytes.fromhex(part) for part in stored["reruns"]]
            void = [bytes.fromhex(part) for part in stored["void"]]
            keys = [key_of(ladder, f"{what}:{number}") for what in ("round", "made", "reruns", "void")]
            self._redis.one(
                *RESTORE_ROUND.call(
                    keys, bytes.fromhex(stored["made"]), len(flat), *flat, len(reruns), *reruns, *void
                )
            )

    def restore(self, results: Sequence[LadderResult]) -> None:
        """Bring back what these matches change when they are taken back."""
        for ladder, number in dict.fromkeys((result.ladder, result.round) for result in results):
            self.restore_round(ladder, number)
        for ladder, unit in dict.fromkeys(
            (result.ladder, result.group or result.match) for result in results
        ):
            (share,) = self._index.get([_share_key(ladder, unit)])
            flat = [] if share is None else [bytes.fromhex(part) for part in orjson.loads(share)]
            redis_keys = (key_of(ladder, f"group:{unit}"), changed_key(ladder))
            self._redis.one(*RESTORE_UNIT.call(redis_keys, unit, *flat))

    def _unchanged(self, units: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return those of these units, by ladder, of which no match was taken back."""
        answers = self._redis.all([("SISMEMBER", changed_key(ladder), unit) for ladder, unit in units])
        return [unit for unit, changed in zip(units, answers, strict=True) if not changed]

    def _read(self, ladder: str, number: int) -> bytes:
        keys = [key_of(ladder, f"{what}:{number}") for what in ("round", "made", "reruns", "void")]
        commands = zip(("HGETALL", "GET", "HGETALL", "SMEMBERS"), keys, strict=True)
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
        keys = [key_of(ladder, f"{what}:{number}") for what in ("round", "made", "reruns", "void")]
        call = FORGET_ROUND.call([*keys, key_of(ladder, "dues")], "" if due is None else due, *flat)
        self._redis.one(*call)


def _paired(flat: Sequence[str]) -> dict[str, str]:
    return {bytes.fromhex(name).decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}


def _share_key(ladder: str, group: str) -> bytes:
    return f"=s {ladder} {group}".encode()


def _round_key(ladder: str, number: int) -> bytes:
    return f"=o {ladder} {number}".encode()
