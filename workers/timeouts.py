"""The timeout of a job."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Final

from rq.timeouts import UnixSignalDeathPenalty

AGAIN_S: Final = 0.01
"""How long a timeout waits for the end of a round trip before it looks again."""


class JobTimeout(UnixSignalDeathPenalty):
    """RQ's timeout, which raises wherever the job is, but for round trips to Redis: it waits for their end.

    A round trip has a timeout of its own. An exception between two of its bytecodes could leave the connection, which
    the threads of the process share, without anybody to drive it.
    """

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        """Handle SIGALRM."""
        if is_in_round_trip(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            super().handle_death_penalty(signum, frame)  # type: ignore[no-untyped-call]  # RQ's


def is_in_round_trip(frame: FrameType | None) -> bool:
    """Return whether this frame runs for `redisio`."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] == "redisio":
            return True
        frame = frame.f_back
    return False
