"""The house bots that the service offers."""

from __future__ import annotations

import threading
from typing import Final

from bots.house import HOUSE_BOTS as HOUSE_BOTS
from bots.thinking import Thinkers
from referee.service.redis_load import ThinkingLoad


class ThinkingTally:
    """What the bots that think by the clock have done since the last `take`. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done: dict[str, ThinkingLoad] = {}

    def add(self, bot: str, searched_s: float, late_s: float) -> None:
        """Count a move that took `searched_s`, `late_s` of them without a processor."""
        with self._lock:
            moves, thought, late = self._done.get(bot, ThinkingLoad(0, 0, 0))
            self._done[bot] = ThinkingLoad(
                moves + 1, thought + round(searched_s * 1000), late + round(late_s * 1000)
            )

    def take(self) -> dict[str, ThinkingLoad]:
        """Return the counts and begin new ones."""
        with self._lock:
            done, self._done = self._done, {}
            return done


THINKING: Final = ThinkingTally()
"""The thinking of this process."""

THINKERS: Final = Thinkers(THINKING.add)
"""House bots that take time to choose a move; only workers ask them."""
