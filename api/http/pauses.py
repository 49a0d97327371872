"""Responses that wait. A server that knows their pauses needs no greenlet for each of thousands that wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from referee.polling.waiter import Pause

PAUSES: Final = "kozyr.pauses"
"""The entry of a request's environment with which a server announces that it handles pauses: the response may then
yield some `Pause` before its first bytes, and before it calls `start_response`."""


def waited_out(steps: Iterator[Pause | bytes]) -> Iterator[bytes]:
    """Yield the bytes of a response. Wait at its pauses, in this greenlet or thread."""
    for step in steps:
        if isinstance(step, Pause):
            step.waiter.wait(step.seconds)
        else:
            yield step
