"""A bot that plays at random: python bots/examples/first_bot.py URL TOKEN"""

import random
import sys

from kozyr_client import Client, Turn


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


Client(*sys.argv[1:]).play(choose)
