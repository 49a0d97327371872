"""The index of matches in Redis.

kozyr:{bot:ID}:active           set   matches of the bot that aren't over
kozyr:{bot:ID}:finished         zset  its last finished matches by running number
kozyr:{bot:ID}:finished-count   int
kozyr:{bot:ID}:peak             int   how many matches it has played at a time lately, times 16
kozyr:{bot:ID}:reserved         zset  slots reserved for new matches, MATCH/HOLDER by the instant (ms) of expiry
kozyr:{bot:ID}:version          int   changes with every feed about the bot
kozyr:epoch                     eight random bytes, replaced after each start of Redis
kozyr:epoch-run                 the `run_id` of Redis at the time of the epoch, or those of all masters of a cluster
kozyr:{matches:FACET}:live      zset  matches that aren't over, by creation (ms)
kozyr:{matches:FACET}:ended     zset  finished matches, by end (ms), until they move to the archive; FACET as in
                                      `referee.storage.index.facets`

ID is also that of a person, whose `finished`, `finished-count`, `peak` and `version` expire.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from records.match.loaded_match import LoadedMatch
from records.match.session import MatchConfig, Status
from redisio.connection import WAKE_CHANNEL, Redis
from redisio.scripts import Command, Script
from redisio.sorted_sets import Place, SortedSetPages
from referee import base64url
from referee.errors import BadCursor
from referee.storage import paging
from referee.storage.archived import ArchivedMatches
from referee.storage.index import BotMatches, ListedMatch, ListedPlace, MatchFilter, MatchPage, Probe, facets
from referee.storage.redis import RedisMatchStore, finished_key, match_key

FINISH: Final = Script("referee.storage", "reservations.lua", "finish.lua")
JOIN: Final = Script("referee.storage", "reservations.lua", "join.lua")
RESERVE: Final = Script("referee.storage", "reservations.lua", "reserve.lua")
LIST: Final = Script("referee.storage", "list.lua")

LEAST_KEPT: Final = 40
"""How many finished matches of a bot its own list keeps, besides one for each match that it plays at a time. With 128
or fewer, Redis keeps the list in 45 bytes a match, else in 100."""
MOST_KEPT: Final = 1000
"""The most that the list keeps."""
PERSON_KEPT_MS: Final = 86_400_000
"""How long the list of a person is kept after a match. Nobody polls it, and every visitor may be another person."""
RESERVED_MS: Final = 10_000
"""How long a new match keeps its slot before the index contains it."""
EPOCH_S: Final = 1.0
"""How long a process remembers the epoch."""
_CHUNK: Final = 200
_Places = dict[Place, ListedPlace | None]
"""Places in a list, in its order. Those in the archive have what the list shows."""
_EPOCH: Final = "kozyr:epoch"
_EPOCH_RUN: Final = "kozyr:epoch-run"


class RedisMatchIndex:
    def __init__(
        self,
        redis: Redis,
        store: RedisMatchStore,
        archived: ArchivedMatches | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`archived` continues the lists of finished matches in the archive."""
        self.redis, self.store, self._archived = redis, store, archived
        self._monotonic = monotonic
        self._epoch: _KnownEpoch | None = None

    def feed(self, shown: Sequence[ListedMatch]) -> None:
        """Take in matches and wake their bots' waiters. Safe to repeat; an old state fed late does no lasting harm."""
        commands: list[tuple[Any, ...]] = []
        lists: dict[str, list[Any]] = {}
        woken: dict[str, None] = {}
        for config, progress, listed, archived in shown:
            over = progress.status is Status.FINISHED
            remote = [seat for seat in config.seats if seat is not None and not seat.house]
            woken |= dict.fromkeys(seat.id for seat in remote)
            if over and listed and config.group is not None:
                # Its streams show the match to everybody now.
                woken[config.id] = None
            for seat in remote:
                active, finished, _, version, reserved, _ = own = _bot_keys(seat.id)
                if over:
                    kept_ms = PERSON_KEPT_MS if seat.person else ""
                    commands.append(FINISH.call(own, config.id, LEAST_KEPT, MOST_KEPT, kept_ms))
                else:
                    commands.append(JOIN.call((active, finished, version, reserved), config.id))
            for facet in facets(config) if listed and not archived else ():
                at = progress.ended if over else config.created
                lists.setdefault(facet, []).extend((config.id, at, int(over)))
        for facet, matches in lists.items():
            keys = (list_key(facet, "live"), list_key(facet, "ended"))
            commands += [
                LIST.call(keys, *matches[start : start + 3 * _CHUNK])
                for start in range(0, len(matches), 3 * _CHUNK)
            ]
        if woken:
            commands.append(("PUBLISH", WAKE_CHANNEL, " ".join(["-", *woken])))
        self.redis.all(commands)
        if self._archived is not None:
            self._unlist([config for config, _, listed, _ in shown if listed])

    def _unlist(self, listed: Sequence[MatchConfig]) -> None:
        """Remove matches that are no longer in Redis from the lists there.

        A match may have moved to the archive after it was read and before it was listed. The archive removes a match
        before its places in the lists, so a match that is still here needs nothing.
        """
        stored = self.redis.all(
            [("EXISTS", match_key(config.id), finished_key(config.id)) for config in listed]
        )
        commands = [
            ("ZREM", list_key(facet, part), config.id)
            for config, number in zip(listed, stored, strict=True)
            if not number
            for facet in facets(config)
            for part in ("live", "ended")
        ]
        self.redis.all(commands)

    def mine(self, bot_id: str, after: int | None, most: int) -> BotMatches:
        """Return a bot's matches in one round trip.

        Includes at most `most` finished matches: the oldest ones with numbers above `after`, or the last ones if it is
        `None`.
        """
        active, finished, _, version, *_ = _bot_keys(bot_id)
        probe = ("GET", version)
        if after is None:
            ended: tuple[Any, ...] = ("ZREVRANGE", finished, 0, most - 1, "WITHSCORES")
        else:
            ended = ("ZRANGEBYSCORE", finished, f"({after}", "+inf", "WITHSCORES", "LIMIT", 0, most)
        epoch, asked_at, changes = self._known_epoch(), self._monotonic(), self.redis.changes
        commands: list[Command] = [probe, ("SMEMBERS", active), ended]
        if epoch is None:
            commands.append(("GET", _EPOCH))
        seen, members, pairs, *found = self.redis.all(commands)
        if epoch is None or seen is None:  # a bot without a version is new, or its data were lost
            epoch = (found[0] if found else self.redis.one("GET", _EPOCH)) or self._new_epoch()
            self._epoch = _KnownEpoch(epoch, changes, asked_at)
        return BotMatches(
            epoch,
            sorted(match.decode() for match in members),
            sorted((int(float(number)), match.decode()) for match, number in _pairs(pairs)),
            probe,
            seen,
        )

    def running(self, bot_ids: Sequence[str]) -> dict[str, int]:
        counts = self.redis.all([("SCARD", _bot_keys(bot)[0]) for bot in bot_ids])
        return {bot: int(count) for bot, count in zip(bot_ids, counts, strict=True)}

    def unfinished(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for _, snapshot in self._all("live"):
            if snapshot is not None and not snapshot.finished:
                counts[snapshot.progress.status.value] += 1
        return dict(counts)

    def known(self) -> Iterator[str]:
        """Yield every listed match, each read just before it is yielded."""
        for part in ("live", "ended"):
            for match, _ in self._all(part):
                yield match

    def _all(self, part: str) -> Iterator[tuple[str, LoadedMatch | None]]:
        place = None
        while chunk := self._places("all", part, place, None, paging.AT_ONCE, descending=False):
            *_, place = chunk
            matches = [each.member for each in chunk]
            yield from zip(matches, self.store.read(matches), strict=True)

    def _places(
        self,
        facet: str,
        part: str,
        after: Place | None,
        first: int | None,
        most: int,
        *,
        descending: bool,
    ) -> _Places:
        """Return places of a list after `after`, or from the instant `first` on, in Redis and the archive.

        Redis is read first: what leaves it meanwhile is in the archive already.
        """
        walk = SortedSetPages(self.redis, list_key(facet, part), descending=descending)
        here: _Places = dict.fromkeys(walk.after(after, most, first))
        if part != "ended" or self._archived is None:
            return here
        there = self._archived.listed(facet, after, first, most, descending=descending)
        both = {**{each.place: each for each in there}, **here}
        return {place: both[place] for place in sorted(both, reverse=descending)[:most]}

    def reserve(self, bot_id: str, match: str, *, holder: str, max_matches: int) -> bool:
        """Reserve one of the bot's `max_matches` slots for a new match. Returns whether it has one. Safe to repeat.

        The slot is taken for `RESERVED_MS`, or until the match is over once the index contains it.
        """
        active, *_, reserved, _ = _bot_keys(bot_id)
        call = RESERVE.call((active, reserved), match, holder, max_matches, RESERVED_MS)
        return bool(self.redis.one(*call))

    def release(self, bot_id: str, match: str, holder: str) -> None:
        """Release this holder's reservation. The match keeps its slot as long as another holder has one."""
        self.redis.one("ZREM", _bot_keys(bot_id)[-2], f"{match}/{holder}")

    def probe(self, match: str) -> Probe:
        """Return the command that reads a value which changes with every commit of a match."""
        return ("HGET", match_key(match), "version")

    def seen(self, version: int) -> object:
        """Return the reply to `probe` at this version of the match."""
        return b"%d" % version

    def connected(self, run: str) -> None:
        """Note `run`, the `run_id` of Redis or those of all masters, and begin a new epoch if it has changed.

        A restarted Redis may have lost its last writes and assign a number again that is already in a cursor. The new
        epoch outdates all cursors, so that bots get everything again.
        """
        epoch, epoch_run = self.redis.all([("GET", _EPOCH), ("GET", _EPOCH_RUN)])
        if epoch_run == run.encode():
            self._epoch = None  # another process may have begun it
            return
        if epoch is not None:
            self.redis.one("SET", _EPOCH, secrets.token_bytes(8))
        self.redis.one(
            "SET", _EPOCH_RUN, run
        )  # last, so that the next connection repeats an unfinished change
        self._epoch = None

    def _known_epoch(self) -> bytes | None:
        """Return the epoch that this process remembers, so that not every poll reads the same key.

        An outdated epoch does no harm: a cursor that contains it is outdated too, and bots get everything again.
        """
        known = self._epoch
        if known is None or known.changes != self.redis.changes:
            return None
        return known.text if self._monotonic() - known.asked_at < EPOCH_S else None

    def _new_epoch(self) -> bytes:
        self.redis.one("SET", _EPOCH, secrets.token_bytes(8), "NX")
        epoch: bytes = self.redis.one("GET", _EPOCH)
        return epoch

    def matches(self, wanted: MatchFilter, cursor: str | None, most: int) -> MatchPage:
        """Return matches, newest first: active ones by creation, then finished ones by end. Raises `BadCursor`."""
        part, place = _read_cursor(cursor, "live")
        parts = ["live", "ended"] if part == "live" else ["ended"]
        if wanted.status is Status.FINISHED or wanted.result is not None:
            parts = [name for name in parts if name == "ended"]
        elif wanted.status is not None:
            parts = [name for name in parts if name == "live"]
        starts = [(name, name, place if name == part else None) for name in parts]
        return self._page(starts, wanted, most, descending=True)

    def ended(self, wanted: MatchFilter, cursor: str | None, most: int) -> MatchPage:
        """Return finished matches in the order (ended, id), oldest first. Raises `BadCursor`."""
        _, place = _read_cursor(cursor, "old")
        return self._page([("old", "ended", place)], wanted, most, descending=False)

    def _page(
        self,
        parts: Sequence[tuple[str, str, Place | None]],
        wanted: MatchFilter,
        most: int,
        *,
        descending: bool,
    ) -> MatchPage:
        """Return one page of several lists, in order.

        Each part has its name in cursors, the last part of its key, and the position to continue after.
        """
        ids: list[str] = []
        archived: dict[str, ListedPlace] = {}
        left = paging.MOST_EXAMINED
        for name, key, start in parts:
            place, (facet, rest) = start, _listed_under(wanted)
            first, last = (wanted.until, wanted.since) if descending else (wanted.since, wanted.until)
            while chunk := _until(
                self._places(facet, key, place, first, min(paging.AT_ONCE, left), descending=descending),
                last,
                descending,
            ):
                fitting = self._fitting(chunk, wanted, rest)
                for place, listed in chunk.items():
                    left -= 1
                    if place.member in fitting:
                        ids.append(place.member)
                        if listed is not None:
                            archived[place.member] = listed
                    if len(ids) == most or left == 0:
                        return MatchPage(ids, _write_cursor(name, place), archived)
        return MatchPage(ids, None, archived)

    def _fitting(self, chunk: _Places, wanted: MatchFilter, rest: MatchFilter) -> set[str]:
        """Return which matches of these places pass the filter. Reads them, unless nothing is left to check (`rest`) of
        matches in their list."""
        asked = [place.member for place in chunk]
        if rest == MatchFilter():
            return set(asked)
        archived = {place.member: listed for place, listed in chunk.items() if listed is not None}
        found = zip(asked, self.store.read(asked, known=archived), strict=True)
        return {match for match, snapshot in found if snapshot is not None and wanted.fits(snapshot)}


class _KnownEpoch(NamedTuple):
    """An epoch, `Redis.changes` before it was read, and the monotonic instant of that."""

    text: bytes
    changes: int
    asked_at: float


def _until(chunk: _Places, last: int | None, descending: bool) -> _Places:
    """Return the places up to the last instant that the filter wants."""
    if last is None:
        return chunk
    return {
        place: listed
        for place, listed in chunk.items()
        if (place.score >= last if descending else place.score <= last)
    }


def _listed_under(wanted: MatchFilter) -> tuple[str, MatchFilter]:
    """Return the list with the fewest matches that may fit, and what the filter wants of those in it besides dates."""
    rest = wanted._replace(since=None, until=None)
    if wanted.bot is not None:
        return f"bot:{wanted.bot}", rest._replace(bot=None)
    if wanted.opponent is not None:
        return f"bot:{wanted.opponent}", rest._replace(opponent=None)
    if wanted.ladder is not None:
        return f"ladder:{wanted.ladder}", rest._replace(ladder=None)
    return "all" if wanted.game is None else f"game:{wanted.game}", rest._replace(game=None)


def list_key(facet: str, part: str) -> str:
    """Return the key of a list; `part` is `live` or `ended`."""
    return f"kozyr:{{matches:{facet}}}:{part}"


def _bot_keys(bot_id: str) -> tuple[str, str, str, str, str, str]:
    tag = f"kozyr:{{bot:{bot_id}}}:"
    own = ("active", "finished", "finished-count", "version", "reserved", "peak")
    active, finished, number, version, reserved, peak = (tag + name for name in own)
    return active, finished, number, version, reserved, peak


def _pairs(raw: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(raw[::2], raw[1::2], strict=True)


def _write_cursor(part: str, place: Place) -> str:
    return base64url.encode(f"{part} {place.score:.0f} {place.member}".encode())


def _read_cursor(cursor: str | None, begin: str) -> tuple[str, Place | None]:
    """Return the list of a cursor and the position to continue after; the start of `begin` without a cursor.

    Raises `BadCursor`.
    """
    if cursor is None:
        return begin, None
    try:
        part, score, member = base64url.decode(cursor).decode().split(" ")
        if part not in ("live", "ended", "old") or (part == "old") != (begin == "old"):
            raise ValueError(part)
        return part, Place(float(int(score)), member)
    except ValueError as error:
        raise BadCursor(
            "this cursor was not issued by this list; leave it out to start at the beginning"
        ) from error
