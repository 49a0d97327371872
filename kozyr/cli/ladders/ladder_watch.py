"""`kozyr ladder watch`: poll a ladder and show it. A terminal is redrawn; elsewhere each change is a line, or a JSON
document per line. Watching only reads, so it may be stopped at any time."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from typing import Final, Self

from rich.console import Group
from rich.live import Live
from rich.text import Text

from kozyr.cli.ladders import show
from kozyr.cli.ladders.desk import LadderClient, LadderView
from kozyr.console import Console
from kozyr.terminal import echo, harmless
from kozyr_client import KozyrError

AWAY: Final = "unreachable"
"""The code of connection errors, after which the service may come back."""


class Display(ABC):
    """Shows the ladder after each poll."""

    def __enter__(self) -> Self:
        """Start the display."""
        return self

    def __exit__(self, *why: object) -> None:  # noqa: B027 -- most have nothing to end
        """Stop the display; what it shows stays."""

    @abstractmethod
    def show(self, found: LadderView) -> None:
        """Show the current state of the ladder."""

    @abstractmethod
    def away(self, why: KozyrError) -> None:
        """Show that the service does not answer."""


def watch(
    desk: LadderClient, ladder: str, display: Display, *, most: int, every_s: float, rounds_only: bool = False
) -> None:
    """Look and show, with the first `most` bots, until the ladder is closed; with `rounds_only` until those rounds are
    over that were under way at first. That the service is away is shown. Raises `KozyrError` for what it refuses, and
    if it is away at the first look."""
    awaited: set[int] | None = None
    with display:
        while True:
            try:
                found = desk.standing(ladder, most)
            except KozyrError as why:
                if awaited is None or not _may_come_back(why):
                    raise
                display.away(why)
            else:
                display.show(found)
                playing = {each["number"] for each in found.playing}
                desk.look_again_and_again()
                awaited = playing if awaited is None else awaited & playing
                if found.ladder["state"] == "closed" or (rounds_only and not awaited):
                    return
            time.sleep(every_s)


def _may_come_back(why: KozyrError) -> bool:
    return why.code == AWAY or why.status is None or why.status == 429 or why.status >= 500


class Screen(Display):
    """A display that redraws a terminal."""

    def __init__(self, console: Console) -> None:
        self._last: Group = Group()
        self._live = Live(console=console, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *why: object) -> None:
        self._live.stop()

    def show(self, found: LadderView) -> None:
        self._last = Group(*show.standing(found))
        self._live.update(self._last, refresh=True)

    def away(self, why: KozyrError) -> None:
        self._live.update(Group(self._last, Text(_away(why), "yellow")), refresh=True)


class Lines(Display):
    """A display that prints each change as a line, and the standings at first and after each round."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said: set[str] = set()
        self._playing: set[int] | None = None
        self._away = False

    def show(self, found: LadderView) -> None:
        playing = {each["number"] for each in found.playing}
        lines = [
            f"ladder {harmless(found.ladder['name'])} ({found.ladder['id']}): {found.ladder['state']}",
            *show.progress(found),
        ]
        for line in lines:
            if line not in self._said:
                echo(line)
        if found.standings and (self._playing is None or self._playing - playing):
            self._console.print(show.standings(found.standings))
        # A line that returns after another one counts as a change.
        self._said, self._playing, self._away = set(lines), playing, False

    def away(self, why: KozyrError) -> None:
        if not self._away:
            echo(_away(why), err=True)
        self._away = True


class JsonLines(Display):
    """A display that prints a JSON document per line after each poll with a change."""

    def __init__(self) -> None:
        self._last: LadderView | None = None

    def show(self, found: LadderView) -> None:
        if found != self._last:
            echo(json.dumps(found._asdict(), ensure_ascii=False))
        self._last = found

    def away(self, why: KozyrError) -> None:
        echo(_away(why), err=True)


def _away(why: KozyrError) -> str:
    return f"kozyr: the service does not answer; retrying: {harmless(why)}"
