"""Monthly dumps."""

from __future__ import annotations

from typing import Any

from marshmallow import pre_dump

from api.schemas.common import instant, text, whole
from api.schemas.responses import Listed, ResponseSchema
from referee.dumps.store import Dump, FileKind


class DumpFileSchema(ResponseSchema):
    """A file of a dump."""

    name = text("The name of the file")
    href = text("Where to download it", format="uri-reference")
    kind = text(
        "records: whole records, one a line; matches: a row for each match and seat; decisions: a row for each "
        "move, with what the seat saw; card: the data set card; sums: the checksums of the others",
        enum=[kind.value for kind in FileKind],
    )
    size = whole("Bytes")
    sha256 = text("The SHA-256 digest, in hexadecimal", pattern="^[0-9a-f]{64}$")
    rows = whole("Rows or records; null for a text", null=True)


class DumpSchema(ResponseSchema):
    """The records of a month, as files."""

    month = text("The month in UTC", pattern="^[0-9]{4}-[0-9]{2}$")
    made = instant("When it was published")
    matches = whole("Matches", 1)
    decisions = whole("Moves")
    late = whole(
        "Matches that ended in an earlier month, and became public after the dump of that month was written"
    )
    files = Listed(DumpFileSchema, "Large tables have several files, with numbered names")

    @pre_dump
    def _addressed(self, made: Dump, **_: Any) -> dict[str, Any]:
        files = [{**file._asdict(), "href": f"/v1/dumps/{made.month}/{file.name}"} for file in made.files]
        return {**made._asdict(), "files": files}


class DumpListSchema(ResponseSchema):
    """The monthly dumps."""

    license = text("The licence of the data, as SPDX names it", const="CC0-1.0")
    dumps = Listed(  # type: ignore[assignment]  # a field, which marshmallow keeps apart from its method
        DumpSchema, "The last month first. A month without a match has none"
    )
