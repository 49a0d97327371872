"""`kozyr ladder watch`: a ladder looked at again and again, and shown: drawn anew on a terminal, elsewhere a line for
each change, or a JSON document a line. It only reads, so ending it anywhere breaks nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Protocol

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from bots.client import KozyrError
from kozyr.ladders import show
from kozyr.ladders.desk import Desk, Standing
from kozyr.terminal import harmless

AWAY: Final = "unreachable"
"""The code of an error for which nobody is to blame but the way there; what is away may come back."""


class Display(Protocol):
    """Where the looks are shown."""

    def __enter__(self) -> Display:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        """End; what stands there stays."""

    def show(self, found: Standing) -> None:
        """How the ladder stands now."""

    def away(self, why: KozyrError) -> None:
        """The service does not answer at present."""


def watch(desk: Desk, ladder: str, display: Display, *, every_s: float, round_only: bool) -> None:
    """Look and show until the ladder is closed; with `round_only` until no round is under way. That the service is away
    is shown. Raises `KozyrError` for what it refuses, and if it is away at the first look."""
    first = True
    with display:
        while True:
            try:
                found = desk.standing(ladder)
            except KozyrError as why:
                if first or not _may_come_back(why):
                    raise
                display.away(why)
            else:
                first = False
                display.show(found)
                if found.ladder["state"] == "closed" or (round_only and not found.playing):
                    return
            time.sleep(every_s)


def _may_come_back(why: KozyrError) -> bool:
    return why.code == AWAY or why.status is None or why.status == 429 or why.status >= 500


class Screen:
    """A terminal."""

    def __init__(self, console: Console, most: int) -> None:
        self._most = most
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        )
        self._task: tuple[int, TaskID] | None = None
        self._last: Group = Group()
        self._live = Live(console=console, refresh_per_second=4)

    def __enter__(self) -> Screen:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, found: Standing) -> None:
        """See `Display`."""
        parts = [*show.standing(found, self._most)]
        if found.playing:
            parts.append(self._bar(found))
        self._last = Group(*parts)
        self._live.update(self._last, refresh=True)

    def away(self, why: KozyrError) -> None:
        """See `Display`."""
        self._live.update(Group(self._last, Text(_away(why), "yellow")), refresh=True)

    def _bar(self, found: Standing) -> Progress:
        assert found.round is not None
        number, planned = found.round["number"], max(1, found.round["planned"])
        if self._task is None or self._task[0] != number:
            if self._task is not None:
                self._progress.remove_task(self._task[1])
            self._task = number, self._progress.add_task(f"round {number}", total=planned)
        self._progress.update(self._task[1], completed=found.round["over"])
        return self._progress


class Lines:
    """Anything but a terminal: what is new, a line each; the standings when a round is done."""

    def __init__(self, console: Console, most: int) -> None:
        self._console, self._most = console, most
        self._said: set[str] = set()
        self._away = False

    def __enter__(self) -> Lines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        pass

    def show(self, found: Standing) -> None:
        """See `Display`."""
        self._away = False
        fresh = [line for line in self._lines(found) if line not in self._said]
        for line in fresh:
            click.echo(line)
        if fresh and not found.playing and found.round is not None:
            self._console.print(show.standings(found.standings[: self._most]))
        # A line that comes again after another is news again.
        self._said = set(self._lines(found))

    def away(self, why: KozyrError) -> None:
        """See `Display`."""
        if not self._away:
            click.echo(_away(why), err=True)
        self._away = True

    @staticmethod
    def _lines(found: Standing) -> Iterator[str]:
        yield f"ladder {harmless(found.ladder['name'])} ({found.ladder['id']}): {found.ladder['state']}"
        yield str(show.progress(found))


class JsonLines:
    """A JSON document a line for each look at which something was new."""

    def __init__(self) -> None:
        self._last: Standing | None = None

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        pass

    def show(self, found: Standing) -> None:
        """See `Display`."""
        if found != self._last:
            click.echo(json.dumps(found.to_json(), ensure_ascii=False))
        self._last = found

    def away(self, why: KozyrError) -> None:
        """See `Display`."""
        click.echo(_away(why), err=True)


def _away(why: KozyrError) -> str:
    return f"kozyr: the service does not answer, trying on: {harmless(why)}"
