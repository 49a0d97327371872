"""The clock rule of a match. All durations are whole milliseconds of service time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from records.decoding import decoded
from records.match.log import BY_PLAYER, BY_TIMEOUT, Entry


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
        over = taken - self.move_ms
        return 0 if over <= 0 else min(over, bank)

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


class Pace(NamedTuple):
    """A clock rule with a name, which stands for all clock rules that are about as fast."""

    clock: ClockRule
    from_ms: int
    """The least time per decision (`pace_of`) of a clock rule of this pace."""
    start_ms: int = 0
    """How long the bots of a match have at least to show up."""


_DAY_MS: Final = 86_400_000
STANDARD: Final = "standard"
"""The pace of the default clock rule."""
PACES: Final[Mapping[str, Pace]] = {
    "blitz": Pace(ClockRule(move_ms=1_000, bank_ms=10_000), from_ms=0),
    STANDARD: Pace(ClockRule(), from_ms=3_000),
    "reasoning": Pace(ClockRule(move_ms=120_000, bank_ms=600_000), from_ms=60_000, start_ms=600_000),
    "correspondence": Pace(ClockRule(move_ms=_DAY_MS, bank_ms=_DAY_MS), from_ms=3_600_000, start_ms=_DAY_MS),
}
"""By name, the fastest first. `reasoning` suits language models."""
DECISIONS: Final = 40
"""Over how many decisions `pace_of` spreads the bank."""
CLOCK_LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "move_ms": (100, _DAY_MS),
    "bank_ms": (0, _DAY_MS),
    "increment_ms": (0, _DAY_MS),
    "grace_ms": (0, 5000),
    "strikes": (1, 1000),
}
"""The least and the greatest value that a service accepts for each field of a clock rule."""


class SeatClocks(NamedTuple):
    """The clocks of all seats of a match, entry by entry of its log. Immutable."""

    rule: ClockRule
    house: tuple[bool, ...]
    """By seat, whether a house bot sits there; no clock runs against it."""
    bank: tuple[int, ...]
    strikes: tuple[int, ...]

    @classmethod
    def begun(cls, rule: ClockRule, house: Sequence[bool]) -> SeatClocks:
        """Return the clocks before the first move."""
        return cls(rule, tuple(house), (rule.bank_ms,) * len(house), (0,) * len(house))

    def charge(self, entry: Entry) -> int:
        """Return the ms that an entry costs the bank of its seat."""
        if not entry.answers or self.house[entry.seat] or entry.by not in (BY_PLAYER, BY_TIMEOUT):
            return 0
        bank = self.bank[entry.seat]
        return bank if entry.by == BY_TIMEOUT else self.rule.charged(entry.ms, bank)

    def after(self, entry: Entry) -> SeatClocks:
        """Return the clocks after an entry."""
        seat = entry.seat
        if not entry.answers or self.house[seat] or entry.by not in (BY_PLAYER, BY_TIMEOUT):
            return self
        if entry.by == BY_TIMEOUT:
            strikes = _with(self.strikes, seat, self.strikes[seat] + 1)
            return self._replace(bank=_with(self.bank, seat, 0), strikes=strikes)
        bank = self.rule.after_decision(entry.ms, self.bank[seat])
        return self if bank == self.bank[seat] else self._replace(bank=_with(self.bank, seat, bank))

    def to_json(self) -> list[dict[str, int]]:
        """Return by seat the time left in the bank and the strikes so far."""
        return [
            {"bank_ms": bank, "strikes": strikes}
            for bank, strikes in zip(self.bank, self.strikes, strict=True)
        ]


def pace_of(rule: ClockRule) -> str:
    """Return the pace of a clock rule: the slowest one whose least time per decision it reaches."""
    per_decision = rule.move_ms + rule.increment_ms + rule.bank_ms / DECISIONS
    return [name for name, pace in PACES.items() if pace.from_ms <= per_decision][-1]


def _with(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
