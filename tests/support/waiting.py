"""Wait for a condition instead of sleeping for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 300.0
"""Long enough for a busy machine. A test that waits less asserts the limit itself."""


def eventually(predicate: Callable[[], T], what: str = "", within: float = PATIENCE_S) -> T:
    """Call `predicate` until it returns a true value, and return that value. Fail after `within` seconds.

    An `AssertionError` of the predicate counts as "not yet". The failure is raised from the last one.
    """
    deadline = time.monotonic() + within
    last: AssertionError | None = None
    while True:
        try:
            answer = predicate()
            if answer:
                return answer
            last = None
        except AssertionError as why:
            last = why
        if time.monotonic() > deadline:
            wanted = (
                what or getattr(predicate, "__doc__", None) or getattr(predicate, "__name__", "the condition")
            )
            raise AssertionError(f"not within {within:g} s: {wanted}") from last
        time.sleep(0.01)
