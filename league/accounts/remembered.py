"""Tokens that this process remembers, so that a move need not look its token up before it is committed.

The commit verifies that no token, ban or check has changed since (`referee.storage.redis_grants`).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, NamedTuple

from league.accounts.tokens import Token

CAPACITY: Final = 10_000
FRESH_S: Final = 1.0
"""The age at which a remembered token is looked up again, in the same round trip as the next move."""


class RememberedToken(NamedTuple):
    """A valid token, and the monotonic instant before which its look-up was sent."""

    token: Token
    asked_at: float


class RememberedTokens:
    """The least recently looked-up token is forgotten first."""

    def __init__(self) -> None:
        self._tokens: OrderedDict[str, RememberedToken] = OrderedDict()

    def find(self, digest: str, now_ms: int) -> RememberedToken | None:
        """Return the token with this digest, unless it has expired."""
        found = self._tokens.get(digest)
        return None if found is None or found.token.expired(now_ms) else found

    def keep(self, digest: str, token: Token | None, asked_at: float) -> None:
        """Remember the answer to a look-up; `None` forgets the token."""
        self._tokens.pop(digest, None)
        if token is not None:
            self._tokens[digest] = RememberedToken(token, asked_at)
            if len(self._tokens) > CAPACITY:
                self._tokens.popitem(last=False)
