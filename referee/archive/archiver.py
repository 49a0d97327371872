"""Moves finished matches out of Redis, and verifies what was moved.

Every step may be repeated or interrupted anywhere. Several processes may run it at once; one of them appends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from typing import Final, NamedTuple

from records.chain import GENESIS, Link
from records.match.loaded_match import LoadedMatch
from records.match.record import Record
from records.match.session import Status
from referee.archive import segment as format_
from referee.archive.redis import Leftovers, RedisRegister, SegmentEntry, waiting
from referee.archive.segment import ArchivedMatch, BadSegment, Footer, Segment
from referee.archive_index.index import PARTIAL_MS, ArchiveIndex
from referee.object_store import ArchiveAway, ObjectMissing, Objects
from referee.proofs.redis import RedisChain
from referee.storage.archived import ArchivedPlace, list_entries, match_key
from referee.storage.index import Pointer
from referee.storage.redis import RedisMatchStore

SEGMENT_RECORDS: Final = 2048
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
    """How many segments have matches that are still in Redis."""
    oldest: int | None
    """When the first match that can be archived and is not ended, in ms since 1970; `None` if there is none."""
    index_files: int
    index_bytes: int
    orphans: tuple[str, ...]
    """Objects that neither the register nor the manifest names: what an interrupted run, or a restored backup, left
    behind."""


class ArchiveFault(NamedTuple):
    where: str
    wrong: str


class Archiver:
    """Moves matches that ended long ago into the archive."""

    def __init__(
        self,
        register: RedisRegister,
        objects: Objects,
        index: ArchiveIndex,
        store: RedisMatchStore,
        chain: RedisChain,
        now: Callable[[], int],
        *,
        leftovers: Sequence[Leftovers] = (),
        most: int = SEGMENT_RECORDS,
    ) -> None:
        """`now` returns the wall clock in ms. `leftovers` move with their matches. A segment has at most `most`
        records."""
        self._register, self._objects, self._index = register, objects, index
        self._store, self._chain, self._now = store, chain, now
        self._leftovers, self._most = leftovers, most
        self._hot = RedisMatchStore(store.redis)
        """Matches in Redis alone, without a look into the archive."""

    def run(self, hot_ms: int, *, partial: bool = False) -> int:
        """Write at most one segment, of matches that ended at least `hot_ms` ago, and remove them from Redis. Return
        how many records it has.

        A segment is full, or its oldest record has waited `PARTIAL_MS`; with `partial` any number will do. Raise
        `ArchiveAway`, and `BadSegment` if the object store returns other bytes than were written.
        """
        self._remove_all()
        written = self._write(hot_ms, partial=partial)
        if written is None:
            return 0
        self._remove_all(written)
        self._objects.sweep()
        return len(written.matches)

    def status(self) -> ArchiveStatus:
        """Return how far the archive is. Raise `ArchiveAway`."""
        entries = self._register.segments()
        head = self._chain.head()
        oldest = next(
            (match for _, match in waiting(self._register, self._store, 1) if match is not None), None
        )
        manifest = self._index.manifest
        state = manifest.read()
        known = {entry.name for entry in entries} | state.names() | set(manifest.journal())
        return ArchiveStatus(
            segments=len(entries),
            records=sum(entry.records for entry in entries),
            size=sum(entry.size for entry in entries),
            archived=self._register.archived(),
            chained=head.number if head is not None else 0,
            unfinished=len(entries) - self._register.removed(),
            oldest=_ended(oldest) if oldest is not None else None,
            index_files=len(state.files()),
            index_bytes=sum(file.size for file in state.files()),
            orphans=tuple(
                name
                for prefix in ("segments/", "index/", "journal/")
                for name in self._objects.names(prefix)
                if name not in known
            ),
        )

    def verify(self) -> Iterator[tuple[SegmentEntry, list[ArchiveFault]]]:
        """Yield each segment with its errors: content, digests, links, and its place in the chain."""
        previous, expected = GENESIS, 1
        for entry in self._register.segments():
            findings: list[ArchiveFault] = []
            try:
                _, footer, matches = self._read(entry.name)
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
            findings += self._unlike_chain(footer)
            yield entry, findings
            previous, expected = footer.links[-1], footer.last + 1

    def unknown_segments(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the whole segments that the register does not know, with their matches. Raise `ArchiveAway`."""
        for name in self.status().orphans:
            if name.startswith("segments/"):
                with suppress(BadSegment):
                    yield name, [match.id for match in self._read(name).matches]

    def faults(self) -> Iterator[ArchiveFault]:
        """Yield the errors of the index and its journal."""
        for name, wrong in self._index.faults():
            yield ArchiveFault(name, wrong)

    def rebuild(self) -> list[ArchiveFault]:
        """Rebuild the index from segments and journal. Return what is lost: damaged segments and journal files, whose
        entries the new index lacks. Safe to interrupt, and to run while the service archives."""
        lost: list[ArchiveFault] = []
        segments = journal = 0

        def more() -> Iterator[dict[bytes, bytes | None]]:
            nonlocal segments, journal
            for entry in self._register.segments(segments):
                try:
                    found = self._read(entry.name)
                    yield dict(self._derived(segments, found, self._known(found)))
                except (BadSegment, ObjectMissing) as error:
                    lost.append(ArchiveFault(entry.name, str(error)))
                segments += 1
            for name, rows in self._index.journal(journal):
                if rows:
                    yield dict(rows)
                else:
                    lost.append(ArchiveFault(name, "it is missing or damaged"))
                journal += 1

        self._index.rebuild(more)
        return lost

    # Writing

    def _write(self, hot_ms: int, *, partial: bool) -> Segment | None:
        first = self._register.archived() + 1
        old = self._old(self._now() - hot_ms)
        if not old:
            return None
        ids, matches = [match for match, _ in old], [snapshot for _, snapshot in old]
        aged = (
            self._now() - hot_ms - min(_ended(match) for match in matches if match is not None) >= PARTIAL_MS
        )
        if len(matches) < self._most and not (partial or aged):
            return None
        return self._stored(first, ids, matches)

    def _old(self, until: int) -> list[tuple[str, LoadedMatch | None]]:
        """Return the ids and matches of the next segment: those that wait longest and ended by this instant, `None`
        for one that can't be read. The last one can be read."""
        found: list[tuple[str, LoadedMatch | None]] = []
        readable = 0
        for match, snapshot in waiting(self._register, self._store, self._most):
            if snapshot is not None:
                if snapshot.progress.status is not Status.FINISHED or _ended(snapshot) > until:
                    break
                readable += 1
            found.append((match, snapshot))
            # Unreadable matches alone make no segment, however many they are.
            if readable and len(found) >= self._most:
                break
        while found and found[-1][1] is None:
            found.pop()
        return found

    def _stored(
        self, first: int, ids: Sequence[str], matches: Sequence[LoadedMatch | None]
    ) -> Segment | None:
        links = self._chain.links(ids)
        known = [link for link in links if link is not None]
        if [link.number for link in known] != list(range(first, first + len(ids))):
            log.warning("another process has archived records from %s on", first)
            return None
        name, data = format_.build(
            [
                ArchivedMatch(link.number, match.record)
                for link, match in zip(known, matches, strict=True)
                if match is not None
            ],
            first=first,
            previous=known[0].previous,
            links=[link.link for link in known],
            skipped=[match for match, found in zip(ids, matches, strict=True) if found is None],
        )
        self._objects.create(name, data)
        read = self._read(name)
        entry = SegmentEntry(
            read.name,
            read.footer.first,
            read.footer.last,
            len(read.matches),
            len(data),
            max(_ended(match) for match in matches if match is not None),
        )
        return read if self._register.append(entry) else None

    # Removing

    def _remove_all(self, written: Segment | None = None) -> None:
        """Index the segments of which an earlier run or this one has not done so, and remove their matches. `written`
        need not be read again."""
        done = self._register.removed()
        for position, entry in enumerate(self._register.segments(done), done):
            segment = (
                written if written is not None and written.name == entry.name else self._read(entry.name)
            )
            self._remove(position, entry, segment)
            self._register.set_removed(position + 1)

    def _read(self, name: str) -> Segment:
        return format_.checked(name, self._objects.read(name))

    def _remove(self, position: int, entry: SegmentEntry, segment: Segment) -> None:
        """Enter the matches of a segment, and what they leave, into the index. Then remove them from Redis."""
        known, footer = self._known(segment), segment.footer
        configs = [match.record.config for match in segment.matches if match.id in known]
        left = [each.entries(configs) for each in self._leftovers]
        entries = dict(self._derived(position, segment, known))
        for found in left:
            entries |= found
        self._index.write(entries)
        for start in range(0, len(configs), _CHUNK):
            self._register.remove(configs[start : start + _CHUNK])
        for each, found in zip(self._leftovers, left, strict=True):
            each.remove(found)
        previous = footer.links[-2] if len(footer.links) > 1 else footer.previous
        # A match that stays in Redis keeps its number there, so that no feed appends it again.
        numbered = [config.id for config in configs]
        self._chain.forget(numbered, Link(footer.last, previous, footer.links[-1]), entry.ended)

    def _known(self, segment: Segment) -> Set[str]:
        """Return the ids of the matches of a segment, except those that Redis has differently."""
        known = set()
        for start in range(0, len(segment.matches), _CHUNK):
            chunk = segment.matches[start : start + _CHUNK]
            stored = self._hot.read([each.id for each in chunk])
            for match, found in zip(chunk, stored, strict=True):
                if found is not None and _compared(found.record) != _compared(match.record):
                    log.error("match %s is stored differently in the archive, so it stays in Redis", match.id)
                else:
                    known.add(match.id)
        return known

    def _derived(
        self, position: int, segment: Segment, known: Set[str]
    ) -> Iterator[tuple[bytes, bytes | None]]:
        """Yield the entries of the index that follow from a segment. Only `known` matches have left Redis."""
        places = dict(_places(position, segment.footer, known))
        for match, place in places.items():
            yield match_key(match), place.to_bytes()
        for _, record in segment.matches:
            pointer = places[record.config.id].pointer
            if pointer is not None:
                yield from list_entries(record.config, record.progress, pointer).items()

    def _unlike_chain(self, footer: Footer) -> list[ArchiveFault]:
        """Return the records whose links differ from those of the chain."""
        ids = [match for match, *_ in footer.records]
        try:
            found = self._chain.links(ids)
        except ArchiveAway as error:  # the index has the links of archived matches
            where = f"records {footer.first} to {footer.last}"
            return [ArchiveFault(where, f"they can't be compared with the chain: {error}")]
        return [
            ArchiveFault(f"record {number}", "the chain has another link")
            for (_, number, *_), link in zip(footer.records, found, strict=True)
            if link is None or (link.number, link.link) != (number, footer.links[number - footer.first])
        ]


def _places(position: int, footer: Footer, known: Set[str]) -> Iterator[tuple[str, ArchivedPlace]]:
    """Yield the matches of all numbers of a segment with their places. Only `known` matches have left Redis."""
    places = {number: (match, frame, line) for match, number, frame, line in footer.records}
    skipped = iter(footer.skipped)
    previous = footer.previous
    for number, link in enumerate(footer.links, footer.first):
        pointer = None
        if number in places:
            match, frame, line = places[number]
            if match in known:
                pointer = Pointer(position, *footer.frames[frame], line)
        else:
            match = next(skipped)
        yield match, ArchivedPlace(number, previous, link, pointer)
        previous = link


def _compared(record: Record) -> tuple[object, ...]:
    """Return what both copies of a match have in common. A bot may have been renamed after one was written
    (`referee.stored_names`)."""
    return record.config._replace(requested_by="").to_json(), *record[1:]


def _ended(match: LoadedMatch) -> int:
    return match.progress.ended or 0
