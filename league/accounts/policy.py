"""Match policies: what a bot accepts, as its owner sets it.

No match ignores the policy. It is checked for every remote bot of a new match, for a joining bot and the bots already
there, on entry in a ladder, and again before each match of a round.
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
    """The purpose of a match."""

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
    """The matches that a bot accepts. `None` stands for all."""

    games: tuple[str, ...] | None = None
    max_matches: int = 16
    """The maximum number of concurrent matches."""
    min_move_ms: int = 0
    min_bank_ms: int = 0
    kinds: tuple[MatchKind, ...] | None = None
    owners: tuple[str, ...] | None = None
    """Names of owners whose bots and challenges it accepts. It always accepts its own owner."""
    excluded_owners: tuple[str, ...] = ()

    def game(self, game: str) -> bool:
        """Return whether it accepts this game."""
        return self.games is None or game in self.games

    def owner(self, name: str) -> bool:
        """Return whether it accepts bots of another owner."""
        return name not in self.excluded_owners and (self.owners is None or name in self.owners)

    def refuses(
        self, game: str, clock: ClockRule, kind: MatchKind, owners: Iterable[str] = ()
    ) -> IneligibleReason | None:
        """Return why it refuses a match with bots of these other owners, or at their challenge. Return `None` if it
        accepts."""
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
        """Return the policy as stored and sent."""
        lists = {name: value and list(value) for name, value in self._asdict().items() if name in _LISTS}
        return {**self._asdict(), **lists, "excluded_owners": list(self.excluded_owners)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatchPolicy:
        """Return a stored policy. Older documents have fewer fields."""
        found: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        policy = decoded(cls, found)
        kinds = None if policy.kinds is None else tuple(MatchKind(name) for name in policy.kinds)
        return policy._replace(kinds=kinds)


_LISTS: Final = ("games", "kinds", "owners")


def checked(match_policy: MatchPolicy) -> MatchPolicy:
    """Return the policy. Raise `BadValue` for values out of range."""
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
