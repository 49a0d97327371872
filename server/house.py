"""The house bots that the service offers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

from bots.house import HOUSE_BOTS as HOUSE_BOTS
from bots.thinking import Thinkers
from referee.service.redis_load import ThinkingLoad


class ThinkingTally:
    """What the bots that think by the clock have done since the last `report`. Safe to share between threads."""

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

    def report(self, add: Callable[[Mapping[str, ThinkingLoad]], object]) -> None:
        """Pass the counts to `add` and begin new ones. If it raises, they are lost."""
        with self._lock:
            done, self._done = self._done, {}
        if done:
            add(done)


THINKING: Final = ThinkingTally()
"""The thinking of this process."""

THINKERS: Final = Thinkers(THINKING.add)
"""House bots that take time to choose a move; only workers ask them."""
