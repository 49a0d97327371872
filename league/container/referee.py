"""The parts that run matches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from random import Random
from typing import ClassVar, Final, NamedTuple

from league.container.options import ContainerOptions
from records.chain import digest
from records.ids import CLUSTER_BUCKETS, use_buckets
from records.match.loaded_match import LoadedMatch
from redisio.connection import Pipeline, Redis
from redisio.errors import UNAVAILABLE, StoreFull
from redisio.group_commit import patience
from referee.after_commit import AfterCommit
from referee.archive.archiver import Archiver
from referee.archive.objects import ObjectStore
from referee.archive.reader import ArchiveReader
from referee.archive.redis import Leftovers, RedisRegister
from referee.archive_index.index import ArchiveIndex, Renewals
from referee.archive_index.manifest import Manifest
from referee.byte_cache import ByteCache
from referee.dumps.redis import DumpReader, RedisDumps
from referee.dumps.writer import DumpWriter
from referee.duplicate_groups import Groups
from referee.feed import Feed, MatchReader, Reader
from referee.groups.redis import RedisGroupStore
from referee.object_store import ArchiveAway, Objects
from referee.polling.broadcasts import Streams
from referee.polling.hub import Hub
from referee.polling.turns import Turns
from referee.proofs.proof import Proofs
from referee.proofs.redis import RedisChain
from referee.referee import Referee
from referee.service.errors import RedisErrors
from referee.service.processes import RedisProcesses
from referee.service.redis import RedisService
from referee.service.redis_load import RedisLoad
from referee.storage.redis import RedisMatchStore
from referee.storage.redis_index import RedisMatchIndex
from referee.storage.store import OutboxKind
from referee.stored_names import RENEWALS

ARCHIVING_S: Final = 0.5
"""How long one call of `archive_old` moves what belongs to no match, and how long it compacts the index; each ends with
the step that it began."""


class Subscribers(NamedTuple):
    """What the feed calls."""

    readers: Sequence[Reader]
    """With groups of matches once their records may be read."""
    ended: Sequence[MatchReader] = ()
    """With finished matches, whose groups may still be running."""
    fed: Sequence[MatchReader] = ()
    """With all matches that the feed takes in."""


@dataclass(eq=False)
class RefereeContainer:
    """Creates each part when it is first used. One container serves one process."""

    options: ContainerOptions

    store_errors: ClassVar[tuple[type[Exception], ...]] = (*UNAVAILABLE, ArchiveAway)
    """The errors that the store raises when it is unavailable."""
    full_errors: ClassVar[tuple[type[Exception], ...]] = (StoreFull,)
    """The errors of `store_errors` that mean that the store is full."""

    patience = staticmethod(patience)
    """Limits how long a block waits for Redis (`redisio.group_commit`)."""

    # 1. Redis

    @cached_property
    def redis(self) -> Redis:
        """The connection for everything but pub/sub and RQ."""
        redis = self.options.connect()
        use_buckets(CLUSTER_BUCKETS if redis.is_cluster else 1)
        return redis

    def create_all(self) -> None:
        """Create all services now, before threads and greenlets share them."""
        for cls in type(self).__mro__:
            for name, part in vars(cls).items():
                if isinstance(part, cached_property):
                    getattr(self, name)

    @cached_property
    def pipeline(self) -> Callable[[], Pipeline]:
        """Returns a new pipeline for one round trip to the store."""
        return partial(Pipeline, self.redis)

    @cached_property
    def store(self) -> RedisMatchStore:
        return RedisMatchStore(self.redis, self.archive)

    @cached_property
    def objects(self) -> Objects | None:
        """The object store of the archive, if there is one."""
        found = None if self.options.archive is None else self.options.archive()
        if isinstance(found, ObjectStore):
            found.note_away = self._note_archive
        return found

    def _note_archive(self, is_away: bool) -> None:
        """Show in the metrics whether any process found the archive away. While Redis is away too, that is enough."""
        with suppress(*UNAVAILABLE):
            self.load.note_archive(is_away=is_away)

    @cached_property
    def archive(self) -> ArchiveReader | None:
        """Reads archived matches."""
        if self.objects is None or self.archive_index is None:
            return None
        return ArchiveReader(RedisRegister(self.redis), self.objects, self.archive_index, self.archive_cache)

    @cached_property
    def archive_cache(self) -> ByteCache:
        """What this process keeps of the archive."""
        return ByteCache()

    @cached_property
    def archive_index(self) -> ArchiveIndex | None:
        """Where archived matches, and what they left, are looked up."""
        if self.objects is None:
            return None
        manifest = Manifest(self.redis)
        return ArchiveIndex(manifest, self.objects, self.archive_cache, self.options.now, self.renewals)

    def renewals(self) -> Renewals:
        """Return what writes the present names of bots into the index of the archive."""
        return RENEWALS

    @cached_property
    def index(self) -> RedisMatchIndex:
        """Lists that span matches."""
        return RedisMatchIndex(self.redis, self.store, self.archive, self.options.monotonic)

    @cached_property
    def processes(self) -> RedisProcesses:
        return RedisProcesses(self.redis)

    @cached_property
    def service(self) -> RedisService:
        """The service state: running, draining or paused."""
        return RedisService(self.redis, self.store, self.options.disk)

    @cached_property
    def errors(self) -> RedisErrors:
        """What processes have logged as errors."""
        return RedisErrors(self.redis)

    @cached_property
    def load(self) -> RedisLoad:
        """The load of the whole service."""
        return RedisLoad(
            self.redis,
            settle_ms=self.options.timings.settle_ms,
            matches=self.store,
            chain=self.chain,
            register=RedisRegister(self.redis),
            manifest=Manifest(self.redis),
            dumps=RedisDumps(self.redis),
            hot_ms=self.options.hot_ms,
            now=self.options.now,
        )

    @cached_property
    def group_store(self) -> RedisGroupStore:
        return RedisGroupStore(self.redis, self.archive_index)

    # 2. Matches

    @cached_property
    def referee(self) -> Referee:
        """The referee. It feeds the indexes after each commit that concerns them."""
        options = self.options
        return Referee(
            self.store,
            self.group_store,
            options.players,
            options.thinkers if options.asks_thinkers else {},
            options.timings,
            rng=options.rng or Random(),
            monotonic=options.monotonic,
            changed=self.on_changed,
        )

    @cached_property
    def after_commit(self) -> AfterCommit:
        """The referee's guard of hooks that run after a commit."""
        return self.referee.after_commit

    @cached_property
    def groups(self) -> Groups:
        """Duplicate groups."""
        return Groups(self.group_store, self.referee, self.options.now, self.hold_groups)

    def hold_groups(self, groups: Mapping[str, Collection[str]]) -> Collection[str]:
        """Return those of these ladders that withhold the results of their groups (`Groups`)."""
        return ()

    @cached_property
    def feed(self) -> Feed:
        """Passes committed matches on to indexes, groups and subscribers."""
        return Feed(self.referee, self.index, self.groups, *self.subscribers())

    def subscribers(self) -> Subscribers:
        """Return what hears of finished matches."""
        return Subscribers([self.chain_records])

    def on_changed(self, changed: Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]) -> None:
        """Feed matches that were just committed and take them out of the outboxes."""
        matches = [match for match, kinds in changed if OutboxKind.INDEX in kinds]
        if not matches:
            return
        # If this raises, the entries stay in the outboxes, and the deadline loop feeds the matches.
        self.feed(matches)
        self.store.done([f"{OutboxKind.INDEX} {match.id} {match.version}" for match in matches])

    # 3. Polls

    @cached_property
    def hub(self) -> Hub:
        """The waiting polls of this process."""
        return Hub(self.options.max_polls, self.options.max_waits)

    @cached_property
    def turns(self) -> Turns:
        key = self.secret.encode()
        return Turns(
            self.referee, self.index, self.hub, self.group_store, key, self.options.monotonic, self.leaves
        )

    def leaves(self, bot: str) -> bool:
        """Return whether a remote bot finishes its matches and begins none."""
        return False

    @cached_property
    def streams(self) -> Streams:
        return Streams(self.referee, self.index, self.hub, self.options.monotonic)

    @property
    def secret(self) -> str:
        """The pepper of the server."""
        assert self.options.secret is not None, "this container needs a secret"
        return self.options.secret

    # 4. Proofs

    @cached_property
    def chain(self) -> RedisChain:
        """The hash chain of all records."""
        return RedisChain(self.redis, self.archive_index)

    @cached_property
    def proofs(self) -> Proofs:
        return Proofs(self.chain, self.options.signing_key())

    @cached_property
    def archiver(self) -> Archiver | None:
        """Moves old matches to the archive."""
        if self.objects is None or self.archive_index is None:
            return None
        return Archiver(
            RedisRegister(self.redis),
            self.objects,
            self.archive_index,
            self.store,
            self.chain,
            self.options.now,
            leftovers=self.leftovers(),
        )

    def note_damaged(self, objects: Sequence[str]) -> None:
        """Note which objects of the archive are damaged, all others are not."""
        if self.archive_index is not None:
            self.archive_index.manifest.note_damaged(*objects, only=True)

    def leftovers(self) -> Sequence[Leftovers]:
        """Return what moves to the archive with finished matches."""
        return [self.group_store]

    def archive_old(self) -> int:
        """Move a segment of matches that ended `hot_ms` ago to the archive, and what else is as old. Return how many
        matches it has. Raise `ArchiveAway`, which the metrics show."""
        if not self.options.hot_ms:
            return 0
        if self.objects is not None and self.load.is_archive_away():
            self.objects.names("nothing/")  # is it back?
        return self.archive_after(self.options.hot_ms)

    def archive_after(self, hot_ms: int, *, partial: bool = False) -> int:
        """Move a segment of matches that ended this long ago (`Archiver.run`), and what else is as old. Then
        compact the index. With `partial`, move small batches too, and all that is as old."""
        if self.archiver is None or self.archive_index is None:
            return 0
        self.leave_redis(self.options.now() - hot_ms, self._timer(partial=partial), partial=partial)
        moved = self.archiver.run(hot_ms, partial=partial)
        has_time = self._timer(partial=partial)
        while self.archive_index.compact() and has_time():
            pass
        return moved

    def _timer(self, *, partial: bool) -> Callable[[], bool]:
        """Return a function that tells whether a part of the archiving, which begins now, may go on."""
        until = self.options.monotonic() + (inf if partial else ARCHIVING_S)
        return lambda: self.options.monotonic() < until

    @cached_property
    def dumps(self) -> DumpReader:
        """The published dumps."""
        return DumpReader(RedisDumps(self.redis), self.objects)

    @cached_property
    def dump_writer(self) -> DumpWriter | None:
        """Writes dumps of past months."""
        if self.objects is None:
            return None
        return DumpWriter(
            RedisRegister(self.redis),
            RedisDumps(self.redis),
            self.objects,
            self.store,
            self.options.now,
        )

    def write_dump(self) -> bool:
        """Advance the dump of a past month by one step. Return whether there may be another one."""
        if self.dump_writer is None or not self.options.hot_ms:
            return False
        return self.dump_writer.step()

    def leave_redis(self, until: int, has_time: Callable[[], bool], *, partial: bool) -> None:
        """Move to the archive what was stored before this instant and belongs to no single match, while `has_time`
        returns true. Without `partial`, small batches wait."""

    def chain_records(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        matches = [match for matches in groups for match in matches if not match.archived]
        records = self.referee.records(matches)
        self.chain.append(
            {record.config.id: digest(record.to_json()) for record in records},
            min((match.progress.ended or 0 for match in matches), default=0),
        )
