"""What a house bot is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol

from engine.game import Game


class HouseBot(Protocol):
    """A bot that answers at once. It sees what its seat sees, and nothing else."""

    @property
    def name(self) -> str:
        """Its name under the owner `house`."""

    @property
    def version(self) -> str:
        """Changes whenever it would play differently."""

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        """One of `legal_moves`, of which there is at least one. Free moves (`exchange`) may be among them."""
