"""Tokens that this process remembers, so that a request need not look its token up.

All tokens share a hash tag, so one master of a Redis Cluster would answer a look-up for each request of all bots. A
request reads the grants of a bucket instead (`referee.storage.redis_grants`), or its commit verifies them. They say
that no token, ban or check has changed. The bucket follows from the token, so all masters share this.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple

from league.accounts.redis import RedisAccountStore
from league.accounts.tokens import Token
from records.ids import buckets
from redisio.connection import Reply
from referee.storage.store import PendingReply, ReadPipeline

CAPACITY: Final = 10_000
FRESH_S: Final = 5.0
"""The age at which a remembered token is looked up again. It matters only if a process dies while it revokes one."""


class RememberedToken(NamedTuple):
    """A valid token."""

    token: Token
    asked_at: float
    """The monotonic instant before which its look-up was sent."""
    grants: bytes | None
    """The grants of its bucket that were known before then, or `None`."""


class RememberedTokens:
    """The least recently looked-up token is forgotten first. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisAccountStore,
        now: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._now, self._monotonic = store, now, monotonic
        self._tokens: OrderedDict[str, RememberedToken] = OrderedDict()
        self._grants: dict[str, bytes] = {}

    def find(self, digest: str) -> RememberedToken | None:
        """Return the token with this digest, unless it has expired. The caller must verify that it is still valid."""
        found = self._tokens.get(digest)
        return None if found is None or found.token.expired(self._now()) else found

    def ask(self, pipeline: ReadPipeline, digest: str, *, look_up: bool) -> PendingReply[Token | None]:
        """Add to a pipeline what verifies a remembered token. Add a look-up for another one, or with `look_up`.

        If tokens, bans or checks have changed since, reading the reply makes a round trip of its own.
        """
        known, bucket, asked_at = self._verifiable(digest), _bucket_of(digest), self._monotonic()
        if known is not None and not look_up:
            found = self._store.ask_grants(pipeline, bucket)
            return Reply(lambda _: self._verified(digest, known, found.answer))
        before = self._grants.get(bucket)
        learned = self._store.ask_grants(pipeline, bucket) if before is None else None
        asked = self._store.ask_token(pipeline, digest)

        def looked_up() -> Token | None:
            if learned is not None:
                self._grants[bucket] = learned.answer
            return self._keep(digest, asked.answer, asked_at, before)

        return Reply(lambda _: looked_up())

    def _verifiable(self, digest: str) -> RememberedToken | None:
        """Return the token if its grants can verify it. A bot in a check may get faults, so its token is looked up."""
        known = self.find(digest)
        if known is None or known.grants is None or known.token.check is not None:
            return None
        return known if self._monotonic() - known.asked_at < FRESH_S else None

    def _verified(self, digest: str, known: RememberedToken, grants: bytes) -> Token | None:
        """Return the token if these are its grants. Otherwise look it up."""
        if grants == known.grants:
            return known.token
        self._grants[_bucket_of(digest)] = grants
        asked_at = self._monotonic()
        return self._keep(digest, self._store.token(digest), asked_at, grants)

    def _keep(self, digest: str, token: Token | None, asked_at: float, grants: bytes | None) -> Token | None:
        """Remember the answer to a look-up; `None` forgets the token."""
        self._tokens.pop(digest, None)
        if token is not None:
            self._tokens[digest] = RememberedToken(token, asked_at, grants)
            if len(self._tokens) > CAPACITY:
                self._tokens.popitem(last=False)
        return token


def _bucket_of(digest: str) -> str:
    """Return the bucket whose grants verify the token with this digest (hexadecimal)."""
    return buckets()[int(digest[:8], 16) % len(buckets())]
