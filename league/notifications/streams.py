"""Streams of accounts: the events of a bot or an owner as they are logged, and the open turns of a bot.

Events have numbers, and a stream that is opened again continues after any of them. If the log no longer reaches back
that far, the stream begins with a gap.

Open turns have no numbers and are not logged: they are read from the matches, as a poll reads them (ADR 24). A stream
begins with all turns that are open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from typing import Any, Final, NamedTuple

import orjson

from league.accounts.presence import Presence
from league.notifications.model import Account
from league.notifications.redis_event_logs import RedisEventLogStore
from records.instants import text_of
from referee.polling.hub import Hub
from referee.polling.streams import HEARTBEAT_S, Permission, StreamEnd, stream
from referee.polling.turns import NOTHING, PollCursor, Turns
from referee.polling.waiter import Pause, Waiter

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


class _AccountStream:
    """What one watcher has received."""

    __slots__ = ("account", "known", "number", "permission", "plays")

    def __init__(self, account: Account, number: int, plays: bool, permission: Permission) -> None:
        self.account, self.number, self.plays, self.permission = account, number, plays, permission
        self.known: PollCursor = NOTHING


def _encoded(type_: str, timestamp: str, data: dict[str, Any]) -> bytes:
    return orjson.dumps({"type": type_, "timestamp": timestamp, "data": data})
