"""Who is online: a bot that was heard of a short time ago, as it asked for its turns or moved. House bots always are.

A bot is online from the moment at which it asks, for `ONLINE_MS` or as long as it said it would wait and `MARGIN_MS`
more; so whoever goes away in the middle of a poll is still taken to be online until the poll would have ended.
Each process notes a bot at most every `NOTED_MS`, so that polls and moves need no round trip of their own for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from league.accounts.store import PresenceStore

ONLINE_MS: Final = 30_000
MARGIN_MS: Final = 5_000
NOTED_MS: Final = 5_000
MOST_NOTED: Final = 10_000
"""Of so many bots a process knows when it noted them; beyond that it forgets all, and notes them again."""


class Presence:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(self, store: PresenceStore, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store, self._monotonic = store, monotonic
        self._until: dict[str, float] = {}

    def seen(self, bot: str, wait_s: float = 0.0) -> None:
        """The bot asks, and will wait for an answer for so long."""
        for_ms = max(ONLINE_MS, round(wait_s * 1000) + MARGIN_MS)
        until = self._monotonic() + for_ms / 1000
        if until < self._until.get(bot, 0.0) + NOTED_MS / 1000:
            return
        if len(self._until) >= MOST_NOTED:
            self._until.clear()
        self._until[bot] = until
        self._store.note(bot, for_ms)

    def online(self, bots: Sequence[str]) -> set[str]:
        """The ids of those of these remote bots that are online."""
        return self._store.online(bots) if bots else set()
