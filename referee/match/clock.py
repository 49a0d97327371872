"""The clock rules of a match (design page, Clocks). All durations in whole milliseconds of service time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from referee.storage.decoding import decoded


class ClockRule(NamedTuple):
    """A decision has `move_ms`; time beyond it comes out of the seat's bank; each decision made adds
    `increment_ms` to the bank. `grace_ms` is never charged. `strikes` timeouts forfeit the seat."""

    move_ms: int = 5_000
    bank_ms: int = 30_000
    increment_ms: int = 0
    grace_ms: int = 250
    strikes: int = 3

    def allowance(self, bank: int) -> int:
        """How long after it was asked a question's deadline lies: the bank is in it, the grace is not."""
        return self.move_ms + bank

    def charged(self, taken: int, bank: int) -> int:
        """What a decision that took `taken` costs the bank, at most all of it."""
        return min(max(0, taken - self.move_ms), bank)

    def after_decision(self, taken: int, bank: int) -> int:
        """The bank after a decision of the player's own."""
        return bank - self.charged(taken, bank) + self.increment_ms

    def in_time(self, taken: int, bank: int) -> bool:
        """Whether a move that arrived `taken` after its question still counts."""
        return taken <= self.allowance(bank) + self.grace_ms

    def to_json(self) -> dict[str, int]:
        """The clock as it stands in a record."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ClockRule:
        """The clock of a record; what is missing has its default."""
        return decoded(cls, data)
