"""A bot that plays at random. It takes KOZYR_URL and KOZYR_TOKEN from the environment."""

import random

from kozyr_client import Client, Turn


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


client = Client()
client.finish_on_signals()  # The first Ctrl-C finishes the running matches, the second one ends the bot.
client.play(choose)
