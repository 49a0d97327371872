"""The last errors in the log of this process, until they are reported to the operators' page.

gunicorn's master imports this module before gevent patches anything, so it must not import redis-py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

MOST_HELD: Final = 100
_LEVELS: Final = frozenset({"error", "critical"})


class LoggedErrors:
    """A structlog processor that notes errors. Place it behind the one that hides secrets. Safe to share between
    greenlets and threads."""

    def __init__(self) -> None:
        self._held: deque[tuple[str, str]] = deque(maxlen=MOST_HELD)

    def __call__(self, logger: Any, method: str, line: Mapping[str, Any]) -> Mapping[str, Any]:
        if line.get("level") in _LEVELS:
            trace = str(line.get("exception") or line.get("request_id") or "").strip().splitlines()
            where = " … ".join(dict.fromkeys(each.strip() for each in trace[:1] + trace[-1:]))
            self._held.append((str(line.get("event", "")), where))
        return line

    def send(self, add: Callable[[Sequence[tuple[str, str]]], object]) -> None:
        """Pass the errors since the last call to `add`: what happened, and where. Keep them if it raises."""
        found = [self._held.popleft() for _ in range(len(self._held))]
        if not found:
            return
        try:
            add(found)
        except BaseException:
            self._held.extendleft(reversed(found))
            raise


LOGGED: Final = LoggedErrors()
"""The errors of this process."""
