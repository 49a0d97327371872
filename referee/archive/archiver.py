"""Moves finished matches out of Redis, and verifies what was moved.

Every step may be repeated or interrupted anywhere. Several processes may run it at once; one of them appends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from referee.archive import segment as format_
from referee.archive.segment import ArchivedMatch, BadSegment, Footer, Segment
from referee.archive.store import ArchiveAway, Objects, Register, SegmentEntry
from referee.match.record import Record
from referee.match.session import Status
from referee.match.snapshot import Snapshot
from referee.proofs.proof import GENESIS
from referee.proofs.store import Chain
from referee.storage.pointer import Pointer
from referee.storage.store import MatchStore

SEGMENT_RECORDS: Final = 2048
PARTIAL_MS: Final = 86_400_000
"""How long after its time a record waits for a full segment before a smaller one is written."""
_CHUNK: Final = 256

log = logging.getLogger(__name__)


class ArchiveStatus(NamedTuple):
    """How far the archive is."""

    segments: int
    records: int
    size: int
    """Bytes in all segments."""
    archived: int
    """The number of the last archived record."""
    chained: int
    """The number of the last record of the chain."""
    unfinished: int
    """How many segments have matches that are not replaced by pointers yet."""
    orphans: tuple[str, ...]
    """Objects that the register does not name: what an interrupted run left behind."""


class ArchiveFault(NamedTuple):
    """An error in the archive."""

    where: str
    wrong: str


class Archiver:
    """Moves matches that ended long ago into the archive."""

    def __init__(
        self,
        register: Register,
        objects: Objects,
        store: MatchStore,
        chain: Chain,
        now: Callable[[], int],
        *,
        most: int = SEGMENT_RECORDS,
    ) -> None:
        """`now` returns the wall clock in ms. A segment has at most `most` records."""
        self._register, self._objects = register, objects
        self._store, self._chain, self._now = store, chain, now
        self._most = most

    def run(self, hot_ms: int, *, partial: bool = False) -> int:
        """Write at most one segment, of matches that ended at least `hot_ms` ago, and replace them in Redis. Return how
        many records it has.

        A segment is full, or its oldest record has waited `PARTIAL_MS`; with `partial` any number will do. Raise
        `ArchiveAway`, and `BadSegment` if the object store returns other bytes than were written.
        """
        self._point_all()
        written = self._write(hot_ms, partial=partial)
        if written is None:
            return 0
        self._point_all()
        return len(written.footer.records)

    def status(self) -> ArchiveStatus:
        """Return how far the archive is. Raise `ArchiveAway`."""
        entries = self._register.segments()
        head = self._chain.head()
        known = {entry.name for entry in entries}
        return ArchiveStatus(
            segments=len(entries),
            records=sum(entry.records for entry in entries),
            size=sum(entry.size for entry in entries),
            archived=self._register.archived(),
            chained=head.number if head is not None else 0,
            unfinished=len(entries) - self._register.pointed(),
            orphans=tuple(name for name in self._objects.names("segments/") if name not in known),
        )

    def verify(self) -> Iterator[tuple[SegmentEntry, list[ArchiveFault]]]:
        """Yield each segment with its errors: content, digests, links, and its place in the chain."""
        previous, expected = GENESIS, 1
        for entry in self._register.segments():
            findings: list[ArchiveFault] = []
            try:
                footer, matches = format_.check(entry.name, self._objects.read(entry.name))
            except (BadSegment, ArchiveAway) as error:
                yield entry, [ArchiveFault(entry.name, str(error))]
                previous, expected = b"", entry.last + 1
                continue
            if footer.first != expected or (previous and footer.previous != previous):
                findings.append(
                    ArchiveFault(entry.name, "it does not continue the chain of the segment before")
                )
            if (footer.first, footer.last, len(matches)) != (entry.first, entry.last, entry.records):
                findings.append(ArchiveFault(entry.name, "the register describes it differently"))
            findings += self._unlike_redis(footer)
            yield entry, findings
            previous, expected = footer.links[-1], footer.last + 1

    # Writing

    def _write(self, hot_ms: int, *, partial: bool) -> Segment | None:
        first = self._register.archived() + 1
        ids = self._register.waiting(self._most)
        matches = self._old(ids, self._now() - hot_ms)
        if not matches:
            return None
        aged = (
            self._now() - hot_ms - min(_ended(match) for match in matches if match is not None) >= PARTIAL_MS
        )
        if len(matches) < self._most and not (partial or aged):
            return None
        return self._stored(first, ids[: len(matches)], matches)

    def _old(self, ids: Sequence[str], until: int) -> list[Snapshot | None]:
        """Return the matches from the beginning that ended by this instant; `None` for those that can't be read. The
        last one can be read."""
        found: list[Snapshot | None] = []
        for start in range(0, len(ids), _CHUNK):
            for match in self._store.read(ids[start : start + _CHUNK]):
                if match is not None and (
                    match.progress.status is not Status.FINISHED or _ended(match) > until
                ):
                    return _trimmed(found)
                found.append(match)
        return _trimmed(found)

    def _stored(self, first: int, ids: Sequence[str], matches: Sequence[Snapshot | None]) -> Segment | None:
        links = self._chain.links(ids)
        known = [link for link in links if link is not None]
        if [link.number for link in known] != list(range(first, first + len(ids))):
            log.warning("another process has archived records from %s on", first)
            return None
        made = format_.build(
            [
                ArchivedMatch(link.number, _record(match))
                for link, match in zip(known, matches, strict=True)
                if match is not None
            ],
            first=first,
            previous=known[0].previous,
            links=[link.link for link in known],
            skipped=[match for match, found in zip(ids, matches, strict=True) if found is None],
        )
        self._objects.create(made.name, made.data)
        footer, _ = format_.check(made.name, self._objects.read(made.name))
        entry = SegmentEntry(
            made.name,
            footer.first,
            footer.last,
            len(footer.records),
            len(made.data),
            max(_ended(match) for match in matches if match is not None),
        )
        return made if self._register.append(entry) else None

    # Replacing

    def _point_all(self) -> None:
        """Catalogue and replace the matches of all segments of which an earlier run or this one has not done so."""
        done = self._register.pointed()
        waiting = self._register.segments(done)
        if not waiting:
            return
        from referee.archive import catalogue  # loads Arrow, which only a process that archives needs

        for position, entry in enumerate(waiting, done):
            footer, matches = format_.check(entry.name, self._objects.read(entry.name))
            for name, data in catalogue.parts(entry.name, footer, matches).items():
                self._objects.create(name, data)
            self._point(position, footer, matches)
            self._register.set_pointed(position + 1)

    def _point(self, position: int, footer: Footer, matches: Sequence[ArchivedMatch]) -> None:
        """Replace the matches of a segment by pointers, except those that Redis has differently."""
        for start in range(0, len(matches), _CHUNK):
            chunk = matches[start : start + _CHUNK]
            places = footer.records[start : start + _CHUNK]
            pointers = {}
            for match, place, found in zip(
                chunk, places, self._store.read([each.id for each in chunk]), strict=True
            ):
                if found is None or _record(found) != match.record:
                    log.error("match %s is stored differently in the archive, so it stays in Redis", match.id)
                    continue
                offset, length = footer.frames[place[2]]
                pointers[match.id] = Pointer(position, offset, length, place[3])
            self._register.point(pointers)

    def _unlike_redis(self, footer: Footer) -> list[ArchiveFault]:
        """Return the records whose links differ from those of the chain in Redis."""
        ids = [match for match, *_ in footer.records]
        found = self._chain.links(ids)
        return [
            ArchiveFault(f"record {number}", "the chain has another link")
            for (_, number, *_), link in zip(footer.records, found, strict=True)
            if link is None or (link.number, link.link) != (number, footer.links[number - footer.first])
        ]


def _record(match: Snapshot) -> Record:
    return Record(match.config, match.progress, match.secret, match.log)


def _ended(match: Snapshot) -> int:
    return match.progress.ended or 0


def _trimmed(matches: list[Snapshot | None]) -> list[Snapshot | None]:
    while matches and matches[-1] is None:
        matches.pop()
    return matches
