"""Writes dumps from the segments of the archive, step by step."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from records.chain import digest, leads_to
from referee.archive.redis import RedisRegister, SegmentEntry, waiting
from referee.archive.segment import TAIL, BadSegment, Footer, lines_of, parse_footer, parse_match
from referee.dumps import months
from referee.dumps.redis import RedisDumps
from referee.dumps.rows import ChainedRecord
from referee.dumps.store import Draft, Dump, DumpFile, DumpState, FileKind, Piece
from referee.object_store import ArchiveAway, Objects
from referee.storage.redis import RedisMatchStore

if TYPE_CHECKING:
    from referee.dumps.pieces import Content, PieceBuilder

GRACE_MS: Final = 86_400_000
"""How long after its end a month is dumped at the earliest. Matches that become readable later are late."""
PIECE_MOVES: Final = 8_000
"""About how many moves a piece has. A step takes about a second."""
PART_BYTES: Final = 32 << 20
"""The size of its pieces, in bytes, at which a file ends and the next one begins."""
PIECE_RECORDS: Final = 1_024
"""How many records a step looks at, at most."""
_FOOTER_BYTES: Final = 1 << 17
WORK: Final = "dumps/work/"
"""The prefix of pieces."""
EXTENSIONS: Final = {
    FileKind.RECORDS: "ndjson.zst",
    FileKind.MATCHES: "parquet",
    FileKind.DECISIONS: "parquet",
}


log = logging.getLogger(__name__)


class LostPiece(Exception):
    """A piece is missing or damaged."""


class DumpWriter:
    """Writes dumps. Several processes may do so at once: one of them advances."""

    def __init__(
        self,
        register: RedisRegister,
        dumps: RedisDumps,
        objects: Objects,
        store: RedisMatchStore,
        now: Callable[[], int],
        *,
        piece_moves: int = PIECE_MOVES,
        part_bytes: int = PART_BYTES,
    ) -> None:
        """`now` returns the wall clock in ms."""
        self._register, self._dumps, self._objects = register, dumps, objects
        self._store, self._now = store, now
        self._piece_moves, self._part_bytes = piece_moves, part_bytes

    def step(self) -> bool:
        """Advance the dump by one step. Return whether there may be another one.

        A month is dumped `GRACE_MS` after its end, when the archive has all records of matches that ended by then.
        Until it can be begun, this returns false.
        Raise `ArchiveAway`, and `BadSegment` for a damaged segment.
        """
        state = self._dumps.state()
        try:
            return self._step(state)
        except ArchiveAway:
            if self._dumps.state().version == state.version:
                raise
            return True  # another process went on, and deleted pieces that it no longer needs

    def _step(self, state: DumpState) -> bool:
        draft = state.draft
        if draft is None:
            return self._begin(state)
        kinds = [FileKind(kind) for kind in dict.fromkeys(piece.kind for piece in draft.pieces)]
        if draft.segment < draft.end:
            kinds = [kind for kind in kinds if _size(draft.pieces, kind) >= self._part_bytes]
            if not kinds:
                return self._write_pieces(state, draft)
        if kinds:
            return self._write_part(state, draft, kinds[0])
        return self._publish(state, draft)

    # 1. The beginning

    def _begin(self, state: DumpState) -> bool:
        month = self._following(state)
        if month is None or not self._is_complete(month):
            return False
        end = len(self._register.segments())  # after `_is_complete`: what it waits for is in these segments
        self._sweep(month)
        self._dumps.replace(state, state._replace(draft=self._fresh(month, state.segments, end)))
        return True

    def _is_complete(self, month: str) -> bool:
        """Return whether a month ended `GRACE_MS` ago, and the archive has every record of a match that ended by
        then."""
        until = months.end_of(month) + GRACE_MS
        if self._now() < until:
            return False
        for _, match in waiting(self._register, self._store, 1):
            if match is not None:
                return (match.progress.ended or 0) >= until
        return True

    def _fresh(self, month: str, start: int, end: int) -> Draft:
        draft = Draft(month, start, end, 0)
        return draft._replace(segment=next((at for at, _ in self._relevant(draft)), end))

    def _following(self, state: DumpState) -> str | None:
        if state.month is not None:
            return months.following(state.month)
        entries = self._register.segments()[:1]
        return months.month_of(min(self._ends(entries[0]))) if entries else None

    def _ends(self, entry: SegmentEntry) -> Iterator[int]:
        for offset, length in self._footer(entry).frames:
            for line in lines_of(self._objects.read_part(entry.name, offset, length)):
                yield parse_match(line).record.progress.ended or 0

    def _sweep(self, month: str) -> None:
        """Delete the pieces of dumps before this month. Another process may write those of a later one."""
        for name in self._objects.names(WORK):
            if name < f"{WORK}{month}":
                self._objects.delete(name)

    # 2. Pieces

    def _write_pieces(self, state: DumpState, draft: Draft) -> bool:
        # Here, since it loads Arrow, which only a process that writes dumps needs.
        from referee.dumps.pieces import PieceBuilder

        builder = PieceBuilder(draft.month)
        segment, record = draft.end, 0
        for at, entry in self._relevant(draft):
            start = draft.record if at == draft.segment else 0
            record = self._add(builder, draft, at, entry, start)
            if record < entry.records:
                segment = at
                break
            record = 0
        made = builder.close()
        pieces = [self._piece(draft.month, kind, content) for kind, content in made.items()]
        after = draft._replace(
            segment=segment,
            record=record,
            matches=draft.matches + builder.matches,
            decisions=draft.decisions + builder.decisions,
            late=draft.late + builder.late,
            pieces=(*draft.pieces, *pieces),
        )
        self._dumps.replace(state, state._replace(draft=after))
        return True

    def _relevant(self, draft: Draft) -> Iterator[tuple[int, SegmentEntry]]:
        """Yield the segments from the next one on that may have matches of the dump, with their positions."""
        entries = self._register.segments(draft.segment)[: draft.end - draft.segment]
        for at, entry in enumerate(entries, draft.segment):
            if _has_matches(draft, at, entry):
                yield at, entry

    def _add(
        self, builder: PieceBuilder, draft: Draft, position: int, entry: SegmentEntry, record: int
    ) -> int:
        """Add the records of a segment from position `record` on, until the piece is full. Return the next position."""
        if self._is_full(builder):
            return record
        footer, new = self._footer(entry), position >= draft.start
        while record < len(footer.records):
            _, _, frame, line = footer.records[record]
            lines = lines_of(self._objects.read_part(entry.name, *footer.frames[frame]))[line:]
            for found in self._annotated([_chained(footer, each) for each in lines]):
                if self._is_full(builder):
                    return record
                record += 1
                builder.look(found, own=months.belongs(found.ended, month=draft.month, new=new))
        return record

    def _is_full(self, builder: PieceBuilder) -> bool:
        return builder.decisions >= self._piece_moves or builder.looked >= PIECE_RECORDS

    def _annotated(self, records: Sequence[ChainedRecord]) -> Iterator[ChainedRecord]:
        found = self._store.annotations([each.match for each in records])
        for record, notes in zip(records, found, strict=True):
            yield record._replace(annotations=notes)

    def _footer(self, entry: SegmentEntry) -> Footer:
        """Return the footer of a segment, which is at its end."""
        length = min(entry.size, _FOOTER_BYTES)
        end = self._objects.read_part(entry.name, entry.size - length, length)
        needed = int.from_bytes(end[-TAIL:][:4], "big") + TAIL
        if length < needed <= entry.size:
            end = self._objects.read_part(entry.name, entry.size - needed, needed)
        return parse_footer(end)

    def _piece(self, month: str, kind: FileKind, content: Content) -> Piece:
        name = f"{WORK}{month}/{kind}-{hashlib.sha256(content.data).hexdigest()[:32]}"
        self._objects.create(name, content.data)
        return Piece(kind, name, len(content.data), content.rows)

    def _read(self, piece: Piece) -> bytes:
        """Return a piece. Raise `LostPiece` if it is missing or damaged, and `ArchiveAway`."""
        try:
            data = self._objects.read(piece.object)
        except ArchiveAway:
            if piece.object in self._objects.names(WORK):
                raise
            raise LostPiece(piece.object) from None
        if not piece.object.endswith(hashlib.sha256(data).hexdigest()[:32]):
            self._objects.delete(piece.object)
            raise LostPiece(piece.object)
        return data

    # 3. Files

    def _write_part(self, state: DumpState, draft: Draft, kind: FileKind) -> bool:
        from referee.dumps.pieces import joined

        own = [piece for piece in draft.pieces if piece.kind == kind]
        try:
            content = joined(kind, (self._read(piece) for piece in own))
        except LostPiece as lost:
            # A backup of Redis may be older than the folder of pieces beside it.
            log.warning("the dump of %s starts again: the piece %s is lost", draft.month, lost)
            fresh = self._fresh(draft.month, draft.start, draft.end)
            self._dumps.replace(state, state._replace(draft=fresh))
            return True
        part = self._stored(draft.month, kind, content.data, EXTENSIONS[kind])._replace(rows=content.rows)
        rest = tuple(piece for piece in draft.pieces if piece.kind != kind)
        self._dumps.replace(
            state, state._replace(draft=draft._replace(pieces=rest, parts=(*draft.parts, part)))
        )
        return True

    def _stored(self, month: str, kind: FileKind, data: bytes, extension: str) -> DumpFile:
        """Store a file under a name that follows from its content, and read it back."""
        sha256 = hashlib.sha256(data).hexdigest()
        name = f"dumps/{month}/{kind}-{sha256[:32]}.{extension}"
        self._objects.create(name, data)
        if hashlib.sha256(self._objects.read(name)).hexdigest() != sha256:
            raise ArchiveAway(f"{name} reads differently than it was written")
        return DumpFile("", name, kind, len(data), sha256, None)

    # 4. The end

    def _publish(self, state: DumpState, draft: Draft) -> bool:
        dump = self._finished(draft) if draft.matches else None
        after = DumpState(month=draft.month, segments=draft.end)
        if self._dumps.replace(state, after, dump):
            self._sweep(months.following(draft.month))
        return True

    def _finished(self, draft: Draft) -> Dump:
        from referee.dumps.card import card, sums

        files = [*_named(draft), self._endings(draft.month)]
        dump = Dump(draft.month, self._now(), draft.matches, draft.decisions, draft.late, tuple(files))
        text = self._stored(draft.month, FileKind.CARD, card(dump).encode(), "md")
        files.append(text._replace(name="README.md"))
        checksums = self._stored(draft.month, FileKind.SUMS, sums(files).encode(), "txt")
        files.append(checksums._replace(name="SHA256SUMS"))
        return dump._replace(files=tuple(files))

    def _endings(self, month: str) -> DumpFile:
        """Store the endgame sets."""
        from records.endings.sets import NAMES, text_of

        data = "".join(map(text_of, NAMES)).encode()
        file = self._stored(month, FileKind.ENDINGS, data, "ndjson")
        return file._replace(name=f"endings-{month}.ndjson", rows=data.count(b"\n"))


def _has_matches(draft: Draft, position: int, entry: SegmentEntry) -> bool:
    """Return whether a segment may have matches of the dump."""
    return position >= draft.start or entry.ended >= months.start_of(draft.month)


def _chained(footer: Footer, line: bytes) -> ChainedRecord:
    """Return the record of a line. Raise `BadSegment` if it does not lead to its link."""
    try:
        number, record = parse_match(line)
    except (ValueError, LookupError, TypeError) as error:
        raise BadSegment(f"a damaged line: {error}") from error
    document = record.to_json()
    content, place = digest(document), number - footer.first
    previous = footer.links[place - 1] if place else footer.previous
    if not leads_to(previous, document, footer.links[place]):
        raise BadSegment(f"record {number} does not lead to its link")
    return ChainedRecord(record, document, number, previous, content, footer.links[place])


def _size(pieces: Sequence[Piece], kind: FileKind) -> int:
    return sum(piece.size for piece in pieces if piece.kind == kind)


def _named(draft: Draft) -> Iterator[DumpFile]:
    """Yield the files with their public names: numbered where there are several of a kind."""
    for kind, extension in EXTENSIONS.items():
        parts = [part for part in draft.parts if part.kind == kind]
        for number, part in enumerate(parts):
            suffix = f"-{number:04d}" if len(parts) > 1 else ""
            yield part._replace(name=f"{kind}-{draft.month}{suffix}.{extension}")
