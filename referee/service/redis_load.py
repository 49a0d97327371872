"""The load of the service, read from Redis.

kozyr:{service}:thinking  hash  by `BOT moves`, `BOT thought`, `BOT late`: sums over all workers (ms)
kozyr:{service}:upkeep    hash  `backup`: the last verified backup; `archive away`: since when (ms)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from records.ids import buckets
from redisio.connection import Pipeline, Redis
from redisio.scripts import Script
from redisio.server import info_fields
from referee.archive.redis import RedisRegister, waiting
from referee.archive_index.manifest import Manifest
from referee.dumps.months import end_of
from referee.dumps.redis import RedisDumps
from referee.proofs.redis import RedisChain
from referee.storage.redis import RedisMatchStore, clock_key

LOAD: Final = Script("referee.storage", "clock.lua", "load.lua")
THINKING_KEY: Final = "kozyr:{service}:thinking"
UPKEEP_KEY: Final = "kozyr:{service}:upkeep"
BACKUP_FIELD: Final = "backup"
_AWAY_FIELD: Final = "archive away"
_FIELDS: Final = ("moves", "thought", "late")
_WAITING: Final = 256
"""How many records are read if the first ones can't be."""


class ThinkingLoad(NamedTuple):
    """What house bots that think by the clock have done since the data began."""

    moves: int
    thought_ms: int
    """The time allotted to them for searching."""
    late_ms: int
    """The part of it in which their process got no processor: the host was overloaded."""


class ServiceLoad(NamedTuple):
    """The load of the whole service at one moment."""

    matches: int
    """Matches that are not over."""
    outbox: int
    """Entries of the outboxes that nobody has handled."""
    late_ms: int
    """How long ago the oldest expired deadline could have been applied; 0 if none waits."""
    redis_bytes: int
    """The memory of all Redis masters."""
    redis_limit: int
    """Their `maxmemory`; 0 if one of them has none."""
    chained: int
    """Records in the chain."""
    archived: int
    """Records that have moved to the archive."""
    archive_late_ms: int
    """How long ago the oldest record in Redis became due to move to the archive; 0 if none is due."""
    thinking: Mapping[str, ThinkingLoad] = {}
    """By the name of a house bot."""
    index_files: int = 0
    """Files of the index of the archive."""
    index_bytes: int = 0
    """Their size."""
    archive_damaged: int = 0
    """Objects of the archive that were found missing or damaged."""
    replicas: Mapping[str, int] = {}
    """Connected replicas by the address of their master, which is empty outside a Redis Cluster."""
    wait_replicas: int = 0
    """How many of them must have a write before it is acknowledged."""
    dumped_until: int = 0
    """The end of the last month that needs no dump any more, in ms since 1970; 0 before the first."""

    backed_up: int = 0
    """The last verified backup, in ms since 1970; 0 before the first."""
    archive_away_ms: int = 0
    """For how long matches could not be archived because the archive is away; 0 if it is not."""

    @property
    def bytes_per_match(self) -> float:
        """The memory of Redis for each match, archived and running ones included; 0 without a match."""
        matches = self.chained + self.matches
        return self.redis_bytes / matches if matches else 0.0


class RedisLoad:
    def __init__(
        self,
        redis: Redis,
        *,
        settle_ms: int,
        matches: RedisMatchStore,
        chain: RedisChain,
        register: RedisRegister,
        manifest: Manifest,
        dumps: RedisDumps,
        hot_ms: int,
        now: Callable[[], int],
    ) -> None:
        """`hot_ms` after its end a record should be in the archive; 0: never. `now` is the wall clock in ms."""
        self._redis, self._settle_ms = redis, settle_ms
        self._matches, self._chain, self._register = matches, chain, register
        self._manifest, self._dumps = manifest, dumps
        self._hot_ms, self._now = hot_ms, now

    def load(self) -> ServiceLoad:
        """Return the load. Takes a few round trips."""
        pipeline = Pipeline(self._redis)
        loads = [pipeline.ask(list, _load_command(bucket, self._settle_ms)) for bucket in buckets()]
        thinking = pipeline.ask(_pairs, ("HGETALL", THINKING_KEY))
        asked = pipeline.ask(_pairs, ("HGETALL", UPKEEP_KEY))
        pipeline.go()
        matches, outbox, late = zip(*(map(int, each.answer) for each in loads), strict=True)
        used, limit = self._memory()
        head, dumped = self._chain.head(), self._dumps.state().month
        upkeep = asked.answer
        away_since = upkeep.get(_AWAY_FIELD)
        files = self._manifest.read().files()
        return ServiceLoad(
            matches=sum(matches),
            outbox=sum(outbox),
            late_ms=max(late),
            redis_bytes=used,
            redis_limit=limit,
            chained=0 if head is None else head.number,
            archived=self._register.archived(),
            archive_late_ms=self._archive_late_ms(),
            thinking=_thinking(thinking.answer),
            index_files=len(files),
            index_bytes=sum(file.size for file in files),
            archive_damaged=len(self._manifest.damaged()),
            replicas=self._redis.replicas(),
            wait_replicas=self._redis.wait_replicas,
            dumped_until=0 if dumped is None else end_of(dumped),
            backed_up=upkeep.get(BACKUP_FIELD, 0),
            archive_away_ms=0 if away_since is None else max(0, self._now() - away_since),
        )

    def thought(self, done: Mapping[str, ThinkingLoad]) -> None:
        """Add what the bots of one process have done since its last report."""
        commands = [
            ("HINCRBY", THINKING_KEY, f"{bot} {field}", value)
            for bot, thinking in done.items()
            for field, value in zip(_FIELDS, thinking, strict=True)
        ]
        self._redis.all(commands)

    def is_archive_away(self) -> bool:
        """Return whether the archive was away when a process last used it."""
        return bool(self._redis.one("HEXISTS", UPKEEP_KEY, _AWAY_FIELD))

    def note_archive(self, *, is_away: bool) -> None:
        command = (
            ("HSETNX", UPKEEP_KEY, _AWAY_FIELD, self._now()) if is_away else ("HDEL", UPKEEP_KEY, _AWAY_FIELD)
        )
        self._redis.one(*command)

    def _memory(self) -> tuple[int, int]:
        """Return the memory of all masters and their limit, 0 if one has none."""
        answers = self._redis.all(self._redis.on_masters("INFO", "memory"))
        nodes = [info_fields(answer) for answer in answers]
        limits = [int(node.get("maxmemory", 0)) for node in nodes]
        return sum(int(node["used_memory"]) for node in nodes), sum(limits) if all(limits) else 0

    def _archive_late_ms(self) -> int:
        """Return for how long the oldest record in Redis has been due; 0 if nothing is archived."""
        if not self._hot_ms:
            return 0
        records = islice(waiting(self._register, self._matches, 1), _WAITING)
        oldest = next((loaded.progress.ended for _, loaded in records if loaded is not None), None)
        return 0 if oldest is None else max(0, self._now() - self._hot_ms - oldest)


def _load_command(bucket: str, settle_ms: int) -> tuple[Any, ...]:
    tag = f"kozyr:{{{bucket}}}:"
    return LOAD.call((f"{tag}deadlines", f"{tag}outbox", clock_key(bucket)), settle_ms)


def _pairs(flat: list[bytes]) -> dict[str, int]:
    return {field.decode(): int(value) for field, value in zip(flat[::2], flat[1::2], strict=True)}


def _thinking(fields: Mapping[str, int]) -> dict[str, ThinkingLoad]:
    bots = sorted({field.rpartition(" ")[0] for field in fields})
    return {bot: ThinkingLoad(*(fields.get(f"{bot} {field}", 0) for field in _FIELDS)) for bot in bots}
