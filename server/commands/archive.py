"""`kozyr archive`: finished matches outside Redis."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from kozyr.cli.author.columns import field_lines
from kozyr.cli.errors import REFUSED
from kozyr.cli.output import show, wants_json
from kozyr.terminal import echo
from server.commands.shared import container, prints_result

if TYPE_CHECKING:
    from referee.archive.archiver import ArchiveFault, Archiver
    from server.container import Container
    from server.disk import DiskGuard


@click.group()
def archive() -> None:
    """Show, fill, verify and rebuild the archive of finished matches.

    A worker moves matches there KOZYR_HOT_DAYS after their end.
    """


@archive.command()
@prints_result
def status() -> None:
    """Show how much is archived, and how late the archive is.

    A segment is written when it is full, or after a day, so a lag of a day is usual. The next run finishes the segments
    that are unfinished.

    Also names objects that nothing refers to. A process that was killed, or a restored backup, left them behind. The
    service ignores them.
    """
    running = container()
    found = _archiver(running).status()
    hot = running.settings.hot_ms
    late = None if not hot or found.oldest is None else max(0, running.options.now() - hot - found.oldest)
    document = {
        "place": str(running.settings.archive_place),
        "hot_days": hot / 86_400_000 if hot else None,
        "segments": found.segments,
        "bytes": found.size,
        "index_files": found.index_files,
        "index_bytes": found.index_bytes,
        "archived": found.records,
        "in_redis": found.chained - found.archived,
        "lag_ms": late,
        "unfinished": found.unfinished,
        "orphans": list(found.orphans),
    }
    in_words = {
        **document,
        "hot_days": document["hot_days"] or "never (KOZYR_HOT_DAYS)",
        "lag_ms": None if late is None else f"{late} ({late / 3_600_000:.1f} hours)",
    }
    show(document, field_lines(in_words))


@archive.command()
@click.option(
    "--days",
    type=click.FloatRange(min=0),
    help="Move matches that ended at least this number of days ago.  [default: KOZYR_HOT_DAYS]",
)
@prints_result
def run(days: float | None) -> None:
    """Move old matches to the archive now, also into segments that are not full.

    Safe to repeat, and to run while the service does the same.
    """
    if days is not None and not math.isfinite(days):
        raise click.BadParameter(f"{days} is not a number of days", param_hint="'--days'")
    guard = _disk_guard()
    guard.make_room()
    running = container()
    hot = running.settings.hot_ms if days is None else round(days * 86_400_000)
    if not hot and days is None:
        raise click.ClickException(
            "nothing is archived here: set KOZYR_HOT_DAYS and KOZYR_ARCHIVE_URL, or --days"
        )
    moved = 0
    while count := running.archive_after(hot, partial=True):
        moved += count
    guard.compact()
    place = str(running.settings.archive_place)
    show({"moved": moved, "place": place}, f"{moved} matches moved to {place}")


@archive.command()
@prints_result
def verify() -> None:
    """Read every segment and every file of the index, and verify them.

    Checks names, digests, records and links, also against the chain. Exits with status 1 if anything is wrong.
    `kozyr verify` checks the records themselves.
    """
    segments = records = 0
    wrong: list[dict[str, str]] = []
    running = container()
    archiver = _archiver(running)

    def report(findings: Iterable[ArchiveFault]) -> None:
        for found in findings:
            wrong.append({"where": str(found.where), "wrong": str(found.wrong)})
            if not wants_json():
                echo(f"{found.where}: {found.wrong}")

    report(archiver.faults())
    for entry, findings in archiver.verify():
        segments += 1
        records += entry.records
        report(findings)
    running.note_damaged([each["where"] for each in wrong if "/" in each["where"]])
    document = {"segments": segments, "records": records, "errors": wrong}
    show(document, f"segments: {segments}, records: {records}, errors: {len(wrong)}")
    if wrong:
        sys.exit(REFUSED)


@archive.command()
@prints_result
def rebuild() -> None:
    """Rebuild the index from the segments and the journal.

    Run it when the index is damaged or lost. The service may go on meanwhile. Names what is lost with damaged segments
    and journal files, and then exits with status 1.
    """
    archiver = _archiver(container())
    lost = archiver.rebuild()
    if not wants_json():
        for fault in lost:
            echo(f"{fault.where}: {fault.wrong}")
    status = archiver.status()
    document = {
        "index_files": status.index_files,
        "index_bytes": status.index_bytes,
        "errors": [{"where": fault.where, "wrong": fault.wrong} for fault in lost],
    }
    text = f"index: {status.index_files} files, {status.index_bytes} bytes, errors: {len(lost)}"
    show(document, text)
    if lost:
        sys.exit(REFUSED)


def _disk_guard() -> DiskGuard:
    from server.config.settings import load
    from server.disk import DiskGuard
    from server.embedded import attached, disk_room
    from server.stored_data import connected

    settings = attached(load())
    return DiskGuard(connected(settings), disk_room(settings), settings.appendfsync)


def _archiver(running: Container) -> Archiver:
    archiver = running.archiver
    assert archiver is not None, "every process of the service has an archive"
    return archiver
