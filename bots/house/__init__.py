"""House bots that answer at once, and see only what their seat sees.

`greedy` is the anchor of ratings. They import only the rules and are stateless. The same
observation and the same state of `rng` give the same move.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bots.house.greedy import HEURISTICS, GreedyBot
from bots.house.uniform import RandomBot

HouseBot = RandomBot | GreedyBot
"""A bot that answers at once. It implements `records.match.players.HousePlayer`."""

_BOTS: tuple[HouseBot, ...] = (RandomBot(), GreedyBot(HEURISTICS))

HOUSE_BOTS: Mapping[str, HouseBot] = MappingProxyType({bot.name: bot for bot in _BOTS})
"""The house bots by name."""

__all__ = ["HOUSE_BOTS", "HouseBot"]
