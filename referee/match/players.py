"""What sits on a chair and is asked by the referee itself. The composition root hands them in by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol

from engine.game import Game


class HousePlayer(Protocol):
    """A house bot that answers at once. It sees what its seat sees and nothing else."""

    @property
    def name(self) -> str:
        """Its name under the owner `house`."""

    @property
    def version(self) -> str:
        """Changes whenever it would play differently."""

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        """One of `legal_moves`, or of the observation's `free_moves`; a free move has the bot asked again."""


Players = Mapping[str, HousePlayer]
"""House bots by name."""


class ThinkingPlayer(Protocol):
    """A house bot that takes its time, and is asked by a job outside any commit. Besides what its seat sees now it is
    told what the seat has seen."""

    @property
    def name(self) -> str:
        """Its name under the owner `house`."""

    @property
    def version(self) -> str:
        """Changes whenever it would play differently."""

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Sequence[Mapping[str, Any]],
        rng: Random,
    ) -> str:
        """A move, as `HousePlayer.choose`. `history` are the seat's own events of the deal in progress, as on the
        wire but without their numbers. How long it thinks is its own affair, and always the same."""


Thinkers = Mapping[str, ThinkingPlayer]
"""Thinking house bots by name."""
