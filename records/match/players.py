"""The ports of house bots, which the referee asks itself. The composition root passes them in by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol

from engine.game import Game
from engine.match import Player


class HousePlayer(Player, Protocol):
    """A house bot that answers at once. It sees only what its seat sees. After a free move it is asked again."""

    @property
    def name(self) -> str:
        """The bot's name under the owner `house`."""

    @property
    def version(self) -> str:
        """The bot's version. It changes whenever the bot would play differently."""


Players = Mapping[str, HousePlayer]
"""House bots by name."""


class ThinkingPlayer(Protocol):
    """A house bot that takes its time, so a job asks it outside any commit. It also gets its seat's history."""

    @property
    def name(self) -> str:
        """The bot's name under the owner `house`."""

    @property
    def version(self) -> str:
        """The bot's version. It changes whenever the bot would play differently."""

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Sequence[Mapping[str, Any]],
        rng: Random,
    ) -> str:
        """Return a move like `HousePlayer.choose`.

        `history` is the seat's events of the deal in progress, as on the wire but without numbers. The bot decides how
        long it thinks, independently of the clock.
        """


Thinkers = Mapping[str, ThinkingPlayer]
"""Thinking house bots by name."""
