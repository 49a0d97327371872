"""House bots: they see what a seat sees, and answer at once."""

from bots.house.uniform import RandomBot

HOUSE_BOTS = {bot.name: bot for bot in (RandomBot(),)}
