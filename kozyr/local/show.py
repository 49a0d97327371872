"""The display of a local tournament: live standings on a terminal, and tables of the result."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from types import TracebackType
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from kozyr.local.run import Run
from league.results.group_statistics import Estimate
from league.results.sprt import SprtVerdict

EVERY_S: Final = 1.0
"""How often the live standings are computed, in seconds. An interval takes a tenth of a second."""
MOST_PAIRS: Final = 10
"""The number of pairwise differences that are shown."""


class Show:
    """The live display of a run, as a context manager. Without a terminal it shows nothing."""

    def __init__(self, run: Run, console: Console) -> None:
        self._run, self._console = run, console
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        )
        self._task = self._progress.add_task("matches", total=run.plan.matches)
        self._live = Live(self._progress, console=console, refresh_per_second=4, transient=True)
        self._due = 0.0

    def __enter__(self) -> Show:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        self._live.stop()

    def step(self) -> None:
        """Update the display after a match."""
        self._progress.update(self._task, completed=self._run.matches)
        now = time.monotonic()
        if self._console.is_terminal and now >= self._due:
            self._live.update(Group(self._progress, *tables(self._run)))
            self._due = time.monotonic() + EVERY_S


def tables(run: Run) -> Iterator[RenderableType]:
    """Yield the result so far: standings, pairwise leads, the test, and failures."""
    if not run.matches:
        return
    yield _standings(run)
    yield _differences(run)
    if run.sprt is not None:
        yield _test(run)
    for bot, count in sorted(run.failures.items()):
        times = "one answer was" if count == 1 else f"{count} answers were"
        yield Text(
            f"{bot}: {times} none, and the safe move was played; the first: {run.reasons[bot]}", "yellow"
        )


def document(run: Run) -> dict[str, Any]:
    """Return the result so far as JSON."""
    names = run.tally.bots
    bots = [
        {"bot": names[bot], "points_per_deal": run.tally.of(bot).to_json(), "forfeits": run.forfeits[bot]}
        for bot in names
    ]
    sprt = None
    if run.sprt is not None:
        verdict = run.sprt.verdict
        sprt = {"llr": run.sprt.llr(), "groups": run.sprt.groups, "verdict": verdict and verdict.value}
    return {
        "game": run.plan.game,
        "matches": run.matches,
        "planned": run.plan.matches,
        "bots": sorted(bots, key=lambda each: (-each["points_per_deal"]["mean"], each["bot"])),
        "differences": [
            {"bot": names[one], "other": names[other], **lead.to_json()} for one, other, lead in _leads(run)
        ],
        "sprt": sprt,
        "failures": [
            {"bot": bot, "count": count, "first": run.reasons[bot]}
            for bot, count in sorted(run.failures.items())
        ],
    }


def _leads(run: Run) -> Iterator[tuple[str, str, Estimate]]:
    """Yield the lead of each bot over each other that it has met."""
    for one, other in list(combinations([bot.id for bot in run.plan.bots], 2))[:MOST_PAIRS]:
        with suppress(ValueError):  # they have not met yet
            yield one, other, run.tally.difference(one, other)


def _standings(run: Run) -> Table:
    found = {bot: run.tally.of(bot) for bot in run.tally.bots}
    table = Table("bot", box=None, pad_edge=False)
    for column in (
        "points per deal",
        "95 %",
        "deals",
        "groups" if run.plan.duplicate else "matches",
        "forfeits",
    ):
        table.add_column(column, justify="right")
    for bot, estimate in sorted(found.items(), key=lambda one: (-one[1].mean, one[0])):
        table.add_row(
            run.tally.bots[bot],
            f"{estimate.mean:+.3f}",
            interval(estimate),
            str(estimate.deals),
            str(estimate.groups),
            str(run.forfeits[bot]),
        )
    return table


def _differences(run: Run) -> Table:
    names = run.tally.bots
    table = Table("ahead", "of", box=None, pad_edge=False)
    table.add_column("by points per deal", justify="right")
    table.add_column("95 %", justify="right")
    for one, other, lead in _leads(run):
        table.add_row(names[one], names[other], f"{lead.mean:+.3f}", interval(lead))
    return table


def _test(run: Run) -> Text:
    assert run.sprt is not None
    low, high, *_ = run.sprt.tested
    under, over = run.sprt.tested.bounds
    one, other = (bot.bot for bot in run.plan.bots[:2])
    said = {
        None: "no verdict yet",
        SprtVerdict.H0: f"H0 is accepted: {one} is not {high:+g} ahead of {other}, rather {low:+g}",
        SprtVerdict.H1: f"H1 is accepted: {one} is ahead of {other}, by {high:+g} rather than {low:+g}",
    }[run.sprt.verdict]
    return Text(
        f"SPRT {low:+g} to {high:+g} points per deal: LLR {run.sprt.llr():+.2f} ({under:.2f} to {over:.2f}) after"
        f" {run.sprt.groups} {'groups' if run.plan.duplicate else 'matches'}; {said}",
        "bold",
    )


def interval(estimate: Estimate) -> str:
    """Return the interval as `-0.12 to +0.34`, or `""` if there is none."""
    return "" if estimate.low is None else f"{estimate.low:+.3f} to {estimate.high:+.3f}"
