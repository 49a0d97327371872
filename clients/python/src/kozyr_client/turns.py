"""Turns and finished matches: the JSON objects of the service with properties for their main fields."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

Json = dict[str, Any]


class Turn(dict[str, Any]):
    """A turn of this bot: the service's JSON object, with properties for its main fields."""

    def __init__(self, data: Mapping[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(data)
        self.note = ""
        """Your own note on the move; set it in `choose`. Others see it when the match may be read."""
        self.facts: Json = {}
        """What you report about the move: `input_tokens`, `output_tokens`, `cost_micro_usd` and `thoughts`. Others see
        it when the match may be read."""
        self._clock, self._arrived = clock, clock()
        self._budget_s = float("inf")
        if self.deadline is not None and data.get("now"):
            self._budget_s = (self.deadline - instant(data["now"])).total_seconds()
        clocks = data.get("clocks") or []
        self.bank_s: float = clocks[self.seat]["bank_ms"] / 1000 if clocks else 0.0
        """The part of the time that is the bank."""

    @property
    def match(self) -> str:
        """The id of the match."""
        return str(self["match"])

    @property
    def number(self) -> int:
        """The number of the turn in its match, which a move must quote."""
        return int(self["turn"])

    @property
    def seat(self) -> int:
        """The seat of this bot."""
        return int(self["seat"])

    @property
    def observation(self) -> Json:
        """Everything that this seat sees."""
        seen: Json = self["observation"]
        return seen

    @property
    def legal_moves(self) -> list[str]:
        """The legal answers to this turn; empty in a match that does not list them."""
        moves: list[str] = self.observation["legal_moves"]
        return moves

    def may_allow(self, move: str) -> bool:
        """Return whether the move is legal, or the match does not list its moves."""
        return not self.legal_moves or move in self.legal_moves

    @property
    def free_moves(self) -> list[str]:
        """The moves that do not answer this turn. After one of them `choose` is called again."""
        moves: list[str] = self.observation.get("free_moves", [])
        return moves

    @property
    def deadline(self) -> datetime | None:
        """The deadline in service time, or `None`. Compare it with this object's `now`, never with your own clock."""
        text = self.get("deadline")
        return None if text is None else instant(text)

    @property
    def budget_s(self) -> float:
        """The seconds from the arrival of the turn to its deadline, with the bank. Infinite without a deadline."""
        return self._budget_s

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline, with the bank and without the grace. Infinite without a deadline."""
        return self._budget_s - (self._clock() - self._arrived)

    @property
    def has_run_out(self) -> bool:
        """Whether the deadline passed after the turn had arrived."""
        return self.seconds_left <= 0 < self._budget_s


class Finished(dict[str, Any]):
    """A finished match of this bot."""

    @property
    def match(self) -> str:
        """The id of the match."""
        return str(self["match"])

    @property
    def seat(self) -> int:
        """The seat of this bot."""
        return int(self["seat"])

    @property
    def ending(self) -> str:
        """How the match ended: `rules`, `forfeit`, `resigned`, `aborted` or `void`."""
        return str(self["ending"])

    @property
    def scores(self) -> list[int]:
        """The scores by seat."""
        scores: list[int] = self["scores"]
        return scores

    @property
    def places(self) -> list[int]:
        """The places by seat, from 1. Equal scores share a place."""
        places: list[int] = self["places"]
        return places


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
