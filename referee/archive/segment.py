"""The format of a segment: records in chain order, as NDJSON in zstd frames, with a footer.

    frame …   zstd frames of `FRAME_RECORDS` lines each, one after another, with checksums
    footer    a skippable zstd frame: the footer's JSON as zstd, its length (uint32, big endian), `MAGIC`

So `zstd -dc` prints the lines of a segment, and a reader that knows the place of a frame needs that frame alone. Each
line is a JSON object:

    number   the record's number in the chain
    record   the record (`records.match.record`), without its proof
    match    what the service needs besides: config, progress and log, as it stores them

The footer has `first` and `last`, the numbers that the segment covers; `previous`, the link before the first; `links`,
those of all numbers; `records`, `[id, number, frame, line]` of each record; `frames`, `[offset, length]` of each;
`skipped`, ids of matches that could not be read and stay in Redis; and `sha256`, the digest of all frames. Bytes are
hexadecimal.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
import zstandard

from records.chain import GENESIS, leads_to
from records.match.record import Record
from records.match.session import MatchConfig, MatchProgress
from referee.storage.packing import unzstd

FORMAT: Final = 1
FRAME_RECORDS: Final = 64
LEVEL: Final = 9
"""The zstd level. 19 takes ten times the time and saves a few percent."""
MAGIC: Final = b"KOZYRSEG"
TAIL: Final = 4 + len(MAGIC)
_SKIPPABLE: Final = 0x184D2A5E
"""The magic number of a skippable frame, which zstd ignores."""
_MOST_FRAME: Final = 1 << 28
"""The most bytes that a frame may have when it is decompressed."""


class BadSegment(ValueError):
    """A segment is damaged or has an unknown format."""


class ArchivedMatch(NamedTuple):
    """One line of a segment."""

    number: int
    record: Record

    @property
    def id(self) -> str:
        """The id of the match."""
        return self.record.config.id

    def line(self) -> bytes:
        """Return the line, without its end."""
        config, progress, _, log = self.record
        stored = {"config": config.to_json(), "progress": progress.to_json(), "log": log}
        return orjson.dumps({"number": self.number, "record": self.record.to_json(), "match": stored})


class Footer(NamedTuple):
    first: int
    last: int
    previous: bytes
    links: tuple[bytes, ...]
    records: tuple[tuple[str, int, int, int], ...]
    """Id, number, frame and line of each record."""
    frames: tuple[tuple[int, int], ...]
    """Offset and length of each frame."""
    skipped: tuple[str, ...]
    sha256: str

    def to_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "format": FORMAT,
            "previous": self.previous.hex(),
            "links": b"".join(self.links).hex(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Footer:
        """Return the footer of a document. Raise `BadSegment` for an unknown format."""
        if data.get("format") != FORMAT:
            raise BadSegment(f"a segment of format {data.get('format')}; this release reads {FORMAT}")
        links = bytes.fromhex(data["links"])
        return cls(
            data["first"],
            data["last"],
            bytes.fromhex(data["previous"]),
            tuple(links[at : at + 32] for at in range(0, len(links), 32)),
            tuple((each[0], each[1], each[2], each[3]) for each in data["records"]),
            tuple((offset, length) for offset, length in data["frames"]),
            tuple(data["skipped"]),
            data["sha256"],
        )


class Segment(NamedTuple):
    """A segment that was read and checked."""

    name: str
    footer: Footer
    matches: list[ArchivedMatch]


def build(
    matches: Sequence[ArchivedMatch],
    *,
    first: int,
    previous: bytes,
    links: Sequence[bytes],
    skipped: Sequence[str] = (),
) -> tuple[str, bytes]:
    """Return the name and the bytes of the segment of these matches, which are in chain order. `links` are those of all
    numbers from `first`. Equal arguments give equal bytes."""
    press = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    frames: list[bytes] = []
    places: list[tuple[int, int]] = []
    records: list[tuple[str, int, int, int]] = []
    offset = 0
    for start in range(0, len(matches), FRAME_RECORDS):
        chunk = matches[start : start + FRAME_RECORDS]
        frame = press.compress(b"".join(match.line() + b"\n" for match in chunk))
        records += [(match.id, match.number, len(frames), line) for line, match in enumerate(chunk)]
        places.append((offset, len(frame)))
        frames.append(frame)
        offset += len(frame)
    body = b"".join(frames)
    footer = Footer(
        first,
        first + len(links) - 1,
        previous,
        tuple(links),
        tuple(records),
        tuple(places),
        tuple(skipped),
        hashlib.sha256(body).hexdigest(),
    )
    packed = press.compress(orjson.dumps(footer.to_json()))
    payload = packed + struct.pack(">I", len(packed)) + MAGIC
    data = body + struct.pack("<II", _SKIPPABLE, len(payload)) + payload
    return name_of(footer, data), data


def name_of(footer: Footer, data: bytes) -> str:
    """Return the name that follows from the content of a segment."""
    content = hashlib.sha256(data).hexdigest()[:32]
    return f"segments/{footer.first:012d}-{footer.last:012d}-{content}.ndjson.zst"


def lines_of(frame: bytes) -> list[bytes]:
    """Return the lines of a frame. Raise `BadSegment`."""
    try:
        return unzstd(frame, _MOST_FRAME).splitlines()
    except zstandard.ZstdError as error:
        raise BadSegment(f"a frame can't be decompressed: {error}") from error


def parse_match(line: bytes) -> ArchivedMatch:
    """Return the match of a line. Raise `ValueError` or `LookupError` for a damaged one."""
    return _match(orjson.loads(line))


def _match(data: dict[str, Any]) -> ArchivedMatch:
    stored = data["match"]
    return ArchivedMatch(
        data["number"],
        Record(
            MatchConfig.from_json(stored["config"]),
            MatchProgress.from_json(stored["progress"]),
            bytes.fromhex(data["record"]["shuffle"]["secret"]),
            stored["log"],
        ),
    )


def parse_footer(data: bytes) -> Footer:
    """Return the footer of a segment, from its bytes or from its end alone. Raise `BadSegment`."""
    try:
        if data[-len(MAGIC) :] != MAGIC:
            raise BadSegment("the segment has no footer at its end")
        (length,) = struct.unpack(">I", data[-TAIL : -len(MAGIC)])
        packed = unzstd(data[-TAIL - length : -TAIL], _MOST_FRAME)
        return Footer.from_json(orjson.loads(packed))
    except (struct.error, zstandard.ZstdError, ValueError, LookupError, TypeError) as error:
        raise error if isinstance(error, BadSegment) else BadSegment(f"a damaged footer: {error}") from error


def checked(name: str, data: bytes) -> Segment:
    """Return a segment after checking everything in it: name, digest, frames, and that each link follows from the one
    before and the record. Raise `BadSegment`."""
    footer = parse_footer(data)
    if name != name_of(footer, data):
        raise BadSegment("the name does not follow from the content")
    end = sum(length for _, length in footer.frames)
    if hashlib.sha256(data[:end]).hexdigest() != footer.sha256:
        raise BadSegment("the frames do not have the digest in the footer")
    matches: list[ArchivedMatch] = []
    records: dict[int, Mapping[str, Any]] = {}
    for offset, length in footer.frames:
        for line in lines_of(data[offset : offset + length]):
            try:
                stored = orjson.loads(line)
                match = _match(stored)
            except (ValueError, LookupError, TypeError) as error:
                raise BadSegment(f"a damaged line: {error}") from error
            matches.append(match)
            records[match.number] = stored["record"]
    if [(match.id, match.number) for match in matches] != [
        (found, number) for found, number, _, _ in footer.records
    ]:
        raise BadSegment("the footer names other records than the frames have")
    _check_links(footer, records)
    return Segment(name, footer, matches)


def _check_links(footer: Footer, records: Mapping[int, Mapping[str, Any]]) -> None:
    numbers = range(footer.first, footer.last + 1)
    if len(footer.links) != len(numbers) or (footer.first == 1 and footer.previous != GENESIS):
        raise BadSegment("the footer does not have one link for each number")
    previous = footer.previous
    for number, link in zip(numbers, footer.links, strict=True):
        if number in records and not leads_to(previous, records[number], link):
            raise BadSegment(f"record {number} does not lead to its link")
        previous = link
