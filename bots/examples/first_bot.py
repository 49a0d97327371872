"""A bot that plays at random: python bots/examples/first_bot.py URL TOKEN"""

import random
import sys
from contextlib import suppress

from kozyr_client import Client, Turn


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


with suppress(KeyboardInterrupt):
    Client(*sys.argv[1:]).play(choose)
