"""A bot that plays at random: python bots/examples/first_bot.py URL TOKEN"""

import random
import sys

from kozyr_client import Client, Turn


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


client = Client(*sys.argv[1:])
client.finish_on_signals()  # Ctrl-C: finish the running matches, and begin no other.
client.play(choose)
