"""The score sheet of a match: the points of its deals by seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.games.king import CONTRACTS, King
from records.page.table import short_names
from records.page.words import TableText

MOST_DEALS: Final = 24
"""Up to how many deals a match has a sheet."""


class DealLine(NamedTuple):
    """A deal."""

    number: int
    contract: str
    """What is played for, in King; else empty."""
    returns: Sequence[int] | None
    """By seat; `None` until the deal is over."""


class ScoreSheet:
    """The deals of a match, those that are still to be played too, and the sums."""

    def __init__(
        self, text: TableText, deals: int, scores: Sequence[int], events: Iterable[Mapping[str, Any]]
    ) -> None:
        """`events` are those of the match, of which only the ends of deals count."""
        self._text, self.scores = text, scores
        self.names = short_names(text.seats)
        contracts = [text.value(each.name) for each in CONTRACTS] if text.game == King.id else [""] * deals
        returns = {event["deal"]: event["returns"] for event in events if event["type"] == "deal_over"}
        self.lines = [
            DealLine(number, contract, returns.get(number)) for number, contract in enumerate(contracts, 1)
        ]

    def word(self, key: str) -> str:
        """Return a word of the table in the reader's language."""
        return self._text.words[key]
