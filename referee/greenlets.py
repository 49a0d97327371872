"""Long computations in a process whose requests share one thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

RunInThread = Callable[[Callable[[], Any]], Any]
"""Calls a function that computes for long or blocks its thread, and returns its result: in another thread, if greenlets
share this one."""


def let_others_run() -> None:
    """Let other requests run.

    With gevent, `time.sleep(0)` does not: up to fifty times it continues before the event loop looks for what has
    arrived.
    """
    time.sleep(1e-6)


def with_pauses(things: Iterable[T], every: int) -> Iterator[T]:
    """Yield these things, and after each `every` let other requests run."""
    for number, thing in enumerate(things, 1):
        yield thing
        if number % every == 0:
            let_others_run()
