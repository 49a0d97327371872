"""`kozyr review`: the mistakes of a finished match, found on this machine."""

from __future__ import annotations

import click

from kozyr.cli.commands.replay import record_of
from kozyr.cli.output import json_option, show, wants_json
from kozyr.terminal import echo, show_progress


@click.command()
@click.argument("source", metavar="MATCH|FILE|URL")
@click.option("--match", "match_id", metavar="ID", help="The match in a file with several records.")
@click.option(
    "--effort",
    type=click.Choice(["standard", "deep"]),
    default="standard",
    show_default=True,
    help="How many playouts a decision gets.",
)
@click.option("--all", "all_moves", is_flag=True, help="Print every decision, not only mistakes.")
@json_option("Print every decision as a line of JSON.")
def review(source: str, match_id: str | None, effort: str, all_moves: bool) -> None:
    """Find the mistakes of a finished match.

    Give the id of a match on the service (that of KOZYR_URL, or of your profile), a file of records (- for standard
    input), or the URL of a record. Each decision is evaluated over sampled deals that agree with what its seat knew.
    The result is the same as that of a review by the service.
    """
    from kozyr.reading.file import check_fields
    from kozyr.reading.replay import replaying
    from kozyr.reading.review import move_line, seat_lines
    from kozyr.reading.review import review as reviewed_of
    from records.reviews.model import Effort

    record = record_of(source, match_id)
    with replaying(record):
        check_fields(record)
    seats = [seat["bot"] if seat else "–" for seat in record["seats"]]
    found = []
    for move in reviewed_of(record, Effort(effort), _progress):
        found.append(move)
        worth_a_line = all_moves or (move.regret is not None and move.regret.mistake)
        show(move.to_row(), *([move_line(move, seats)] if worth_a_line else []))
    if not wants_json():
        echo(*seat_lines(found, seats))


def _progress(done: int, total: int) -> None:
    """Show the progress on a terminal."""
    show_progress(f"{done} of {total} decisions", over=done == total)
