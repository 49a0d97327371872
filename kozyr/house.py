"""The house bots that the service offers."""

from __future__ import annotations

import time
from typing import Final

from bots.house import HOUSE_BOTS as HOUSE_BOTS
from bots.search import SearchBot, Seconds
from referee.match.players import Thinkers

_THINKING_S: Final = {"search": 1.0, "search-100ms": 0.1}
"""Thinking time per move of each search bot, in seconds."""
THINKERS: Thinkers = {
    name: SearchBot(name, Seconds(seconds, time.monotonic, time.sleep))
    for name, seconds in _THINKING_S.items()
}
"""House bots that take time to choose a move; only workers ask them."""
