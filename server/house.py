"""The house bots that the service offers.

The search is large. It is imported with the first bot that thinks, or whose version a list shows.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bots.house import HOUSE_BOTS as HOUSE_BOTS
from records.match.players import HousePlayer, Players, Thinkers, ThinkingPlayer
from referee.service.load import ThinkingLoad

if TYPE_CHECKING:
    from bots.search import SearchBot

_THINKING_S: Final = {"search": 1.0, "search-100ms": 0.1}
"""Thinking time per move of each search bot that thinks by the clock, in seconds."""
_BY_PLAYOUTS: Final = re.compile(r"search:([1-9][0-9]{0,2})")


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


class HouseThinkers(Mapping[str, ThinkingPlayer]):
    """House bots that take time to choose a move: some think by the clock, and `search:N` does N playouts, 1 to 999.

    Iterating yields only the former.
    """

    def __init__(self, seconds: Mapping[str, float]) -> None:
        """`seconds` is the time per move of each bot that thinks by the clock."""
        self._seconds = seconds

    def __getitem__(self, name: str) -> ThinkingPlayer:
        found = _timed(name, self._seconds[name]) if name in self._seconds else _by_playouts(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._seconds)

    def __len__(self) -> int:
        return len(self._seconds)


class HouseVersions(Mapping[str, str]):
    """The versions of house bots by name. Finds those with a number of playouts, but does not iterate over them."""

    def __init__(self, players: Players, thinkers: Thinkers) -> None:
        self._bots: Sequence[Mapping[str, HousePlayer | ThinkingPlayer]] = (players, thinkers)

    def __getitem__(self, name: str) -> str:
        for bots in self._bots:
            if (bot := bots.get(name)) is not None:
                return bot.version
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({name for bots in self._bots for name in bots}))

    def __len__(self) -> int:
        return len(set(self))


@lru_cache(maxsize=1000)
def _by_playouts(name: str) -> SearchBot | None:
    named = _BY_PLAYOUTS.fullmatch(name)
    if named is None:
        return None
    from bots.search import Iterations, SearchBot

    return SearchBot(name, Iterations(int(named[1])))


@lru_cache(maxsize=1000)
def _timed(name: str, seconds: float) -> SearchBot:
    from bots.search import SearchBot, Seconds

    def report(searched_s: float, late_s: float) -> None:
        THINKING.add(name, searched_s, late_s)

    return SearchBot(name, Seconds(seconds, time.monotonic, time.sleep, time.thread_time, report))


THINKERS: Thinkers = HouseThinkers(_THINKING_S)
"""House bots that take time to choose a move; only workers ask them."""
