"""`kozyr export`: write the records of a service to a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.cli.author.service import Service, calls_service
from kozyr.cli.output import show
from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr.reading.file import RecordFile

PATIENCE_S: Final = 60.0
"""How long a request to a busy service is retried, in seconds."""
OVERLAP: Final = timedelta(days=1)
"""How far before its last record `--resume` fetches records again. The records of a duplicate group appear when its
last match is over, so they may come after records of matches that ended later."""


@click.command()
@click.argument("at", required=False, metavar="[URL]")
@click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@click.option("--game", help="Only matches of this game.")
@click.option("--bot", metavar="OWNER/BOT", help="Only matches of this bot.")
@click.option("--ladder", metavar="ID", help="Only matches of this ladder.")
@click.option("--result", metavar="ENDING", help="Only matches with this ending.")
@click.option(
    "--since", metavar="INSTANT", help="Only matches that ended at or after this instant (RFC 3339)."
)
@click.option("--until", metavar="INSTANT", help="Only matches that ended at or before this instant.")
@click.option(
    "--void/--no-void",
    default=None,
    help="Only matches that were declared void, or none of them.  [default: both]",
)
@click.option("--resume", is_flag=True, help="Append records that the file does not have yet.")
@calls_service("none")
def export(service: Service, out: Path, resume: bool, void: bool | None, **filters: str | None) -> None:
    """Write the records of the service at URL to a file, oldest first.

    An interrupted export keeps what it has written. Continue it with --resume and the same filters.
    """
    from kozyr.console import console
    from kozyr.reading.file import RecordFile
    from kozyr_client.http import without_none

    client = service.client
    client.patience_s = PATIENCE_S
    wanted = without_none(**filters)
    if void is not None:
        wanted["void"] = "true" if void else "false"
    written, amended, complete = 0, 0, False
    file = RecordFile(out, resume=resume)
    try:
        with closing(file), console(stderr=True).status("asking") as shown:
            amended = _amend(file, client, wanted)
            for record in _new(file, client, wanted):
                file.write(record)
                written += 1
                if written % 100 == 0:
                    shown.update(f"{written} records, the last ended {record['ended']}")
        complete = True
    finally:
        if amended:
            echo(f"{amended} records amended: their matches no longer count", err=True)
        if written or complete:
            stopped, more = ("", "") if complete else ("stopped: ", "; continue with --resume")
            echo(f"{stopped}{written} records written to {out}{more}", err=True)
        show({"file": str(out), "written": written, "amended": amended, "complete": complete})


def _amend(file: RecordFile, client: Any, wanted: dict[str, str]) -> int:
    """Amend the records of matches that were declared void since the last export. Return how many. Raise
    `BadRecordFile` or `KozyrError`."""
    if next(file.records(), None) is None:
        return 0
    return file.amend({record["id"]: record for record in client.records(**{**wanted, "void": "true"})})


def _new(file: RecordFile, client: Any, wanted: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the service's records that the file does not have. Raise `BadRecordFile` or `KozyrError`."""
    from records.instants import ms_of, text_of

    last = max((_ended(file, record) for record in file.records()), default=None)
    if last is None:
        yield from client.records(**wanted)
        return
    since = last - OVERLAP // timedelta(milliseconds=1)
    known = {record["id"] for record in file.records() if _ended(file, record) >= since}
    if "since" not in wanted or ms_of(wanted["since"]) < since:
        wanted = {**wanted, "since": text_of(max(0, since))}
    for record in client.records(**wanted):
        if record["id"] not in known:
            yield record


def _ended(file: RecordFile, record: Mapping[str, Any]) -> int:
    """Return when the match of a record in the file ended, in ms since 1970. Raise `BadRecordFile`."""
    from kozyr.reading.file import record_errors
    from records.instants import ms_of

    with record_errors(f"record {record['id']} of {file.path} has no valid `ended`"):
        return ms_of(record["ended"])
