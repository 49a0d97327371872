"""`random`: a legal or free move, all equally likely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.game import Game


class RandomBot:
    """The weakest house bot."""

    name = "random"
    version = "1"

    def pick(self, moves: int, rng: Random) -> int | None:
        # What `rng.randrange(moves)` does, in half the time.
        bits = moves.bit_length()
        place: int = rng.getrandbits(bits)
        while place >= moves:
            place = rng.getrandbits(bits)
        return place

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        moves: list[str] = [*legal_moves, *observation.get("free_moves", ())]
        return rng.choice(moves)
