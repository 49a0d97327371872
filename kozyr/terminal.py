"""Everything that commands print, so that text from records, servers and files can't steer a terminal."""

from __future__ import annotations

import sys
from typing import Final

import click

CLEAR_REST: Final = "\x1b[K"


def harmless(text: object) -> str:
    """Return text in one line with control characters, bidirectional overrides and the like as JSON escapes.

    In a JSON document such characters stand only inside strings, so it keeps its meaning.
    """
    shown = str(text)
    return shown if shown.isprintable() else "".join(map(_visible, shown))


def _visible(character: str) -> str:
    import json  # not for `kozyr --help`

    return character if character.isprintable() else json.dumps(character)[1:-1]


def echo(*lines: object, err: bool = False) -> None:
    """Print each argument as one line, which may have tabs."""
    for line in lines:
        click.echo("\t".join(map(harmless, str(line).split("\t"))), err=err)


def show_progress(text: str, *, over: bool) -> None:
    """Replace the last line on standard error, if it is a terminal. Clear it when the work is `over`."""
    if sys.stderr.isatty():
        click.echo(f"\r{harmless(text)}" + (f"\r{CLEAR_REST}" if over else ""), err=True, nl=False)
