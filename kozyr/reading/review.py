"""A mistake review of a record on this machine, with the same result as at a service."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from kozyr.reading.replay import replaying
from records.reviews.decisions import count, decisions, reviewed
from records.reviews.judge import evaluate
from records.reviews.model import Effort, ReviewedMove, by_seat

Record = Mapping[str, Any]


def review(
    record: Record, effort: Effort, tell: Callable[[int, int], object] = lambda done, total: None
) -> Iterator[ReviewedMove]:
    """Yield the reviewed decisions of a record, and report each to `tell` with their total. Raise `BadReplay`."""
    with replaying(record):
        total, _ = count(record)
        for done, decision in enumerate(islice(decisions(record), total), 1):
            yield reviewed(record, decision, effort, evaluate)
            tell(done, total)


def move_line(move: ReviewedMove, seats: Sequence[str]) -> str:
    """Return a reviewed move as a line: the place, who moved, the regret with its interval and the better move."""
    where = f"deal {move.deal} move {move.move:>3}  {move.seat} {seats[move.seat]}  {move.played}"
    if move.regret is None:
        return f"{where}  not reviewed"
    regret = move.regret
    better = "" if regret.best == move.played else f"  better: {regret.best}"
    return f"{where}  regret {regret.mean:.2f} ({regret.low:.2f} to {regret.high:.2f}){better}"


def seat_lines(moves: Sequence[ReviewedMove], seats: Sequence[str]) -> Iterator[str]:
    """Yield the sums of each seat as a line."""
    for line in by_seat(moves, len(seats)):
        yield (
            f"{line.seat} {seats[line.seat]}: {line.mistakes} mistakes in {line.decisions} decisions, "
            f"regret {line.regret:.2f}"
        )
