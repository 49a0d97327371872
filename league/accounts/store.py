"""The stores of accounts and tokens, idempotency keys, presence, and slots for matches.

`league.accounts.redis`, `redis_idempotency` and `redis_presence` implement them; `referee.storage.redis_index`
implements the slots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from league.accounts.model import Bot, Owner
from league.accounts.tokens import NewToken, Token
from referee.storage.store import PendingReply, ReadPipeline


class AccountStore(Protocol):
    """The store of owners, bots, tokens and invitations."""

    def add_owner(self, owner: Owner, token: NewToken, invitation: str | None, now: int) -> str:
        """Add an owner with its first token and use up the invitation. Return `ok`, `taken` (the name) or
        `invitation` (not valid). For two minutes it is `ok` again for the same owner id, so that its request can be
        repeated."""

    def add_bot(self, bot: Bot, token: NewToken) -> str:
        """Add a bot with its first token. Return `ok`, or `taken` if the owner has a bot with this name. For two
        minutes it is `ok` again for the same bot id."""

    def add_token(self, token: NewToken) -> None:
        """Add another token."""

    def add_invitation(self, digest: str, expires: int) -> None:
        """Add an invitation for one owner."""

    def replace_token(self, old: NewToken, new: NewToken) -> bool:
        """Add a token and set the old one's new expiry. Return false, without effect, if the old one is gone."""

    def remove_token(self, token: NewToken) -> None:
        """Remove a token."""

    def ask_token(self, pipeline: ReadPipeline, digest: str) -> PendingReply[Token | None]:
        """Add a token look-up to a pipeline. The reply is `None` if the token, its bot or its owner is invalid or
        disabled."""

    def token(self, digest: str) -> Token | None:
        """Look a token up, as `ask_token` does."""

    def ask_grants(self, pipeline: ReadPipeline, bucket: str) -> PendingReply[bytes]:
        """Add the grants of a bucket to a pipeline. They change before a revocation, a ban or the begin of a check is
        acknowledged."""

    def token_by_id(self, token_id: str) -> NewToken | None:
        """Return the token with this id."""

    def tokens_of(self, subject: str) -> list[Token]:
        """Return the tokens of a bot or an owner."""

    def owner(self, owner_id: str) -> Owner | None:
        """Return the owner with this id."""

    def owner_id(self, name: str) -> str | None:
        """Return the id of the owner with this name."""

    def bots(self, ids: Sequence[str]) -> list[Bot | None]:
        """Return the bots with these ids."""

    def bot_id(self, full_name: str) -> str | None:
        """Return the id of `owner/bot`."""

    def bot_names(self, owner_name: str | None, after: str, limit: int) -> list[tuple[str, str]]:
        """Return full names and ids of bots after this name, of one owner or all, in the order of full names."""

    def change_bot(self, before: Bot, after: Bot) -> bool:
        """Replace `before` with `after`. Return false, without effect, if the stored bot is not `before`."""

    def change_owner(self, before: Owner, after: Owner) -> bool:
        """Replace `before` with `after`. Return false, without effect, if the stored owner is not `before`."""

    def disabled(self, ids: Sequence[str]) -> list[bool]:
        """Return whether these bots and owners are disabled."""


class IdempotentStart(NamedTuple):
    """The state of a key: `new`, `again` (claimed after an attempt without a response), `reused`, `in_flight` or
    `answered`."""

    what: str
    retry_ms: int = 0
    sealed: bytes = b""


class IdempotencyStore(Protocol):
    """The store of idempotency keys."""

    def begin(self, name: str, body: str, holder: str, lease_ms: int, kept_ms: int) -> IdempotentStart:
        """Claim a key for this body, unless it has a response or a live lease."""

    def renew(self, held: Mapping[str, str], lease_ms: int) -> None:
        """Renew the leases on these names for their holders; leases of other holders do not change."""

    def confirm(self) -> None:
        """Return once replicas have all that was written so far, if writes wait for replicas."""

    def intend(self, name: str, what: str) -> str:
        """Store the intent of a request. Return the intent stored first."""

    def finish(self, name: str, sealed: bytes, kept_ms: int) -> None:
        """Store the encrypted response."""

    def forget(self, name: str, holder: str) -> None:
        """Free a key, unless it has a response or another holder."""


class PresenceStore(Protocol):
    """The store of marks of bots: that they are online, or leave."""

    def note(self, mark: str, for_ms: int, *, ended: str) -> None:
        """Store a mark for at least `for_ms` from now. It replaces a mark that has `ended`."""

    def online(self, marks: Sequence[str]) -> set[str]:
        """Return those of the marks that hold."""


class MatchSlots(Protocol):
    """The store that counts each bot's matches."""

    def reserve(self, bot_id: str, match: str, *, holder: str, max_matches: int) -> bool:
        """Reserve one of the bot's `max_matches` slots for a match. Return whether it has one. A reservation lasts
        some seconds, and longer if the match enters the index. Safe to repeat.

        A match takes one slot, however many holders reserve it."""

    def release(self, bot_id: str, match: str, holder: str) -> None:
        """Release the reservation of a holder that did not create the match. Other holders keep theirs."""
