"""`kozyr ladder watch`: poll a ladder and show it. A terminal is redrawn; elsewhere each change is a line, or a JSON
document per line. Watching only reads, so it may be stopped at any time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from rich.console import Group
from rich.live import Live
from rich.text import Text

from kozyr.cli.errors import may_come_back
from kozyr.cli.ladders import show
from kozyr.cli.ladders.desk import LadderClient, LadderView
from kozyr.console import Console
from kozyr.terminal import echo, harmless
from kozyr_client import KozyrError

Look = LadderView | KozyrError
"""A ladder at an instant, or why the service did not answer."""


def looks(
    desk: LadderClient, ladder: str, *, most: int, every_s: float, rounds_only: bool = False
) -> Iterator[Look]:
    """Look at a ladder with its first `most` bots until it is closed; with `rounds_only` until those rounds are over
    that were under way at first. Raise `KozyrError` for what the service refuses, and if it is away at the first
    look."""
    awaited: set[int] | None = None
    while True:
        try:
            found = desk.standing(ladder, most)
        except KozyrError as why:
            if awaited is None or not may_come_back(why):
                raise
            yield why
        else:
            yield found
            desk.look_again_and_again()
            awaited = found.playing if awaited is None else awaited & found.playing
            if found.ladder["state"] == "closed" or (rounds_only and not awaited):
                return
        time.sleep(every_s)


def redraw(console: Console, found: Iterator[Look]) -> None:
    """Redraw a terminal after each look."""
    last = Group()
    with Live(console=console, refresh_per_second=4) as live:
        for look in found:
            if isinstance(look, KozyrError):
                live.update(Group(last, Text(_away(look), "yellow")), refresh=True)
            else:
                last = Group(*show.standing(look))
                live.update(last, refresh=True)


def print_lines(console: Console, found: Iterator[Look]) -> None:
    """Print each change as a line, and the standings at first and after each round."""
    printed: set[str] = set()
    playing: set[int] | None = None
    is_away = False
    for look in found:
        if isinstance(look, KozyrError):
            if not is_away:
                echo(_away(look), err=True)
            is_away = True
            continue
        name, state = harmless(look.ladder["name"]), look.ladder["state"]
        lines = [f"ladder {name} ({look.ladder['id']}): {state}", *show.progress(look)]
        echo(*(line for line in lines if line not in printed))
        if look.standings and (playing is None or playing - look.playing):
            console.print(show.standings(look.standings))
        # A line that returns after another one counts as a change.
        printed, playing, is_away = set(lines), look.playing, False


def print_json(found: Iterator[Look]) -> None:
    """Print a JSON document per line after each look that differs from the one before."""
    last: LadderView | None = None
    for look in found:
        if isinstance(look, KozyrError):
            echo(_away(look), err=True)
        elif look != last:
            last = look
            echo(json.dumps(look._asdict(), ensure_ascii=False))


def _away(why: KozyrError) -> str:
    return f"kozyr: the service does not answer; retrying: {harmless(why)}"
