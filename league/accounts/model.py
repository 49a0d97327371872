"""Owners and bots: their names, and the matches that a bot accepts.

A match policy is what a bot accepts, as its owner sets it. No match ignores it: it is checked for every remote bot of a
new match, for a joining bot and the bots already there, on entry in a ladder, and before each match of a round.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from engine.registry import GAMES
from league.errors import BadValue
from records.decoding import decoded
from records.match.clock import ClockRule
from records.match.session import Seat
from records.names import present_owner

RESERVED: Final = frozenset(
    {
        *("admin", "administrator", "anonymous", "house", "kozyr", "moderator", "official"),
        *("operator", "root", "security", "server", "service", "staff", "support", "system"),
    }
)
"""Words that suggest the service or its operators. The contract and docs/protocol.md list them."""

PERSON: Final = "person"
"""The name of a person's seat, as in `example/person`. No bot can have it."""

_LIKE: Final = str.maketrans("01l23456789", "oiizeasbtbg")
_NUMBERS: Final = re.compile(r"^\d+-+|-+\d+$")
_INVISIBLE: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols without ink: the Hangul fillers and the empty braille cell."""


def is_reserved(name: str) -> bool:
    """Return whether a name is a reserved word or resembles one: with digits for letters (`h0use`), with hyphens
    (`house-`), or with a number before or after it (`house0`)."""
    readings = (name, name.strip("0123456789-"), _NUMBERS.sub("", name))
    return any(_skeleton(each) in _SKELETONS for each in readings)


def is_blank(text: str) -> bool:
    """Return whether a text has no visible character."""
    return all(unicodedata.category(each)[0] in "CMZ" or each in _INVISIBLE for each in text)


def _skeleton(name: str) -> str:
    """Return a form that names of similar appearance share."""
    return name.replace("-", "").translate(_LIKE).replace("rn", "m").replace("vv", "w")


_SKELETONS: Final = frozenset(map(_skeleton, RESERVED))


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
    ASSIST = "assist"
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
        return self.games is None or game in self.games

    def owner(self, name: str) -> bool:
        """Return whether it accepts bots of another owner."""
        if name in map(present_owner, self.excluded_owners):
            return False
        return self.owners is None or name in map(present_owner, self.owners)

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

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatchPolicy:
        """Return a stored policy. Older documents have fewer fields."""
        found: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        policy = decoded(cls, found)
        kinds = None if policy.kinds is None else tuple(MatchKind(name) for name in policy.kinds)
        return policy._replace(kinds=kinds)


def checked(match_policy: MatchPolicy) -> MatchPolicy:
    """Return the policy. Raise `BadValue` for values out of range."""
    if not 1 <= match_policy.max_matches <= 1000:
        raise BadValue("match_policy.max_matches", match_policy.max_matches, "a whole number from 1 to 1000")
    for field in ("min_move_ms", "min_bank_ms"):
        value = getattr(match_policy, field)
        if not 0 <= value <= 86_400_000:
            raise BadValue(f"match_policy.{field}", value, "a whole number from 0 to 86400000")
    unknown = [game for game in match_policy.games or () if game not in GAMES]
    if unknown:
        raise BadValue("match_policy.games", unknown[0], f"some of {', '.join(GAMES)}")
    for field in ("owners", "excluded_owners"):
        names = getattr(match_policy, field) or ()
        if len(names) > MOST_OWNERS or not all(NAME.fullmatch(name) for name in names):
            raise BadValue(f"match_policy.{field}", list(names), f"at most {MOST_OWNERS} names of owners")
    return match_policy


HOUSE: Final = "house"
"""The owner of the house bots: its id and its name."""

ADMIN: Final = "admin"
"""The subject of all admin tokens: the one in the settings and those of named admins."""


class Owner(NamedTuple):
    """A person or a team. Instants are in ms since 1970."""

    id: str
    name: str
    created: int
    disabled: bool = False
    reason: str = ""
    """Why it is disabled."""
    real_name: str = ""
    """What it gave when its invitation asked for it; empty if it gave none or has deleted it."""
    names_for: str = ""
    """The id of the owner for whose organisers the real name is; empty if nobody has asked for it."""


MOST_REAL_NAME: Final = 100


MOST_DECLARED: Final = 100
"""The longest text of a declaration, in characters."""


class DeclaredAgent(NamedTuple):
    """What a bot's owner declares about the language model that plays. Nobody verifies it."""

    model: str = ""
    provider: str = ""
    harness: str = ""
    """The program that asks the model."""
    effort: str = ""
    """How much the model is to think, in its provider's words."""


class Bot(NamedTuple):
    """A bot. Its id never changes; its owner sets name and version."""

    id: str
    owner: str
    """The owner's id."""
    owner_name: str
    name: str
    version: str
    description: str
    created: int
    match_policy: MatchPolicy = MatchPolicy()
    disabled: bool = False
    """Disabled by its owner, who may enable it again."""
    disabled_reason: str | None = None
    """Why the service disabled it. Only the service can undo this."""
    agent: DeclaredAgent = DeclaredAgent()

    @property
    def off(self) -> bool:
        """Whether its tokens are rejected and it gets no seats."""
        return self.disabled or self.disabled_reason is not None

    @property
    def full_name(self) -> str:
        """`owner/bot`."""
        return f"{self.owner_name}/{self.name}"

    @property
    def house(self) -> bool:
        """Whether it is a house bot, which the referee asks directly."""
        return self.owner == HOUSE

    @property
    def seat(self) -> Seat:
        """A seat with this bot in its present version."""
        return Seat(self.full_name, self.id, self.version, self.house)

    def to_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "match_policy": self.match_policy._asdict(),
            "agent": self.agent._asdict(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Bot:
        policy = MatchPolicy.from_json(data["match_policy"])
        return decoded(
            cls, {**data, "match_policy": policy, "agent": decoded(DeclaredAgent, data.get("agent", {}))}
        )


class AccountPage(NamedTuple):
    """Bots in the order of their full names; `cursor` is for the next page, `None` at the end."""

    bots: list[Bot]
    cursor: str | None
