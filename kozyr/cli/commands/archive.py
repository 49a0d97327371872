"""`kozyr archive`: finished matches outside Redis."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click

from kozyr.cli.operator import parts, plainly
from kozyr.cli.options import as_json, show

if TYPE_CHECKING:
    from kozyr.container import Container
    from referee.archive.archiver import ArchiveFault, Archiver

WRONG: Final = 1


@click.group()
def archive() -> None:
    """Show, fill and verify the archive of finished matches.

    A worker moves matches there KOZYR_HOT_DAYS after their end.
    """


@archive.command()
@as_json
@plainly
def status(as_json: bool) -> None:
    """Show how much is archived, and how late the archive is.

    A segment is written when it is full, or after a day, so a lag of a day is usual.

    Also names objects that nothing refers to. A process that was killed left them behind; they do no harm.
    """
    running = parts()
    found = _archiver(running).status()
    hot = running.settings.hot_ms
    late = None if not hot or found.oldest is None else max(0, running.options.now() - hot - found.oldest)
    if as_json:
        document = {
            "place": str(running.settings.archive_place),
            "hot_days": hot / 86_400_000 if hot else None,
            "segments": found.segments,
            "bytes": found.size,
            "tables": found.tables,
            "table_bytes": found.table_bytes,
            "archived": found.records,
            "in_redis": found.chained - found.archived,
            "lag_ms": late,
            "unfinished": found.unfinished,
            "orphans": list(found.orphans),
        }
        click.echo(json.dumps(document))
        return
    click.echo(f"place       {running.settings.archive_place}")
    click.echo(
        f"moved       {f'{hot / 86_400_000:g} days after the end' if hot else 'never (KOZYR_HOT_DAYS)'}"
    )
    click.echo(f"segments    {found.segments}, {found.size} bytes")
    click.echo(f"tables      {found.tables}, {found.table_bytes} bytes")
    click.echo(f"records     {found.records} archived, {found.chained - found.archived} in Redis")
    if late is not None:
        click.echo(f"lag         {late / 3_600_000:.1f} hours")
    if found.unfinished:
        click.echo(f"unfinished  {found.unfinished} segments; the next run finishes them")
    for name in found.orphans:
        click.echo(f"orphan      {name}")


@archive.command()
@click.option(
    "--days",
    type=click.FloatRange(min=0),
    help="Move matches that ended at least this number of days ago.  [default: KOZYR_HOT_DAYS]",
)
@as_json
@plainly
def run(days: float | None, as_json: bool) -> None:
    """Move old matches to the archive now, also into segments that are not full.

    Safe to repeat, and to run while the service does the same.
    """
    running = parts()
    hot = running.settings.hot_ms if days is None else round(days * 86_400_000)
    if not hot and days is None:
        raise click.ClickException(
            "nothing is archived here: set KOZYR_HOT_DAYS and KOZYR_ARCHIVE_URL, or --days"
        )
    moved = 0
    while count := running.archive_after(hot, partial=True):
        moved += count
    place = str(running.settings.archive_place)
    show({"moved": moved, "place": place}, f"{moved} matches moved to {place}", as_json=as_json)


@archive.command()
@as_json
@plainly
def verify(as_json: bool) -> None:
    """Read every segment and every table, and verify them.

    Checks names, digests, records and links, also against the chain. Exits with status 1 if anything is wrong.
    `kozyr verify` checks the records themselves.
    """
    segments = records = 0
    wrong: list[dict[str, str]] = []
    archiver = _archiver(parts())

    def report(findings: Iterable[ArchiveFault]) -> None:
        for found in findings:
            wrong.append({"where": str(found.where), "wrong": str(found.wrong)})
            if not as_json:
                click.echo(f"{found.where}: {found.wrong}")

    report(archiver.faults())
    for entry, findings in archiver.verify():
        segments += 1
        records += entry.records
        report(findings)
    document = {"segments": segments, "records": records, "errors": wrong}
    show(document, f"{segments} segments, {records} records, {len(wrong)} errors", as_json=as_json)
    if wrong:
        sys.exit(WRONG)


def _archiver(running: Container) -> Archiver:
    archiver = running.archiver
    assert archiver is not None, "every process of the service has an archive"
    return archiver
