"""Keys of a terminal, one at a time, without echo."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click

LONGEST_WAIT_S: Final = 86_400.0
_LOOK_S: Final = 0.02

KeyWithin = Callable[[float | None], str | None]
"""Returns the next key, `q` at the end of the input, or `None` if none came within these seconds."""


@contextmanager
def pressed_keys() -> Iterator[KeyWithin]:
    """Read keys in the block. Raise `ClickException` if the terminal fails."""
    try:
        import termios
        import tty
    except ImportError:
        yield _key_on_windows
        return
    file = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(file)
        tty.setcbreak(file)
        try:
            yield _key
        finally:
            termios.tcsetattr(file, termios.TCSADRAIN, before)
    except (OSError, UnicodeError, termios.error) as why:
        raise click.ClickException(f"the terminal can't be used: {why}") from why


def _key(wait_s: float | None) -> str | None:
    keyboard = sys.stdin.fileno()
    if not select.select([keyboard], [], [], wait_s and min(wait_s, LONGEST_WAIT_S))[0]:
        return None
    return os.read(keyboard, 1).decode(errors="replace") or "q"


def _key_on_windows(wait_s: float | None) -> str | None:
    import msvcrt

    until = None if wait_s is None else time.monotonic() + wait_s
    while not msvcrt.kbhit():  # type: ignore[attr-defined]  # Windows
        if until is not None and time.monotonic() > until:
            return None
        time.sleep(_LOOK_S)
    key: str = msvcrt.getwch()  # type: ignore[attr-defined]  # Windows
    return "q" if key in "\x03\x1a" else key
