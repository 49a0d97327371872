"""What a bot accepts, in its owner's words, and whether a seat at a table is that.

Nobody is put at a table against it: it is asked of every remote bot of a new match, of who joins and of those who sit
there already, at the entry in a ladder, and again before each match of a round.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from league.errors import BadValue
from referee.decoding import decoded
from referee.match.clock import ClockRule

NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,31}")
MOST_OWNERS: Final = 100


class MatchKind(enum.StrEnum):
    """For what a match is played."""

    CASUAL = "casual"
    LADDER = "ladder"


class IneligibleReason(enum.StrEnum):
    """Why a bot can't be seated: a closed list."""

    DISABLED = "disabled"
    GAME = "game"
    CLOCK = "clock"
    KIND = "kind"
    OWNER = "owner"
    BUSY = "busy"


class MatchPolicy(NamedTuple):
    """What a bot can be seated for. `None` stands for all there are."""

    games: tuple[str, ...] | None = None
    max_matches: int = 16
    """How many matches at once."""
    min_move_ms: int = 0
    min_bank_ms: int = 0
    kinds: tuple[MatchKind, ...] | None = None
    owners: tuple[str, ...] | None = None
    """The owners, by name, whose bots and challenges it accepts; its own are always accepted."""
    excluded_owners: tuple[str, ...] = ()

    def game(self, game: str) -> bool:
        """Whether it plays this game."""
        return self.games is None or game in self.games

    def owner(self, name: str) -> bool:
        """Whether it sits with bots of this owner, which is another one than its own."""
        return name not in self.excluded_owners and (self.owners is None or name in self.owners)

    def refuses(
        self, game: str, clock: ClockRule, kind: MatchKind, owners: Iterable[str] = ()
    ) -> IneligibleReason | None:
        """Why it does not accept such a match with bots of these other owners, or at their challenge; `None` if it
        does."""
        if not self.game(game):
            return IneligibleReason.GAME
        if clock.move_ms < self.min_move_ms or clock.bank_ms < self.min_bank_ms:
            return IneligibleReason.CLOCK
        if self.kinds is not None and kind not in self.kinds:
            return IneligibleReason.KIND
        if any(not self.owner(owner) for owner in owners):
            return IneligibleReason.OWNER
        return None

    def to_json(self) -> dict[str, Any]:
        """For the store, and as it is told."""
        lists = {name: value and list(value) for name, value in self._asdict().items() if name in _LISTS}
        return {**self._asdict(), **lists, "excluded_owners": list(self.excluded_owners)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatchPolicy:
        """From the store, where release 0.1.0 had other names, and an older document has fewer fields."""
        found: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        policy = decoded(cls, found, _RENAMED)
        kinds = None if policy.kinds is None else tuple(MatchKind(name) for name in policy.kinds)
        return policy._replace(kinds=kinds)


_LISTS: Final = ("games", "kinds", "owners")
_RENAMED: Final = {
    "at_most": "max_matches",
    "move_ms_at_least": "min_move_ms",
    "bank_ms_at_least": "min_bank_ms",
    "occasions": "kinds",
    "not_owners": "excluded_owners",
}
"""Since release 0.1.0."""


def checked(match_policy: MatchPolicy) -> MatchPolicy:
    """The same. Raises `BadValue` for what can't be meant."""
    if not 1 <= match_policy.max_matches <= 1000:
        raise BadValue("match_policy.max_matches", match_policy.max_matches, "a whole number from 1 to 1000")
    for field in ("min_move_ms", "min_bank_ms"):
        value = getattr(match_policy, field)
        if not 0 <= value <= 86_400_000:
            raise BadValue(f"match_policy.{field}", value, "a whole number from 0 to 86400000")
    for field in ("owners", "excluded_owners"):
        names = getattr(match_policy, field) or ()
        if len(names) > MOST_OWNERS or not all(NAME.fullmatch(name) for name in names):
            raise BadValue(f"match_policy.{field}", list(names), f"at most {MOST_OWNERS} names of owners")
    return match_policy
