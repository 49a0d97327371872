"""Owners and bots."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from league.accounts.policy import MatchPolicy
from referee.decoding import decoded
from referee.match.session import Seat

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


class Bot(NamedTuple):
    """A bot. Its id and name never change; its owner sets the version."""

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
        """Return the bot as stored."""
        return {**self._asdict(), "match_policy": self.match_policy.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Bot:
        """Return a stored bot."""
        return decoded(cls, {**data, "match_policy": MatchPolicy.from_json(data["match_policy"])})


class AccountPage(NamedTuple):
    """Bots in the order of their full names; `cursor` is for the next page, `None` at the end."""

    bots: list[Bot]
    cursor: str | None
