"""The stores that accounts need: accounts and tokens, idempotency keys, presence, and slots for matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from league.accounts.model import Bot, Owner
from league.accounts.tokens import NewToken, Token
from referee.storage.store import PendingReply, ReadPipeline


class AccountStore(Protocol):
    """What accounts need of a store: the port. `league.accounts.redis` is its Redis form."""

    def add_owner(self, owner: Owner, token: NewToken, invitation: str | None, now: int) -> str:
        """`ok`, `taken` if the name is, `invitation` if this digest is of no living invitation; an invitation
        is used up by the owner that it made and by nothing else. `ok` again for two minutes for an owner of this very
        id, whose request is made again."""

    def add_bot(self, bot: Bot, token: NewToken) -> str:
        """`ok`, or `taken` if the owner has a bot of this name; `ok` again for two minutes for one of this very id."""

    def add_token(self, token: NewToken) -> None:
        """A further token."""

    def add_invitation(self, digest: str, expires: int) -> None:
        """An invitation for one owner."""

    def replace_token(self, old: NewToken, new: NewToken) -> bool:
        """A new token, and the old one with its new expiry; false, and nothing done, if the old one is gone."""

    def remove_token(self, token: NewToken) -> None:
        """The token is no more."""

    def ask_token(self, trip: ReadPipeline, digest: str) -> PendingReply[Token | None]:
        """The token with this digest, if neither its bot nor its owner is disabled."""

    def token_by_id(self, token_id: str) -> NewToken | None:
        """The token with this id."""

    def tokens_of(self, subject: str) -> list[Token]:
        """The tokens of a bot or an owner."""

    def owner(self, owner_id: str) -> Owner | None:
        """The owner with this id."""

    def owner_id(self, name: str) -> str | None:
        """The id of the owner with this name."""

    def bots(self, ids: Sequence[str]) -> list[Bot | None]:
        """The bots with these ids."""

    def bot_id(self, full_name: str) -> str | None:
        """The id of `owner/bot`."""

    def bot_names(self, owner_name: str | None, after: str, limit: int) -> list[tuple[str, str]]:
        """Full names and ids of bots, of one owner or all, in the order of full names, after this one."""

    def change_bot(self, before: Bot, after: Bot) -> bool:
        """Put `after` in the place of `before`; false, and nothing done, if it is not what stands there."""

    def change_owner(self, before: Owner, after: Owner) -> bool:
        """The same of an owner."""

    def disabled(self, ids: Sequence[str]) -> list[bool]:
        """Whether these bots and owners are disabled."""


class IdempotentStart(NamedTuple):
    """What the store knows of a key: `new`, `reused`, `in_flight` or `answered`."""

    what: str
    retry_ms: int = 0
    sealed: bytes = b""


class IdempotencyStore(Protocol):
    """The port. `league.accounts.redis_idempotency` is its Redis form."""

    def begin(self, name: str, body: str, holder: str, lease_ms: int, kept_ms: int) -> IdempotentStart:
        """Claim a key for this body, if nobody has, or if the lease on it has ended."""

    def renew(self, held: Mapping[str, str], lease_ms: int) -> None:
        """Renew the leases on these names, each with its holder; another holder's stay as they are."""

    def intend(self, name: str, what: str) -> str:
        """Keep what the request intends to create; returns what was kept first."""

    def finish(self, name: str, sealed: bytes, kept_ms: int) -> None:
        """Keep the answer."""

    def forget(self, name: str, holder: str) -> None:
        """The key is free again, unless it was answered or another holds it by now."""


class PresenceStore(Protocol):
    """What presence needs of a store: the port. `league.accounts.redis_presence` is its Redis form."""

    def note(self, bot: str, for_ms: int) -> None:
        """The bot is online for so long from now, unless it is for longer already."""

    def online(self, bots: Sequence[str]) -> set[str]:
        """Those of these bots that are online now."""


class MatchSlots(Protocol):
    """Where room is counted: the port. `referee.storage.redis_index` is its Redis form."""

    def reserve(self, bot_id: str, match: str, max_matches: int) -> bool:
        """Whether this match is one of at most so many of the bot; from now on it is. Kept for some seconds, and from
        then on if the match is in the index. Safe to repeat."""

    def release(self, bot_id: str, match: str) -> None:
        """The match was not made."""
