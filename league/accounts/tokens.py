"""Tokens: their subjects, scopes and texts. `league.accounts.service` stores and finds them."""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from league.errors import BadValue
from records.decoding import decoded

INVITATION_S: Final = 7 * 86_400
"""How long an invitation is valid unless its creator chooses another time."""

_TOKEN: Final = re.compile(r"kozyr_([a-km-np-z2-9]{26})([a-km-np-z2-9]{6})")
_LETTERS: Final = "abcdefghijkmnpqrstuvwxyz23456789"


class Scope(enum.StrEnum):
    """What a token permits."""

    PLAY = "play"
    """Poll, join, move, resign."""
    CHALLENGE = "challenge"
    """Create matches."""
    READ = "read"
    """Read what is not public."""
    LEAGUE = "league"
    """Create bots, tokens and ladders; enter bots."""
    ADMIN = "admin"
    """Operate the service."""


class TokenKind(enum.StrEnum):
    """The kind of a token's subject."""

    OWNER = "owner"
    BOT = "bot"
    ADMIN = "admin"


SCOPES: Final[Mapping[TokenKind, frozenset[Scope]]] = {
    TokenKind.OWNER: frozenset({Scope.CHALLENGE, Scope.READ, Scope.LEAGUE}),
    TokenKind.BOT: frozenset({Scope.PLAY, Scope.CHALLENGE, Scope.READ}),
    TokenKind.ADMIN: frozenset({Scope.ADMIN, Scope.READ}),
}
"""The possible scopes of each kind; by default a token has all of them."""


def grantable(scopes: frozenset[Scope], kind: TokenKind) -> frozenset[Scope]:
    """Return the scopes that a token with these scopes can grant to a token of this kind. It cannot grant scopes it
    lacks, except that `league`, which creates bots, may grant `play`."""
    return SCOPES[kind] & (scopes | ({Scope.PLAY} if Scope.LEAGUE in scopes else set()))


class Token(NamedTuple):
    """A token without its text."""

    id: str
    kind: TokenKind
    owner: str
    """The id of its owner, or `admin`."""
    bot: str | None
    """The id of its bot."""
    name: str
    """The full name of its bot, or the name of its owner or admin."""
    scopes: frozenset[Scope]
    created: int
    expires: int | None
    note: str = ""
    parent: str = ""
    """The id of the token with which a browser signed in, if this is the token of its session. It ends with that."""
    check: str | None = None
    """The match of its bot's running check (`league.fitness.checks`), when a request looks the token up."""

    @property
    def owner_name(self) -> str:
        return self.name.partition("/")[0]

    @property
    def subject(self) -> str:
        return self.bot or self.owner

    def bounded_by(self, origin: Token) -> Token:
        """Return the token with no more than its parent has now: its scopes and its expiry."""
        ends = [end for end in (self.expires, origin.expires) if end is not None]
        return self._replace(scopes=self.scopes & origin.scopes, expires=min(ends, default=None))

    def expired(self, now: int) -> bool:
        return self.expires is not None and self.expires <= now

    def to_json(self) -> dict[str, Any]:
        """Return the token as stored, without the running check."""
        document = {**self._asdict(), "scopes": sorted(self.scopes)}
        del document["check"]
        return document

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Token:
        data["kind"] = TokenKind(data["kind"])
        data["scopes"] = frozenset(Scope(scope) for scope in data["scopes"])
        return decoded(cls, data)


class NewToken(NamedTuple):
    """A token with the digest of its text, to be stored."""

    token: Token
    digest: str
    origin: str = ""
    """The digest of the token's parent, if that is stored."""


def checked_scopes(kind: TokenKind, scopes: Sequence[str] | None) -> frozenset[Scope]:
    """Return these scopes, or all possible ones for `None`. Raise `BadValue`."""
    possible = SCOPES[kind]
    if scopes is None:
        return possible
    if not scopes or not set(scopes) <= set(possible):
        raise BadValue("scopes", list(scopes), "some of " + ", ".join(sorted(possible)))
    return frozenset(Scope(scope) for scope in scopes)


def token_text(body: str) -> str:
    """Return the text of a token: `kozyr_`, 130 random bits as letters, and a checksum of 30 bits. The checksum
    detects typing errors without a look-up, and secret scanners recognise tokens by it."""
    return f"kozyr_{body}{_checksum(body)}"


def is_token(text: str) -> bool:
    """Return whether a text has the form of a token and a correct checksum."""
    parts = _TOKEN.fullmatch(text)
    return parts is not None and _checksum(parts[1]) == parts[2]


def in_letters(data: bytes) -> str:
    """Return a letter for the low five bits of each byte, from an alphabet without similar letters."""
    return "".join(_LETTERS[byte & 31] for byte in data)


def _checksum(body: str) -> str:
    return in_letters(hashlib.sha256(b"kozyr-token-checksum\0" + body.encode()).digest()[:6])
