"""House bots: they see what a seat sees, and answer at once.

`random` and `greedy` are the anchors of the ladders. They import the rules alone, keep nothing between two
questions, and play the same again with the same observation and the same `rng`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bots.house.greedy import GreedyBot
from bots.house.uniform import RandomBot

HouseBot = RandomBot | GreedyBot
"""A bot that answers at once; `referee.match.players.HousePlayer` is what is asked of it."""

_BOTS: tuple[HouseBot, ...] = (RandomBot(), GreedyBot())

HOUSE_BOTS: Mapping[str, HouseBot] = MappingProxyType({bot.name: bot for bot in _BOTS})
"""All house bots by name."""

__all__ = ["HOUSE_BOTS", "HouseBot"]
