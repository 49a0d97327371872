"""The stored evidence: which matches, lists, outboxes, links and totals Redis has. All reads are in bounded pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import orjson

from league.ladders.model import Totals
from league.ladders.redis_totals import key_of, packed, round_keys, season_key, version_key
from league.ratings.redis_archive import key_of as ratings_key
from league.ratings.redis_archive import place_of
from records.ids import buckets, is_match_id
from records.match.session import MatchConfig
from records.results.group_result import GroupResult
from redisio.connection import Redis, scan
from redisio.scripts import Command, Script
from referee.proofs.redis import ARCHIVED, BASE_KEY, IDS, LINKS_KEY, NUMBERS_KEY
from referee.storage.index import facets
from referee.storage.redis import finished_key, match_key
from referee.storage.redis_index import list_key

CUT: Final = Script("league.consistency", "chain_cut.lua")
AT_ONCE: Final = 200
"""How many matches are read at once."""
_BATCH: Final = 1000


_LISTS: Final = (
    ("kozyr:{matches:*}:live", "zset"),
    ("kozyr:{matches:*}:ended", "zset"),
    ("kozyr:{bot:*}:active", "set"),
    ("kozyr:{bot:*}:finished", "zset"),
)


class MatchList(NamedTuple):
    """A collection of match ids in one key."""

    key: str
    kind: str
    """`set` or `zset`."""

    def __str__(self) -> str:
        return self.key


class RedisEvidence:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    # Matches and lists

    def stored(self) -> Iterator[list[str]]:
        """Yield the ids of all matches in Redis, each once or more often."""
        for what, key_of_match in (("match", match_key), ("finished", finished_key)):
            for keys in scan(self._redis, f"kozyr:{{*}}:{what}:*"):
                ids = [key.rpartition(":")[2] for key in keys]
                yield from _batched(
                    match
                    for match, key in zip(ids, keys, strict=True)
                    if is_match_id(match) and key == key_of_match(match)
                )

    def missing(self, matches: Sequence[str]) -> list[str]:
        """Return those of these matches that Redis does not have."""
        found = self._redis.all([("EXISTS", match_key(each), finished_key(each)) for each in matches])
        return [match for match, number in zip(matches, found, strict=True) if not number]

    def unlisted(self, config: MatchConfig, *, over: bool, listed: bool) -> list[str]:
        """Return the lists that should name a match and don't, or name it and should not."""
        wanted = {list_key(facet, "live"): not over for facet in facets(config) if listed}
        wanted |= {list_key(facet, "ended"): over for facet in facets(config) if listed}
        if not over:
            wanted |= dict.fromkeys(_bot_lists(config, "finished"), False)
        active = _bot_lists(config, "active")
        commands: list[Command] = [("ZSCORE", key, config.id) for key in wanted]
        commands += [("SISMEMBER", key, config.id) for key in active]
        wanted |= dict.fromkeys(active, not over)
        answers = self._redis.all(commands)
        return [
            key
            for (key, named), answer in zip(wanted.items(), answers, strict=True)
            if named != (answer not in (None, 0))
        ]

    def begin_again(self, config: MatchConfig) -> None:
        """Remove a match that is not over from all lists of finished ones, which would keep it for ever."""
        lists = [list_key(facet, "ended") for facet in facets(config)]
        self.run(*(("ZREM", key, config.id) for key in (*lists, *_bot_lists(config, "finished"))))

    def lists(self) -> Iterator[MatchList]:
        for pattern, kind in _LISTS:
            for keys in scan(self._redis, pattern):
                yield from (MatchList(key, kind) for key in dict.fromkeys(keys))

    def members(self, found: MatchList) -> Iterator[list[str]]:
        """Yield the matches of a list, each once or more often."""
        cursor: Any = 0
        while True:
            command = "SSCAN" if found.kind == "set" else "ZSCAN"
            cursor, raw = self._redis.one(command, found.key, cursor, "COUNT", AT_ONCE)
            yield from _batched(each.decode() for each in (raw if found.kind == "set" else raw[::2]))
            if not int(cursor):
                return

    def unlist(self, found: MatchList, match: str) -> None:
        self._redis.one("SREM" if found.kind == "set" else "ZREM", found.key, match)

    # Buckets

    def left_over(self) -> Iterator[tuple[str, str, Command]]:
        """Yield outboxes and sets of deadlines with a match that is missing, and what removes it there."""
        for bucket in buckets():
            tag = f"kozyr:{{{bucket}}}:"
            for entry in self._pages(f"{tag}outbox", "LRANGE"):
                yield from self._without_match(
                    f"{tag}outbox", entry.split(" ")[1], ("LREM", f"{tag}outbox", 0, entry)
                )
            for match in self._pages(f"{tag}deadlines", "ZRANGE"):
                yield from self._without_match(f"{tag}deadlines", match, ("ZREM", f"{tag}deadlines", match))

    def _without_match(self, key: str, match: str, command: Command) -> Iterator[tuple[str, str, Command]]:
        if self.missing([match]):
            yield key, match, command

    def run(self, *commands: Command) -> None:
        """Run commands that remove something."""
        self._redis.all(commands)

    def _pages(self, key: str, command: str) -> Iterator[str]:
        """Yield the members of a list or a sorted set. What is removed meanwhile hides others, which the next check
        finds."""
        start = 0
        while page := self._redis.one(command, key, start, start + AT_ONCE - 1):
            yield from (raw.decode() for raw in page)
            start += len(page)

    # The chain

    def chained(self, first: int = 1) -> Iterator[list[tuple[int, str]]]:
        """Yield the numbers and matches of the records that are not archived, from this number on, in order."""
        archived = int(self._redis.one("GET", ARCHIVED) or 0)
        start = max(0, first - archived - 1)
        while page := self._redis.one("LRANGE", IDS, start, start + AT_ONCE - 1):
            yield [(archived + start + place + 1, raw.decode()) for place, raw in enumerate(page)]
            start += len(page)

    def cut_chain(self, number: int) -> None:
        """Remove the records from this number on from the chain."""
        for page in self.chained(number):
            self._redis.one("HDEL", NUMBERS_KEY, *(match for _, match in page))
        self._redis.one(*CUT.call((LINKS_KEY, BASE_KEY, ARCHIVED, IDS), number))

    # Rounds

    def waits(self, ladder: str, number: int) -> dict[str, int]:
        """Return the match keys that a round waits for, with their tables: those that are open, and those whose groups
        have not ended."""
        found: dict[str, int] = {}
        for what in ("open", "held"):
            flat = self._redis.one("HGETALL", key_of(ladder, f"{what}:{number}"))
            found |= {key.decode(): int(table) for key, table in zip(flat[::2], flat[1::2], strict=True)}
        return found

    def open_again(self, ladder: str, number: int, match: str, table: int) -> None:
        """Let a round wait for a match that had ended before its group, and is played again."""
        self.run(
            ("HDEL", key_of(ladder, f"held:{number}"), match),
            ("HSET", round_keys(ladder, number)[1], match, table),
        )

    # Standings

    def set_totals(
        self,
        ladder: str,
        season: int,
        lines: Mapping[str, Mapping[str, Totals]],
        gone: Iterable[str],
        void: Mapping[int, Sequence[str]],
    ) -> None:
        """Replace the totals, also in the rows that are `gone`, and add matches that were taken back, by round."""
        commands: list[Command] = [("DEL", season_key(ladder, season, row)) for row in {*lines, *gone}]
        for row, totals in lines.items():
            flat = [part for line, each in totals.items() for part in (line, packed(each))]
            commands.append(("HSET", season_key(ladder, season, row), *flat))
        commands += [
            ("SADD", key_of(ladder, f"void:{number}"), *keys) for number, keys in void.items() if keys
        ]
        self.run(*commands, ("INCR", version_key(ladder)))

    # Ratings

    def results(self, preset: str) -> Iterator[list[GroupResult]]:
        """Yield the results of a preset that are not archived."""
        cursor: Any = 0
        while True:
            cursor, flat = self._redis.one("HSCAN", ratings_key(preset, "outcomes"), cursor, "COUNT", AT_ONCE)
            yield [GroupResult.from_json(orjson.loads(raw)) for raw in flat[1::2]]
            if not int(cursor):
                return

    def has_result(self, preset: str, group: str, expected: GroupResult | None) -> bool:
        """Return whether a group has this result, or `None`, in the ratings. Archived results are not looked at."""
        raw = self._redis.one("HGET", ratings_key(preset, "outcomes"), group)
        if raw is not None:
            return expected == GroupResult.from_json(orjson.loads(raw))
        if expected is None:
            return True
        top = self._redis.one("HGET", ratings_key(preset, "head"), "top") or b""
        return place_of(expected.ended, group) <= top.decode()


def _bot_lists(config: MatchConfig, what: str) -> list[str]:
    return [f"kozyr:{{bot:{seat.id}}}:{what}" for seat in config.seats if seat is not None and not seat.house]


def _batched(ids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while batch := list(islice(rest, AT_ONCE)):
        yield batch
