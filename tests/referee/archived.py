"""A referee with an archive in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from records.chain import digest
from redisio.connection import Redis
from referee.archive.archiver import ArchiveFault, Archiver
from referee.archive.objects import ObjectStore
from referee.archive.redis import RedisRegister
from referee.archive_index.index import ArchiveIndex
from referee.object_store import Objects
from referee.storage.redis import finished_key
from tests.referee.world import T0, World, house

HOT_MS = 1_000


class ArchivedWorld(World):
    """A referee with finished matches, and their archive in a folder."""

    def __init__(self, redis: Redis, folder: Path) -> None:
        super().__init__(redis)
        self.folder = folder
        self.options = replace(self.options, archive=lambda: ObjectStore(folder))
        self.now = T0 + HOT_MS

    def another_process(self) -> ArchivedWorld:
        other = ArchivedWorld(self.redis, self.folder)
        other.now = self.now
        return other

    def played(self, count: int) -> list[str]:
        """Play matches among house bots, put their records into the chain, and return their ids."""
        ids = [self.match([house("dice"), house("dice")]) for _ in range(count)]
        for match in ids:
            while self.referee.go_on(match, 1.0):
                pass
        self.chained(ids)
        return ids

    def chained(self, ids: Sequence[str]) -> None:
        found = self.referee.records([self.look(match) for match in ids])
        self.chain.append({record.config.id: digest(record.to_json()) for record in found})

    def moved(self, *, partial: bool = True, most: int = 100, objects: Objects | None = None) -> int:
        """Run the archiver once."""
        archiver = Archiver(
            RedisRegister(self.redis),
            objects or self.required(),
            self.required_index(),
            self.store,
            self.chain,
            lambda: self.now,
            leftovers=self.leftovers(),
            most=most,
        )
        return archiver.run(HOT_MS, partial=partial)

    def required(self) -> Objects:
        assert self.objects is not None
        return self.objects

    def required_index(self) -> ArchiveIndex:
        assert self.archive_index is not None
        return self.archive_index

    def findings(self) -> list[str]:
        return [found.wrong for found in self.faults()]

    def faults(self) -> list[ArchiveFault]:
        assert self.archiver is not None
        return [found for _, findings in self.archiver.verify() for found in findings]

    def documents(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return records, frames and events of these matches as a new process reads them."""
        other = self.another_process()
        loaded_matches = [other.look(match) for match in ids]
        return [
            {
                **other.referee.record(loaded).to_json(),
                "events": other.referee.events(loaded, 0, 0, 1000),
                "frames": other.referee.frames(loaded, None, 0, 1000),
            }
            for loaded in loaded_matches
        ]

    def is_archived(self, match: str) -> bool:
        return self.look(match).archived and not self.redis.one("EXISTS", finished_key(match))
