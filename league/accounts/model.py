"""Owners and bots."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from league.accounts.policy import MatchPolicy
from referee.decoding import decoded

HOUSE: Final = "house"
"""The owner of the house bots: its id and its name."""

ADMIN: Final = "admin"
"""The subject of all tokens of those who run the service: of the one in the settings, and of those with names."""


class Owner(NamedTuple):
    """A person or a team. Instants are ms since 1970."""

    id: str
    name: str
    created: int
    disabled: bool = False
    reason: str = ""
    """Why it is disabled."""


class Bot(NamedTuple):
    """A bot. Its id and its name never change; its owner sets the version."""

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
    """By its owner, who may enable it again."""
    disabled_reason: str | None = None
    """Why the service disabled it, which only the service takes back."""

    @property
    def off(self) -> bool:
        """Whether its tokens are good for nothing, and it is seated nowhere."""
        return self.disabled or self.disabled_reason is not None

    @property
    def full_name(self) -> str:
        """`owner/bot`."""
        return f"{self.owner_name}/{self.name}"

    @property
    def house(self) -> bool:
        """Whether the referee asks it itself."""
        return self.owner == HOUSE

    def to_json(self) -> dict[str, Any]:
        """For the store."""
        return {**self._asdict(), "match_policy": self.match_policy.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Bot:
        """From the store."""
        policy = MatchPolicy.from_json(data["match_policy"] if "match_policy" in data else data["accepts"])
        return decoded(cls, {**data, "match_policy": policy}, {"barred": "disabled_reason"})


class AccountPage(NamedTuple):
    """Some bots in the order of their full names; `cursor` goes on after them, `None` at the end."""

    bots: list[Bot]
    cursor: str | None
