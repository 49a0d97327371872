"""`kozyr review`: the mistakes of a finished match, found on this machine with the same result as at a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from kozyr.cli.commands.replay import record_of
from kozyr.cli.output import json_option, show, wants_json
from kozyr.terminal import echo, show_progress

if TYPE_CHECKING:
    from records.reviews.model import ReviewedMove


@click.command()
@click.argument("source", metavar="MATCH|FILE|URL")
@click.option("--match", "match_id", metavar="ID", help="The match in a file with several records.")
@click.option("--all", "all_moves", is_flag=True, help="Print every decision, not only mistakes.")
@json_option("Print every decision as a line of JSON.")
def review(source: str, match_id: str | None, all_moves: bool) -> None:
    """Find the mistakes of a finished match.

    Give the id of a match on the service (that of KOZYR_URL, or of your profile), a file of records (- for standard
    input), or the URL of a record. Each decision is evaluated over sampled deals that agree with what its seat knew.
    The result is the same as that of a review by the service.
    """
    from kozyr.reading.file import check_fields
    from kozyr.reading.replay import replaying
    from records.reviews.model import by_seat

    record = record_of(source, match_id)
    with replaying(record):
        check_fields(record)
    seats = [seat["bot"] if seat else "–" for seat in record["seats"]]
    found = []
    for move in _reviewed(record):
        found.append(move)
        worth_a_line = all_moves or (move.regret is not None and move.regret.mistake)
        show(move.to_row(), *([_move_line(move, seats)] if worth_a_line else []))
    if not wants_json():
        for line in by_seat(found, len(seats)):
            counts = f"{line.mistakes} mistakes in {line.decisions} decisions, regret {line.regret:.2f}"
            echo(f"{line.seat} {seats[line.seat]}: {counts}")


def _reviewed(record: Mapping[str, Any]) -> Iterator[ReviewedMove]:
    """Yield the reviewed decisions of a record, and show the progress on a terminal. Raise `BadReplay`."""
    from kozyr.reading.replay import replaying
    from records.reviews.decisions import count, decisions, reviewed
    from records.reviews.judge import evaluate

    with replaying(record):
        total, _ = count(record)
        for done, decision in enumerate(islice(decisions(record), total), 1):
            yield reviewed(record, decision, evaluate)
            show_progress(f"{done} of {total} decisions", over=done == total)


def _move_line(move: ReviewedMove, seats: Sequence[str]) -> str:
    """Return a reviewed move as a line: the place, who moved, the regret with its interval and the better move."""
    where = f"deal {move.deal} move {move.move:>3}  {move.seat} {seats[move.seat]}  {move.played}"
    if move.regret is None:
        return f"{where}  not reviewed"
    regret = move.regret
    better = "" if regret.best == move.played else f"  better: {regret.best}"
    return f"{where}  regret {regret.mean:.2f} ({regret.low:.2f} to {regret.high:.2f}){better}"
