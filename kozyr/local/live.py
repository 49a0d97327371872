"""The live standings of a local tournament on a terminal."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kozyr.local.run import Tournament
from kozyr.local.show import tables

EVERY_S: Final = 1.0
"""How often the live standings are computed, in seconds. An interval takes a tenth of a second."""


class LiveStandings:
    """The live display of a run, as a context manager."""

    def __init__(self, run: Tournament, console: Console) -> None:
        self._run = run
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        )
        self._task = self._progress.add_task("matches", total=run.plan.matches)
        self._live = Live(self._progress, console=console, refresh_per_second=4, transient=True)
        self._due = 0.0

    def __enter__(self) -> LiveStandings:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        self._live.stop()

    def step(self) -> None:
        """Update the display after a match."""
        self._progress.update(self._task, completed=self._run.matches)
        if time.monotonic() >= self._due:
            self._live.update(Group(self._progress, *tables(self._run)))
            self._due = time.monotonic() + EVERY_S
