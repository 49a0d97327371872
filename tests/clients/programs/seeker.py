"""Looks for opponents at Durak, plays two matches at random, and ends."""

import random

from kozyr_client import Client

Client().play(lambda turn: random.choice(turn.legal_moves), matches=2, find={"game": "durak"})
