"""`kozyr rate`: ratings from exported records alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

import click

from kozyr.cli.options import records_option
from kozyr.cli.output import as_json, show
from kozyr.terminal import echo

if TYPE_CHECKING:
    from rich.console import RenderableType

    from records.ratings.recompute import Recomputation


@click.command()
@records_option
@click.option("--casual", is_flag=True, help="Rate every match, not only those that were played to be rated.")
@as_json
def rate(source: IO[bytes], casual: bool) -> None:
    """Compute ratings from records.

    The same records give the same ratings, bit for bit, in any order. Skips matches that were aborted, void or unrated,
    records of an unknown format, and incomplete groups. Prints how many.
    """
    from kozyr.reading.file import check_fields, read, record_errors
    from records.ratings.recompute import Recomputation
    from records.results.group_result import played_of_record
    from records.results.record_fields import SkippedRecords

    with Recomputation() as recount:
        skipped = SkippedRecords(casual=casual)
        for record in read(
            source, getattr(source, "name", "<stdin>"), skip=skipped.has_unknown_format, needed=()
        ):
            with record_errors(f"record {skipped.read} ({record.get('id')})"):
                if skipped.add(record):
                    continue
                check_fields(record)
                if (played := played_of_record(record)) is not None:
                    recount.add(played)
        presets = [_preset(recount, preset) for preset in recount.presets()]
        if report := skipped.report():
            echo(f"kozyr: {report}", err=True)
        if recount.excluded:
            groups = "1 group is" if recount.excluded == 1 else f"{recount.excluded} groups are"
            echo(f"kozyr: {groups} not whole: records of matches are missing", err=True)
        document = {**skipped.summary(), "groups_left_out": recount.excluded, "presets": presets}
    show(document, _shown(document))


def _preset(recount: Recomputation, preset: str) -> dict[str, Any]:
    from records.ratings.fit import Results
    from records.ratings.model import preset_id, shown

    results = Results(recount.outcomes(preset))
    names = results.names
    best_first = sorted(results.fitted().ratings.items(), key=lambda each: (-each[1].mu, each[0]))
    bots = [{"bot": names[bot], "id": bot, **shown(names[bot], rating)} for bot, rating in best_first]
    return {"preset": preset, "id": preset_id(preset), "groups": results.groups, "bots": bots}


def _shown(document: dict[str, Any]) -> Iterator[RenderableType]:
    from kozyr.console import table

    for preset in document["presets"]:
        title = f"{preset['preset']}: {preset['groups']} groups"
        made = table("bot", "version", "rating", "95 %", "groups", texts={"bot", "version"}, title=title)
        pools: dict[str, int] = {}
        for bot in preset["bots"]:
            interval = "anchor" if bot["anchor"] else f"{bot['low']:.0f} to {bot['high']:.0f}"
            if bot["pool"] is not None:
                interval += f", pool {pools.setdefault(bot['pool'], len(pools) + 1)}"
            words = (bot["bot"], bot["version"], f"{bot['rating']:.0f}", interval, str(bot["groups"]))
            made.add_row(*words)
        yield made
        if pools:
            yield "Ratings of a pool are comparable only within it: nothing connects it with the anchor."
    yield f"{document['records']} records, {document['counted']} counted"
