"""The console of rich for tables and live displays, which prints like `kozyr.terminal.echo`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final, Literal

import rich.console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from kozyr.terminal import echo, harmless

UNBROKEN: Final = frozenset({"id", "bot", "name"})
"""Headings of columns whose values are copied into other commands."""


class Console(rich.console.Console):
    """A console without markup, on which no text can steer the terminal. Without a terminal, a table is lines with
    tabs between the cells, and nothing wraps."""

    def render(
        self, renderable: rich.console.RenderableType, options: rich.console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable, made harmless."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield segment._replace(text="\n".join(map(harmless, segment.text.split("\n"))))

    def print(self, *objects: Any, **layout: Any) -> None:
        """Print objects as rich does, but break no id in a table and cut nothing off."""
        if self.is_terminal:
            for one in objects:
                if isinstance(one, Table):
                    _keep_whole(one)
            super().print(*objects, **{"crop": False, **layout})
            return
        for one in objects:
            if not isinstance(one, Table):
                super().print(one, **{**layout, "soft_wrap": True})
            elif not self.quiet:
                echo(*_lines(one), err=self.stderr)


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return the console for results, or with `stderr` for messages."""
    return Console(highlight=False, emoji=False, markup=False, stderr=stderr, quiet=quiet)


def table(*headings: str, texts: Collection[str] = (), title: str | None = None) -> Table:
    """Return an empty table with columns for numbers, and for `texts`. Nothing is cut off."""
    made = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in headings:
        side: Literal["left", "right"] = "left" if heading in texts else "right"
        made.add_column(heading, justify=side, header_style="dim", overflow="fold")
    return made


def _keep_whole(table: Table) -> None:
    for column in table.columns:
        if column.header in UNBROKEN:
            column.min_width = max((len(_cell(cell)) for cell in column.cells), default=0)


def _lines(table: Table) -> Iterator[str]:
    if table.title:
        yield _cell(table.title)
    if table.show_header:
        yield "\t".join(_cell(column.header) for column in table.columns)
    for row in zip(*(column.cells for column in table.columns), strict=True):
        yield "\t".join(map(_cell, row))


def _cell(value: object) -> str:
    """Return a cell in one line. Its lines are separated by spaces, as in a list of words."""
    text = value.plain if isinstance(value, Text) else str(value)
    return harmless(" ".join(text.split("\n")))
