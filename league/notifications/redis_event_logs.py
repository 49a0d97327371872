"""Event logs of accounts in Redis. The keys of one account share a hash tag.

kozyr:{events:ACCOUNT}:last      string  the number of the account's last event
kozyr:{events:ACCOUNT}:log       list    the last events (JSON); expires
kozyr:{events:ACCOUNT}:ids       zset    the ids of more of the last events, by number; expires
kozyr:{events:ACCOUNT}:followed  string  a mark that the log is kept; expires
kozyr:{webhooks}:followed        zset    accounts that may be followed, by their last stream (ms); expires

What the store of event logs returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from league.notifications.model import Account
from league.notifications.redis import OWNERS
from redisio.connection import Redis
from redisio.scripts import Script

FOLLOW: Final = Script("league.notifications", "log_follow.lua")
APPEND: Final = Script("league.notifications", "log_append.lua")
READ: Final = Script("league.notifications", "log_read.lua")

LOGGED: Final = 1000
"""How many events a log keeps."""
IDS: Final = 4 * LOGGED
"""How many ids of events a log keeps, so that an event that is reported again stays out."""
KEPT_MS: Final = 7 * 86_400_000
"""How long a log is kept after the last stream opened."""
_FOLLOWED: Final = "kozyr:{webhooks}:followed"
_SLACK_MS: Final = 86_400_000
"""An account stays in the set of followed accounts for longer than its log is kept."""


class RedisEventLogStore:
    """The event logs of accounts. Only followed accounts have one."""

    def __init__(self, redis: Redis, now: Callable[[], int]) -> None:
        """`now` returns ms since 1970."""
        self._redis, self._now = redis, now

    def has_listeners(self) -> bool:
        """Return whether any owner may have a webhook, or any account may be followed. Takes one command."""
        return bool(self._redis.one("EXISTS", OWNERS, _FOLLOWED))

    def followed(self, accounts: Sequence[Account]) -> list[Account]:
        if not accounts:
            return []
        scores = self._redis.one("ZMSCORE", _FOLLOWED, *(account.key for account in accounts))
        return [account for account, score in zip(accounts, scores, strict=True) if score is not None]

    def follow(self, account: Account) -> int:
        """Keep the account's log from now on, and return the number of its last event."""
        now = self._now()
        # The set first: an event between both commands may be looked up in vain, but is not missed.
        self._redis.all(
            [
                ("ZADD", _FOLLOWED, now, account.key),
                ("ZREMRANGEBYSCORE", _FOLLOWED, "-inf", now - KEPT_MS - _SLACK_MS),
                ("PEXPIRE", _FOLLOWED, KEPT_MS + _SLACK_MS),
            ]
        )
        return int(self._redis.one(*FOLLOW.call(_keys(account), KEPT_MS)))

    def append(self, events: Sequence[tuple[Account, str, bytes]]) -> None:
        """Append events to the logs of followed accounts: account, id and JSON. An event whose id the log has is
        skipped."""
        calls = [
            APPEND.call(_keys(account), ident, doc, LOGGED, IDS, KEPT_MS, f"- {account.key}")
            for account, ident, doc in events
        ]
        self._redis.all(calls)

    def read(self, account: Account, after: int, most: int) -> LoggedEvents:
        """Return at most `most` events with numbers above `after`."""
        last, oldest, events = self._redis.one(*READ.call(_keys(account)[:2], after, most))
        # A number above the last one is from a log that was lost.
        is_gap = after < oldest - 1 or after > last
        if after > last:
            return LoggedEvents(last, last + 1, (), is_gap)
        return LoggedEvents(last, max(after + 1, oldest), events, is_gap)

    def probe(self, account: Account) -> tuple[str, str]:
        """Return a command whose reply changes with each event."""
        return "GET", _keys(account)[0]

    def seen(self, last: int) -> object:
        """Return the reply to `probe` where the last event has this number."""
        return b"%d" % last


def _keys(account: Account) -> tuple[str, str, str, str]:
    tag = f"kozyr:{{events:{account.key}}}:"
    return f"{tag}last", f"{tag}log", f"{tag}ids", f"{tag}followed"


class LoggedEvents(NamedTuple):
    """A part of an event log."""

    last: int
    """The number of the last event of the log."""
    first: int
    """The number of the first of `events`, or of the next event."""
    events: Sequence[bytes]
    """The events as JSON, in order."""
    is_gap: bool
    """Whether events are missing before the first: the log does not reach back far enough."""
