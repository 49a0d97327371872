"""Tokens: for whom they speak, what they may do, and what their texts look like. Values; who keeps and finds them is
`league.accounts.service`."""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from league.errors import BadValue
from referee.decoding import decoded

_TOKEN: Final = re.compile(r"kozyr_([a-km-np-z2-9]{26})([a-km-np-z2-9]{6})")
_LETTERS: Final = "abcdefghijkmnpqrstuvwxyz23456789"


class Scope(enum.StrEnum):
    """What a token may do."""

    PLAY = "play"
    """Show up, join, move, resign."""
    CHALLENGE = "challenge"
    """Create matches."""
    READ = "read"
    """Read what is not public to all."""
    LEAGUE = "league"
    """Create bots, tokens and ladders, enter bots."""
    ADMIN = "admin"
    """Run the service."""


class TokenKind(enum.StrEnum):
    """For whom a token speaks."""

    OWNER = "owner"
    BOT = "bot"
    ADMIN = "admin"


SCOPES: Final[Mapping[TokenKind, frozenset[Scope]]] = {
    TokenKind.OWNER: frozenset({Scope.CHALLENGE, Scope.READ, Scope.LEAGUE}),
    TokenKind.BOT: frozenset({Scope.PLAY, Scope.CHALLENGE, Scope.READ}),
    TokenKind.ADMIN: frozenset({Scope.ADMIN, Scope.READ}),
}
"""All the scopes that a token of each kind can have; without a choice it has them all."""


def grantable(scopes: frozenset[Scope], kind: TokenKind) -> frozenset[Scope]:
    """What a token with these scopes may hand on to one of this kind: nothing that it has not itself, but that
    `league`, which makes bots, lets them play."""
    return SCOPES[kind] & (scopes | ({Scope.PLAY} if Scope.LEAGUE in scopes else set()))


class Token(NamedTuple):
    """What a token's text stands for; all that answering a request needs, the text itself excepted."""

    id: str
    kind: TokenKind
    owner: str
    """The id of the owner for whom it speaks, or `admin`."""
    bot: str | None
    """The id of the bot for which it speaks."""
    name: str
    """The bot's `owner/bot`, the owner's name, or the admin's."""
    scopes: frozenset[Scope]
    created: int
    expires: int | None
    note: str = ""
    check: str | None = None
    """The match of the check that its bot is in (`league.fitness.checks`), where a request asks for the token."""

    @property
    def subject(self) -> str:
        """The id of the bot or the owner."""
        return self.bot or self.owner

    def expired(self, now: int) -> bool:
        """Whether it is good for nothing any more."""
        return self.expires is not None and self.expires <= now

    def to_json(self) -> dict[str, Any]:
        """For the store; what its bot does is not the token's."""
        said = {**self._asdict(), "scopes": sorted(self.scopes)}
        del said["check"]
        return said

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Token:
        """From the store."""
        data["kind"] = TokenKind(data["kind"])
        data["scopes"] = frozenset(Scope(scope) for scope in data["scopes"])
        return decoded(cls, data)


class NewToken(NamedTuple):
    """A new token on its way into the store."""

    token: Token
    digest: str


def checked_scopes(kind: TokenKind, scopes: Sequence[str] | None) -> frozenset[Scope]:
    """These scopes, all that are possible if none are named. Raises `BadValue`."""
    possible = SCOPES[kind]
    if scopes is None:
        return possible
    if not scopes or not set(scopes) <= set(possible):
        raise BadValue("scopes", list(scopes), "some of " + ", ".join(sorted(possible)))
    return frozenset(Scope(scope) for scope in scopes)


def token_text(body: str) -> str:
    """`kozyr_`, 130 random bits in letters and a checksum of 30 bits, which tells a slip of the pen from a revoked
    token without asking the store and lets secret scanners recognise one."""
    return f"kozyr_{body}{_checksum(body)}"


def is_token(text: str) -> bool:
    """Whether a text has the form of a token, its checksum included."""
    parts = _TOKEN.fullmatch(text)
    return parts is not None and _checksum(parts[1]) == parts[2]


def in_letters(data: bytes) -> str:
    """Five bits of each byte as a letter that is not taken for another."""
    return "".join(_LETTERS[byte & 31] for byte in data)


def _checksum(body: str) -> str:
    return in_letters(hashlib.sha256(b"kozyr-token-checksum\0" + body.encode()).digest()[:6])
