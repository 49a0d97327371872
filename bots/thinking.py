"""House bots that take time to choose a move: some think by the clock, and `search:N` does N playouts, 1 to 999.

The search is large. It is imported with the first bot that thinks, or whose version a list shows.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bots.search import SearchBot

_THINKING_S: Final = {"search": 1.0, "search-100ms": 0.1}
"""Thinking time per move of each search bot that thinks by the clock, in seconds."""
_BY_PLAYOUTS: Final = re.compile(r"search:([1-9][0-9]{0,2})")

Report = Callable[[str, float, float], None]
"""Takes the name of a bot that has thought by the clock, for how many seconds, and how many of them without a
processor."""


class Thinkers(Mapping[str, "SearchBot"]):
    """The bots by name. Iterating yields only those that think by the clock."""

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._bot = lru_cache(maxsize=1000)(self._created)

    def __getitem__(self, name: str) -> SearchBot:
        return self._bot(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_THINKING_S)

    def __len__(self) -> int:
        return len(_THINKING_S)

    def _created(self, name: str) -> SearchBot:
        named = _BY_PLAYOUTS.fullmatch(name)
        if named is None and name not in _THINKING_S:
            raise KeyError(name)
        from bots.search import Iterations, SearchBot, Seconds

        if named is not None:
            return SearchBot(name, Iterations(int(named[1])))

        def report(searched_s: float, late_s: float) -> None:
            if self._report is not None:
                self._report(name, searched_s, late_s)

        return SearchBot(
            name, Seconds(_THINKING_S[name], time.monotonic, time.sleep, time.thread_time, report)
        )
