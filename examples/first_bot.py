"""A bot that plays at random, with the address and the token in KOZYR_URL and KOZYR_TOKEN."""

import random

from kozyr_client import Client, Turn


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


client = Client()
client.finish_on_signals()  # Ctrl-C: finish the running matches, and begin no other.
client.play(choose)
