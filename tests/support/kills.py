"""A process that dies at a chosen round trip, in the process of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from redisio.connection import Redis
from redisio.scripts import Command


class Killed(BaseException):
    """An exception that no `except Exception` catches: the process dies between two lines."""


def sweep(points: Iterable[Any]) -> list[Any]:
    """Return the parameters of a test that is killed at each point: every third in `make check`, all in CI."""
    return [
        pytest.param(point, marks=[pytest.mark.ci] if nth % 3 else []) for nth, point in enumerate(points)
    ]


@contextmanager
def killed_at(trip: int, *, before: bool, first: tuple[type, str] | None = None) -> Iterator[None]:
    """Kill the process at round trip number `trip` (from 1), right before it or right after it.

    `first` is a class and a method: its first call makes the next round trip number 1. Without it, the first one in
    the block is number 1. Asserts that the process was killed.
    """
    run, begun, trips = Redis.run, first is None, 0

    def counted(self: Redis, commands: Sequence[Command], **how: bool) -> list[Any]:
        nonlocal trips
        trips += begun
        if before and trips == trip:
            raise Killed
        answers = run(self, commands, **how)
        if trips == trip:
            raise Killed
        return answers

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Redis, "run", counted)
        if first is not None:
            where, name = first
            method: Callable[..., Any] = getattr(where, name)

            def begin(*given: Any, **named: Any) -> Any:
                nonlocal begun
                begun = True
                return method(*given, **named)

            patched.setattr(where, name, begin)
        with pytest.raises(Killed):
            yield
