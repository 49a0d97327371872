"""`kozyr archive`: finished matches outside Redis."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

import click

from kozyr.cli.operator import parts, plainly
from kozyr.cli.options import as_json, show

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
@as_json
@plainly
def status(as_json: bool) -> None:
    """Show how much is archived.

    Also names objects that no segment owns. A process that was killed left them behind; they do no harm.
    """
    running = parts()
    found = _archiver(running).status()
    hot = running.settings.hot_ms
    if as_json:
        document = {
            "place": str(running.settings.archive_place),
            "hot_days": hot / 86_400_000 if hot else None,
            "segments": found.segments,
            "bytes": found.size,
            "archived": found.records,
            "in_redis": found.chained - found.archived,
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
    click.echo(f"records     {found.records} archived, {found.chained - found.archived} in Redis")
    if found.unfinished:
        click.echo(f"unfinished  {found.unfinished} segments; the next run finishes them")
    for name in found.orphans:
        click.echo(f"orphan      {name}")


@archive.command()
@click.option(
    "--days",
    type=click.FloatRange(min=0),
    help="Move matches that ended so many days ago.  [default: KOZYR_HOT_DAYS]",
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
    archiver, moved = _archiver(running), 0
    while count := archiver.run(hot, partial=True):
        moved += count
    place = str(running.settings.archive_place)
    show({"moved": moved, "place": place}, f"{moved} matches moved to {place}", as_json=as_json)


@archive.command()
@as_json
@plainly
def verify(as_json: bool) -> None:
    """Read every segment and verify it.

    Checks names, digests, records and links, also against the chain in Redis. Exits with status 1 if anything is
    wrong. `kozyr verify` checks the records themselves.
    """
    segments = records = 0
    wrong: list[dict[str, str]] = []
    for entry, findings in _archiver(parts()).verify():
        segments += 1
        records += entry.records
        for found in findings:
            wrong.append({"where": str(found.where), "wrong": str(found.wrong)})
            if not as_json:
                click.echo(f"{found.where}: {found.wrong}")
    document = {"segments": segments, "records": records, "errors": wrong}
    show(document, f"{segments} segments, {records} records, {len(wrong)} errors", as_json=as_json)
    if wrong:
        sys.exit(WRONG)


def _archiver(running: Container) -> Archiver:
    archiver = running.archiver
    assert archiver is not None, "every process of the service has an archive"
    return archiver
