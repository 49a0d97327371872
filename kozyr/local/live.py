"""Live results on a terminal: of a local tournament, or of a comparison on a service."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Final

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kozyr.console import Console

EVERY_S: Final = 1.0
"""How often the live standings are computed, in seconds. An interval takes a tenth of a second."""


class LiveStandings:
    """The live display of what is counted, as a context manager."""

    def __init__(
        self,
        console: Console,
        *,
        units: str,
        total: int | None,
        counted: Callable[[], int],
        tables: Callable[[], Iterable[RenderableType]],
    ) -> None:
        """`counted` returns how many units of `total` are counted, and `tables` the result so far."""
        self._counted, self._tables = counted, tables
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        )
        self._task = self._progress.add_task(units, total=total)
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
        """Update the display."""
        self._progress.update(self._task, completed=self._counted())
        if time.monotonic() >= self._due:
            self._live.update(Group(self._progress, *self._tables()))
            self._due = time.monotonic() + EVERY_S
