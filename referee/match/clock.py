"""The clock rule of a match. All durations are whole milliseconds of service time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from referee.decoding import decoded
from referee.match.log import BY_PLAYER, BY_TIMEOUT, Entry


class ClockRule(NamedTuple):
    """The time limits of a match.

    A decision has `move_ms`. Time beyond it is charged to the seat's bank, and each decision adds `increment_ms` to the
    bank. `grace_ms` is never charged. `strikes` timeouts forfeit the seat.
    """

    move_ms: int = 5_000
    bank_ms: int = 30_000
    increment_ms: int = 0
    grace_ms: int = 250
    strikes: int = 3

    def allowance(self, bank: int) -> int:
        """Return the time from a question to its deadline: the bank is included, the grace is not."""
        return self.move_ms + bank

    def charged(self, taken: int, bank: int) -> int:
        """Return what a decision that took `taken` costs the bank, at most all of it."""
        return min(max(0, taken - self.move_ms), bank)

    def after_decision(self, taken: int, bank: int) -> int:
        """Return the bank after a decision that the player made itself."""
        return bank - self.charged(taken, bank) + self.increment_ms

    def in_time(self, taken: int, bank: int) -> bool:
        """Return whether a move that arrived `taken` after its question still counts."""
        return taken <= self.allowance(bank) + self.grace_ms

    def to_json(self) -> dict[str, int]:
        """Return the clock rule as a record has it."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ClockRule:
        """Return the clock rule of a record. Missing fields get their defaults."""
        return decoded(cls, data)


class SeatClocks:
    """The clocks of all seats of a match, entry by entry of its log."""

    def __init__(self, rule: ClockRule, house: Sequence[bool]) -> None:
        """`house` says by seat whether a house bot sits there; no clock runs against it."""
        self._rule, self._house = rule, house
        self._bank = [rule.bank_ms] * len(house)
        self._strikes = [0] * len(house)

    def after(self, entry: Entry) -> int:
        """Take an entry into account and return the ms that it cost its seat's bank."""
        if not entry.answers or self._house[entry.seat]:
            return 0
        seat, bank = entry.seat, self._bank[entry.seat]
        if entry.by == BY_TIMEOUT:
            self._bank[seat] = 0
            self._strikes[seat] += 1
            return bank
        if entry.by != BY_PLAYER:
            return 0
        self._bank[seat] = self._rule.after_decision(entry.ms, bank)
        return self._rule.charged(entry.ms, bank)

    def to_json(self) -> list[dict[str, int]]:
        """Return by seat the time left in the bank and the strikes so far."""
        return [
            {"bank_ms": bank, "strikes": strikes}
            for bank, strikes in zip(self._bank, self._strikes, strict=True)
        ]
