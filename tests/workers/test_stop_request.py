"""A request to stop, made by a signal handler at any instruction of the thread that waits for it."""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

import pytest

from workers.stop_request import StopRequest

LONGEST_WAIT_S = 0.0001


class InterruptedAt:
    """A wait in a thread of its own, interrupted by a handler that calls `set` before one of its instructions."""

    def __init__(self, stop: StopRequest, at: int) -> None:
        self._stop, self._at, self.instructions = stop, at, 0
        self.result: bool | None = None
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        thread.join(60)
        self.is_stuck = thread.is_alive()

    def _run(self) -> None:
        sys.settrace(self._trace)
        self.result = self._stop.wait(LONGEST_WAIT_S)
        sys.settrace(None)

    def _trace(self, frame: FrameType, what: str, argument: Any) -> Any:
        frame.f_trace_opcodes = True
        if what == "opcode":
            self.instructions += 1
            if self.instructions == self._at:
                sys.settrace(None)
                self._stop.set()
        return self._trace


def test_a_handler_may_ask_to_stop_before_any_instruction_of_a_wait() -> None:
    undisturbed = InterruptedAt(StopRequest(), at=0)
    assert undisturbed.result is False
    for place in range(1, undisturbed.instructions + 1):
        stop = StopRequest()
        interrupted = InterruptedAt(stop, place)
        assert not interrupted.is_stuck
        assert stop.is_set()
        assert stop.wait(60)


@pytest.mark.parametrize("earlier", [True, False])
def test_a_wait_ends_with_the_request(earlier: bool) -> None:
    stop = StopRequest()
    if earlier:
        stop.set()
        assert stop.wait(600)
    else:
        assert not stop.wait(0.0)
        threading.Timer(0, stop.set).start()
        assert stop.wait(600)
    assert stop.is_set()
