"""Streams of accounts: the events of a bot or an owner as they are logged, and the open turns of a bot.

Events have numbers, and a stream that is opened again continues after any of them. If the log no longer reaches back
that far, the stream begins with a gap.

Open turns have no numbers and are not logged: they are read from the matches, as a poll reads them (ADR 24). A stream
begins with all turns that are open.

The keys of one account share a hash tag:

kozyr:{events:ACCOUNT}:last      string  the number of the account's last event
kozyr:{events:ACCOUNT}:log       list    the last events (JSON); expires
kozyr:{events:ACCOUNT}:ids       zset    the ids of more of the last events, by number; expires
kozyr:{events:ACCOUNT}:read      string  the number of the last event that its owner has read on the site; expires
kozyr:{events:ACCOUNT}:followed  string  a mark that the log is kept; expires
kozyr:{webhooks}:followed        zset    accounts that may be followed, by their last stream (ms); expires
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

from league.accounts.presence import Presence
from league.notifications.model import Account
from league.notifications.redis import OWNERS
from records.instants import text_of
from redisio.connection import Redis
from redisio.scripts import Script
from referee.polling.broadcasts import HEARTBEAT_S, Permission, StreamEnd, stream
from referee.polling.hub import Hub
from referee.polling.turns import NOTHING, PollCursor, Turns
from referee.polling.waiter import Pause, Waiter

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

    def mark_read(self, account: Account) -> int:
        """Keep the account's log from now on, take note that all its events were read, and return the number of the
        last one."""
        last = self.follow(account)
        self._redis.one("SET", _read_key(account), last, "PX", KEPT_MS)
        return last

    def unread(self, account: Account) -> int:
        """Return how many events came after those that were read; 0 if the log is not kept."""
        last, read = self._redis.one("MGET", _keys(account)[0], _read_key(account))
        return 0 if last is None or read is None else max(0, int(last) - int(read))

    def delete(self, accounts: Sequence[Account]) -> None:
        """Delete the logs of accounts, which are no longer followed."""
        self._redis.all([("DEL", *_keys(account), _read_key(account)) for account in accounts])
        self._redis.one("ZREM", _FOLLOWED, *(account.key for account in accounts))

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


def _read_key(account: Account) -> str:
    return f"kozyr:{{events:{account.key}}}:read"


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


TURN: Final = "turn.waiting"
"""A turn of the bot is open."""
GAP: Final = "gap"
"""Events before this one are no longer in the log."""
PAGE: Final = 100
"""The most events that are read at once."""


class AccountUpdate(NamedTuple):
    """A message of a stream."""

    number: int | None
    """The number of its event; `None` for an open turn."""
    data: bytes
    """Its JSON."""


class AccountStreams:
    """Streams of accounts. Safe to share between greenlets and threads."""

    def __init__(
        self,
        logs: RedisEventLogStore,
        turns: Turns,
        hub: Hub,
        presence: Presence,
        *,
        now: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`now` returns ms since 1970; `monotonic` measures heartbeats and the age of streams, in seconds."""
        self._logs, self._turns, self._hub, self._presence = logs, turns, hub, presence
        self._now, self._monotonic = now, monotonic

    def follow(
        self,
        account: Account,
        after: int | None,
        wait_s: float,
        *,
        plays: bool = False,
        allowed: Callable[[], bool] | None = None,
    ) -> Generator[list[AccountUpdate] | StreamEnd | Pause, None, None]:
        """Return what happens to an account, and last why the stream ends. An empty list is a heartbeat. The caller
        waits at each `Pause`.

        Begins after the event with number `after`; with `None`, at the present. With `plays` the stream of a bot has
        its turns, and counts as a poll: the bot is online and shows up for its matches. The stream ends after `wait_s`
        seconds, if not before; also when `allowed`, which is asked every `HEARTBEAT_S` seconds, returns false. Raises
        the errors of the store.
        """
        last = self._logs.follow(account)
        permission = Permission(allowed, self._monotonic)
        state = _AccountStream(account, last if after is None else after, plays, permission)
        return self._updates(state, wait_s)

    def _updates(
        self, state: _AccountStream, wait_s: float
    ) -> Generator[list[AccountUpdate] | StreamEnd | Pause, None, None]:
        key, also = state.account.key, (state.account.name,) if state.plays else ()
        with self._hub.waiter(key, key, poll=True, also=also) as waiter:

            def news() -> Iterator[list[AccountUpdate]]:
                while updates := self._news(state, waiter):
                    yield updates

            yield from stream(self._hub, waiter, state.permission, self._monotonic() + wait_s, news)

    def _news(self, stream: _AccountStream, waiter: Waiter) -> list[AccountUpdate]:
        """Return the next messages, and set what the waiter waits for."""
        updates, probes = [], {}
        if stream.plays:
            self._presence.seen(stream.account.name, HEARTBEAT_S)
            turns, stream.known = self._turns.open_turns(stream.account.name, stream.known, waiter)
            updates = [AccountUpdate(None, _encoded(TURN, turn["now"], turn)) for turn in turns]
            probes = dict(waiter.probes)
        logged = self._logs.read(stream.account, stream.number, PAGE)
        if logged.is_gap:
            missing = {"after": stream.number, "next": logged.first}
            stream.number = logged.first - 1
            updates.append(AccountUpdate(stream.number, _encoded(GAP, text_of(self._now()), missing)))
        for event in logged.events:
            stream.number += 1
            updates.append(AccountUpdate(stream.number, event))
        waiter.probes = {**probes, self._logs.probe(stream.account): self._logs.seen(logged.last)}
        return updates


@dataclass(slots=True)
class _AccountStream:
    """What one watcher has received."""

    account: Account
    number: int
    plays: bool
    permission: Permission
    known: PollCursor = NOTHING


def _encoded(type_: str, timestamp: str, data: dict[str, Any]) -> bytes:
    return orjson.dumps({"type": type_, "timestamp": timestamp, "data": data})
