"""`kozyr points`: points per deal from records alone."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import click

from kozyr.cli.options import records_option
from kozyr.cli.output import as_json, show
from kozyr.terminal import echo

if TYPE_CHECKING:
    from rich.table import Table

    from records.results.points import Tally


@click.command()
@records_option
@click.option(
    "--adjusted",
    is_flag=True,
    help="Also remove the luck of the cards; plays each deal 16 times.",
)
@as_json
def points(source: IO[bytes], adjusted: bool) -> None:
    """Compute points per deal from records, by preset, with 95 % intervals over groups.

    The same records give the same figures in any order. Skips records of aborted and void matches, and records of an
    unknown format. Prints how many. With --adjusted, house bots play each deck to measure the luck that it gave each
    seat (docs/luck.md).
    """
    found = _computed(source, adjusted)
    tables = (_table(preset, rows, adjusted) for preset, rows in found["presets"].items())
    show(found, tables, f"{found['records']} records, {found['counted']} counted")


def _computed(source: IO[bytes], adjusted: bool) -> dict[str, Any]:
    """Return the document of `--json`: a row for each bot by preset, the best first, and the numbers of records.

    Report what does not count. Raise `BadRecordFile`.
    """
    from bots.search import playout
    from kozyr.reading.file import check_fields, read, record_errors
    from records.results.luck import Adjusted, Baseline
    from records.results.points import Tally
    from records.results.record_fields import SkippedRecords

    plain: dict[str, Tally] = {}
    lucky: dict[str, Adjusted] = {}
    baseline = Baseline(playout)
    skipped = SkippedRecords()
    for record in read(source, source.name, skip=skipped.has_unknown_format):
        with record_errors(f"record {skipped.read} ({record['id']})"):
            check_fields(record)
            skipped.add(record)
            preset = record["preset"]
            plain.setdefault(preset, Tally()).add(record)
            if adjusted:
                lucky.setdefault(preset, Adjusted(baseline)).add(record)
    if report := skipped.report():
        echo(f"kozyr: {report}", err=True)
    if spoilt := sum(tally.spoilt for tally in plain.values()):
        groups = "1 group does" if spoilt == 1 else f"{spoilt} groups do"
        echo(f"kozyr: {groups} not count, because one of their matches does not", err=True)
    return {
        **skipped.summary(),
        "groups_left_out": spoilt,
        "presets": {
            preset: _rows(tally, lucky[preset].tally() if adjusted else None)
            for preset, tally in sorted(plain.items())
        },
    }


def _rows(plain: Tally, adjusted: Tally | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for bot, name in plain.bots.items():
        row: dict[str, Any] = {"bot": name, "id": bot, "points_per_deal": plain.of(bot).to_json()}
        if adjusted is not None:
            row["adjusted"] = adjusted.of(bot).to_json()
        rows.append(row)
    return sorted(rows, key=lambda row: (-row["points_per_deal"]["mean"], row["id"]))


def _table(preset: str, rows: list[dict[str, Any]], adjusted: bool) -> Table:
    from kozyr.console import table
    from kozyr.local.show import interval
    from records.results.group_statistics import Estimate

    columns = [
        "bot",
        "points per deal",
        "95 %",
        *(["adjusted", "95 %"] if adjusted else []),
        "deals",
        "groups",
    ]
    made = table(*columns, texts={"bot"}, title=preset)
    for row in rows:
        cells = []
        for estimate in (Estimate(**row[name]) for name in ("points_per_deal", "adjusted") if name in row):
            cells += [f"{estimate.mean:+.3f}", interval(estimate)]
        made.add_row(row["bot"], *cells, str(estimate.deals), str(estimate.groups))
    return made
