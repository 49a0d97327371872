"""Where a match began that continues another one: the position, and the shuffles of the deals before it.

A continued match repeats the other match's deals and moves up to a position (`records.match.log.BY_CONTINUED`). Its
record contains the shuffles of those deals, which are public by then, so it verifies by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from engine.game import Game
from engine.relabelling import Suits, parse_suits, relabelled, suits_text, undone
from records.match import shuffle


class PastShuffle(NamedTuple):
    """The shuffle of the match in which deals were played first."""

    match: str
    deals: int
    """The number of the last deal that it shuffled."""
    secret: str
    """In hexadecimal."""
    entropy: tuple[str | None, ...]
    suits: Suits
    """By suit, its new suit at that table."""

    def deck(self, game: Game, number: int) -> tuple[int, ...]:
        """Return the deck of deal `number`. `game` is the table after suits were relabelled."""
        pack = game.relabelled(undone(self.suits)).pack
        return relabelled(shuffle.deck(bytes.fromhex(self.secret), self.entropy, number, pack), self.suits)

    def to_json(self) -> dict[str, Any]:
        """Return the shuffle as a record has it."""
        return {**self._asdict(), "entropy": list(self.entropy), "suits": suits_text(self.suits)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the shuffle of a record."""
        return cls(
            data["match"], data["deals"], data["secret"], tuple(data["entropy"]), parse_suits(data["suits"])
        )


class Continuation(NamedTuple):
    """The position of another match at which a match began."""

    match: str
    """The id of the match that is continued."""
    deal: int
    move: int
    """How many moves of that deal were repeated."""
    shuffles: tuple[PastShuffle, ...]
    """The shuffles of the deals up to `deal`, in order."""

    def deck(self, game: Game, number: int) -> tuple[int, ...] | None:
        """Return the deck of a deal up to `deal`; `None` for a later one, which the match shuffles itself."""
        for past in self.shuffles:
            if number <= past.deals:
                return past.deck(game, number)
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the continuation as a record has it."""
        return {**self._asdict(), "shuffles": [past.to_json() for past in self.shuffles]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the continuation of a record."""
        shuffles = tuple([PastShuffle.from_json(past) for past in data["shuffles"]])
        return cls(data["match"], data["deal"], data["move"], shuffles)
