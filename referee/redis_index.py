"""The index of matches in Redis.

kozyr:{bot:ID}:active           set   matches of the bot that are not over
kozyr:{bot:ID}:finished         zset  its last finished matches by running number
kozyr:{bot:ID}:finished-count   int
kozyr:{bot:ID}:reserved         zset  matches about to be made, by the instant (ms) at which they are forgotten
kozyr:{bot:ID}:version          int   changes with every feed about the bot
kozyr:epoch                     eight random bytes, others after each start of Redis
kozyr:epoch-run                 the run of Redis that they are of
kozyr:{matches:FACET}:live      zset  matches that are not over by creation (ms)
kozyr:{matches:FACET}:ended     zset  finished matches by end (ms); FACET as in `referee.index.facets`
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from referee import base64url
from referee.errors import BadCursor
from referee.index import MatchFilter, Mine, Page, Shown, facets
from referee.redis_store import WAKE_CHANNEL, RedisMatchStore, keys_of
from referee.redis_trip import Redis, Script, checked
from referee.store import Snapshot, is_void
from referee.table import Status
from referee.wakeups import Probe

FINISH: Final = Script("referee", "finish.lua")
JOIN: Final = Script("referee", "join.lua")
RESERVE: Final = Script("referee", "reserve.lua")
LIST: Final = Script("referee", "list.lua")

KEPT: Final = 1000
"""How many finished matches of a bot its own list keeps."""
RESERVED_MS: Final = 10_000
"""How long a match that is about to be made has its place before the index knows of it."""
_CHUNK: Final = 200
_EPOCH: Final = "kozyr:epoch"
_EPOCH_RUN: Final = "kozyr:epoch-run"
_LOOKS: Final = 2000
"""How many matches one page looks at at most, where filters leave out most of them."""


class RedisMatchIndex:
    """The Redis form of `referee.index.MatchIndex`."""

    def __init__(self, redis: Redis, store: RedisMatchStore) -> None:
        self.redis, self.store = redis, store

    def feed(self, shown: Sequence[Shown]) -> None:
        """See `MatchIndex`. Wakes the bots' waiters."""
        commands: list[tuple[Any, ...]] = []
        lists: dict[str, list[Any]] = {}
        woken: dict[str, None] = {}
        for setup, head, listed in shown:
            over = head.status is Status.FINISHED
            remote = [seat.id for seat in setup.seats if seat is not None and not seat.house]
            woken |= dict.fromkeys(remote)
            for bot in remote:
                active, finished, count, version, reserved = _bot_keys(bot)
                if over:
                    commands.append(FINISH.call((active, finished, count, version, reserved), setup.id, KEPT))
                else:
                    commands.append(JOIN.call((active, finished, version, reserved), setup.id))
            for facet in facets(setup) if listed else ():
                at = head.ended if over else setup.created
                lists.setdefault(facet, []).extend((setup.id, at, int(over)))
        for facet, matches in lists.items():
            commands.append(LIST.call((_list_key(facet, "live"), _list_key(facet, "ended")), *matches))
        if woken:
            commands.append(("PUBLISH", WAKE_CHANNEL, " ".join(["-", *woken])))
        for answer in self.redis.run(commands):
            checked(answer)

    def mine(self, bot_id: str, after: int | None, most: int) -> Mine:
        """See `MatchIndex`."""
        active, finished, _, version, _ = _bot_keys(bot_id)
        probe = ("GET", version)
        if after is None:
            ended: tuple[Any, ...] = ("ZREVRANGE", finished, 0, most - 1, "WITHSCORES")
        else:
            ended = ("ZRANGEBYSCORE", finished, f"({after}", "+inf", "WITHSCORES", "LIMIT", 0, most)
        answers = self.redis.run([("GET", _EPOCH), probe, ("SMEMBERS", active), ended])
        epoch, seen, members, pairs = (checked(answer) for answer in answers)
        return Mine(
            epoch or self._new_epoch(),
            sorted(match.decode() for match in members),
            sorted((int(float(number)), match.decode()) for match, number in _pairs(pairs)),
            probe,
            seen,
        )

    def running(self, bot_ids: Sequence[str]) -> dict[str, int]:
        """How many matches each of these bots plays now."""
        counts = self.redis.run([("SCARD", _bot_keys(bot)[0]) for bot in bot_ids])
        return {bot: int(checked(count)) for bot, count in zip(bot_ids, counts, strict=True)}

    def unfinished(self) -> dict[str, int]:
        """How many matches are not over, by status."""
        counts: Counter[str] = Counter()
        matches = [match.decode() for match in self.redis.one("ZRANGE", _list_key("all", "live"), 0, -1)]
        for start in range(0, len(matches), _CHUNK):
            for snapshot in self.store.read(matches[start : start + _CHUNK]):
                if snapshot is not None and not snapshot.finished:
                    counts[snapshot.head.status.value] += 1
        return dict(counts)

    def reserve(self, bot_id: str, match: str, at_most: int) -> bool:
        """Whether this match, which is about to be made, is one of at most so many that the bot plays; from now on it
        is, for `RESERVED_MS` or as long as it is in the index. Safe to repeat."""
        active, *_, reserved = _bot_keys(bot_id)
        return bool(self.redis.one(*RESERVE.call((active, reserved), match, at_most, RESERVED_MS)))

    def release(self, bot_id: str, match: str) -> None:
        """The match was not made."""
        self.redis.one("ZREM", _bot_keys(bot_id)[-1], match)

    def probe(self, match: str) -> Probe:
        """See `MatchIndex`."""
        return ("HGET", keys_of(match)[0], "version")

    def seen(self, version: int) -> object:
        """See `MatchIndex`."""
        return b"%d" % version

    def connected(self, run: str) -> None:
        """Redis was found in this run of its own. In another than before it may have lost the last of what it had, and
        give a number anew that some cursor has already: all cursors are of an old epoch then, and mean everything."""
        known, began = self.redis.run([("GET", _EPOCH), ("GET", _EPOCH_RUN)])
        if checked(began) == run.encode():
            return
        if checked(known) is not None:
            self.redis.one("SET", _EPOCH, secrets.token_bytes(8))
        self.redis.one("SET", _EPOCH_RUN, run)  # last: whoever dies before it leaves it to be done again

    def _new_epoch(self) -> bytes:
        self.redis.one("SET", _EPOCH, secrets.token_bytes(8), "NX")
        epoch: bytes = self.redis.one("GET", _EPOCH)
        return epoch

    def matches(self, wanted: MatchFilter, cursor: str | None, most: int) -> Page:
        """See `MatchIndex`."""
        part, score, member = _read_cursor(cursor, ("live", "+inf", ""))
        facet = _facet(wanted)
        parts = ["live", "ended"] if part == "live" else ["ended"]
        if wanted.status is Status.FINISHED or wanted.result is not None:
            parts = [name for name in parts if name == "ended"]
        elif wanted.status is not None:
            parts = [name for name in parts if name == "live"]
        found: list[tuple[str, str, str]] = []
        looked = 0
        for name in parts:
            start = (score, member) if name == part else ("+inf", "")
            for chunk in self._walk(_list_key(facet, name), start, wanted, newest_first=True):
                for (at, match), fits in chunk:
                    looked += 1
                    if fits:
                        found.append((name, at, match))
                    if len(found) == most or looked >= _LOOKS:
                        return Page([ident for _, _, ident in found], _write_cursor(name, at, match))
        return Page([ident for _, _, ident in found], None)

    def ended(self, wanted: MatchFilter, cursor: str | None, most: int) -> Page:
        """See `MatchIndex`."""
        _, score, member = _read_cursor(cursor, ("old", "-inf", ""))
        found: list[str] = []
        looked = 0
        for chunk in self._walk(
            _list_key(_facet(wanted), "ended"), (score, member), wanted, newest_first=False
        ):
            for (at, match), fits in chunk:
                looked += 1
                if fits:
                    found.append(match)
                if len(found) == most or looked >= _LOOKS:
                    return Page(found, _write_cursor("old", at, match))
        return Page(found, None)

    def _walk(
        self, key: str, start: tuple[str, str], wanted: MatchFilter, newest_first: bool
    ) -> Iterator[list[tuple[tuple[str, str], bool]]]:
        """The members of a list after `start`, in chunks, each with whether it fits."""
        score, member = start
        while True:
            # Members of equal score are in the order of their names; those up to `member` were given already.
            lower = "-inf" if wanted.since is None else str(wanted.since)
            upper = "+inf" if wanted.until is None else str(wanted.until)
            if score not in ("+inf", "-inf"):
                if newest_first:
                    upper = str(min(int(score), int(upper))) if upper != "+inf" else score
                else:
                    lower = str(max(int(score), int(lower))) if lower != "-inf" else score
            raw = self._range(
                key, lower, upper, newest_first, member if score == (upper if newest_first else lower) else ""
            )
            chunk = [(str(int(float(at))), match.decode()) for match, at in raw]
            if not chunk:
                return
            snapshots = self.store.read([match for _, match in chunk])
            yield [
                (item, snapshot is not None and _fits(wanted, snapshot))
                for item, snapshot in zip(chunk, snapshots, strict=True)
            ]
            score, member = chunk[-1]

    def _range(
        self, key: str, lower: str, upper: str, newest_first: bool, member: str
    ) -> list[tuple[bytes, bytes]]:
        skip, size = 0, 100
        while True:
            command = "ZREVRANGEBYSCORE" if newest_first else "ZRANGEBYSCORE"
            ends = (upper, lower) if newest_first else (lower, upper)
            raw = list(_pairs(self.redis.one(command, key, *ends, "WITHSCORES", "LIMIT", skip, size)))
            if not raw or not member:
                return raw
            edge = upper if newest_first else lower
            fresh = [
                (match, at)
                for match, at in raw
                if int(float(at)) != int(edge)
                or (match.decode() < member if newest_first else match.decode() > member)
            ]
            if fresh:
                return fresh
            skip += size


def _fits(wanted: MatchFilter, snapshot: Snapshot) -> bool:
    setup, head = snapshot.setup, snapshot.head
    return (
        (wanted.game is None or setup.game == wanted.game)
        and (wanted.ladder is None or setup.ladder == wanted.ladder)
        and (wanted.bot is None or setup.seat_of(wanted.bot) is not None)
        and (wanted.status is None or head.status is wanted.status)
        and (wanted.result is None or head.ending == wanted.result)
        and (wanted.void is None or wanted.void == is_void(head, snapshot.remarks))
    )


def _facet(wanted: MatchFilter) -> str:
    if wanted.bot is not None:
        return f"bot:{wanted.bot}"
    if wanted.ladder is not None:
        return f"ladder:{wanted.ladder}"
    return "all" if wanted.game is None else f"game:{wanted.game}"


def _list_key(facet: str, part: str) -> str:
    return f"kozyr:{{matches:{facet}}}:{part}"


def _bot_keys(bot_id: str) -> tuple[str, str, str, str, str]:
    tag = f"kozyr:{{bot:{bot_id}}}:"
    return f"{tag}active", f"{tag}finished", f"{tag}finished-count", f"{tag}version", f"{tag}reserved"


def _pairs(raw: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(raw[::2], raw[1::2], strict=True)


def _write_cursor(part: str, score: str, member: str) -> str:
    return base64url.encode(f"{part} {score} {member}".encode())


def _read_cursor(cursor: str | None, start: tuple[str, str, str]) -> tuple[str, str, str]:
    if cursor is None:
        return start
    try:
        text = base64url.decode(cursor).decode()
        part, score, member = text.split(" ")
        if part not in ("live", "ended", "old") or (part == "old") != (start[0] == "old"):
            raise ValueError(part)
        return part, str(int(score)), member
    except ValueError as error:
        raise BadCursor("this cursor was not given by this list; leave it out to begin anew") from error
