"""`kozyr archive`: finished matches outside Redis."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from kozyr.cli.operator import parts, plainly

if TYPE_CHECKING:
    from kozyr.container import Container
    from referee.archive.archiver import Archiver

WRONG: Final = 1


@click.group()
def archive() -> None:
    """Show, fill and verify the archive of finished matches.

    A worker moves matches there KOZYR_HOT_DAYS after their end.
    """


@archive.command()
@plainly
def status() -> None:
    """Show how much is archived, and how late the archive is.

    A segment is written when it is full, or after a day, so a lag of a day is usual.

    Also names objects that nothing refers to. A process that was killed left them behind; they do no harm.
    """
    running = parts()
    found = _archiver(running).status()
    hot = running.settings.hot_ms
    click.echo(f"place       {running.settings.archive_place}")
    click.echo(
        f"moved       {f'{hot / 86_400_000:g} days after the end' if hot else 'never (KOZYR_HOT_DAYS)'}"
    )
    click.echo(f"segments    {found.segments}, {found.size} bytes")
    click.echo(f"tables      {found.tables}, {found.table_bytes} bytes")
    click.echo(f"records     {found.records} archived, {found.chained - found.archived} in Redis")
    if hot and found.oldest is not None:
        late = max(0, running.options.now() - hot - found.oldest)
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
@plainly
def run(days: float | None) -> None:
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
    click.echo(f"{moved} matches moved to {running.settings.archive_place}")


@archive.command()
@plainly
def verify() -> None:
    """Read every segment and every table, and verify them.

    Checks names, digests, records and links, also against the chain. Exits with status 1 if anything is wrong.
    `kozyr verify` checks the records themselves.
    """
    segments = records = wrong = 0
    archiver = _archiver(parts())
    for found in archiver.faults():
        wrong += 1
        click.echo(f"{found.where}: {found.wrong}")
    for entry, findings in archiver.verify():
        segments += 1
        records += entry.records
        wrong += len(findings)
        for found in findings:
            click.echo(f"{found.where}: {found.wrong}")
    click.echo(f"{segments} segments, {records} records, {wrong} errors")
    if wrong:
        sys.exit(WRONG)


def _archiver(running: Container) -> Archiver:
    archiver = running.archiver
    assert archiver is not None, "every process of the service has an archive"
    return archiver
