"""Play a match of the game in the arguments, and one whose second player never answers with a move. Print rewards."""

from __future__ import annotations

import json
import sys

import scripted
import textarena_env

game, seats = f"Kozyr-{sys.argv[1]}-v0", int(sys.argv[2])
played = textarena_env.play(game, [scripted.first_move] * seats, seed=1)
again = textarena_env.play(game, [scripted.first_move] * seats, seed=1)
talkers = [lambda text: "I would rather talk."] * seats
print(json.dumps([played, again, textarena_env.play(game, talkers, seed=1)]))
