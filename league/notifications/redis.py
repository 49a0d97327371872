"""Webhooks and messages in Redis. They share a hash tag.

kozyr:{webhooks}:owner:NAME   hash    webhook id -> webhook (JSON)
kozyr:{webhooks}:owners       set     names of owners who have or had a webhook
kozyr:{webhooks}:message:ID   hash    doc (JSON), created, state, attempts (JSON arrays, separated by commas); expires
kozyr:{webhooks}:log:WEBHOOK  zset    ids of the last messages of a webhook by creation (ms); expires
kozyr:{webhooks}:waiting:WEBHOOK  zset  ids of messages that wait by their next attempt (ms)
kozyr:{webhooks}:waiting      zset    ids of webhooks with messages that wait, by when the next may be sent (ms)
kozyr:{webhooks}:failures     hash    webhook id -> failed attempts in a row, while messages wait
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import orjson

from league.notifications.model import DeliveryAttempt, MessageState, Webhook, WebhookMessage
from records.decoding import decoded, decoded_row
from redisio.connection import Redis
from redisio.scripts import Script
from referee.stored_names import SWAP

ADD: Final = Script("league.notifications", "redisio:time.lua", "send_first.lua", "message_add.lua")
REDELIVER: Final = Script(
    "league.notifications", "redisio:time.lua", "send_first.lua", "message_redeliver.lua"
)
TAKE: Final = Script("league.notifications", "redisio:time.lua", "wait_for_next.lua", "message_take.lua")
SETTLE: Final = Script("league.notifications", "redisio:time.lua", "wait_for_next.lua", "message_settle.lua")
DISCARD: Final = Script("league.notifications", "message_discard.lua")
PUT: Final = Script("league.notifications", "webhook_put.lua")

KEPT_MS: Final = 7 * 86_400_000
"""How long messages are kept. Attempts end long before."""
LOGGED: Final = 100
"""How many messages the log of a webhook keeps."""
MOST_WAITING: Final = 1_000
"""How many messages of a webhook may wait. Further ones are dead at once."""
PAUSE_MS: Final = 1_000
"""How long a webhook pauses after a failed attempt. Each further failure doubles it."""
MOST_PAUSE_MS: Final = 300_000
_TAG: Final = "kozyr:{webhooks}:"
_WAITING: Final = f"{_TAG}waiting"
_FAILURES: Final = f"{_TAG}failures"
OWNERS: Final = f"{_TAG}owners"


class RedisWebhookStore:
    """The store of webhooks, and the outbox of messages. Its clock is Redis's, or `clock` in tests."""

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis, self._clock = redis, clock

    def now(self) -> int:
        """Return the current time in ms since 1970."""
        if self._clock is not None:
            return self._clock()
        seconds, micros = self._redis.one("TIME")
        return int(seconds) * 1000 + int(micros) // 1000

    def webhooks(self, owners: Iterable[str]) -> dict[str, list[Webhook]]:
        """Return the webhooks of the owners with these names, in one round trip."""
        names = sorted(set(owners))
        rows = self._redis.all([("HVALS", _owner(name)) for name in names])
        found = zip(names, rows, strict=True)
        return {name: sorted(_webhook(raw) for raw in raws) for name, raws in found if raws}

    def put(self, webhook: Webhook, most: int) -> bool:
        """Store a webhook in place of the one with its id. Return false, without effect, if its owner would then have
        more than `most`."""
        doc = orjson.dumps(webhook._asdict())
        keys = (_owner(webhook.owner), OWNERS)
        return bool(self._redis.one(*PUT.call(keys, webhook.id, doc, most, webhook.owner)))

    def change(self, owner: str, webhook: str, change: Callable[[Webhook], Webhook]) -> Webhook | None:
        """Change a webhook at once, and return it; `None` if it is not there. `change` may be called several times."""
        while (before := self._redis.one("HGET", _owner(owner), webhook)) is not None:
            changed = change(_webhook(before))
            doc = orjson.dumps(changed._asdict())
            if self._redis.one(*SWAP.call((_owner(owner),), before, doc, webhook)):
                return changed
        return None

    def remove(self, webhook: Webhook) -> bool:
        """Remove a webhook with its messages. Return whether it was there."""
        gone, *_ = self._redis.all(
            [
                ("HDEL", _owner(webhook.owner), webhook.id),
                ("DEL", _log(webhook.id), _waiting(webhook.id)),
                ("ZREM", _WAITING, webhook.id),
                ("HDEL", _FAILURES, webhook.id),
            ]
        )
        return bool(gone)

    def add(self, messages: Sequence[WebhookMessage], first: bool = False) -> None:
        """Add messages to the outbox, due now. A message that was added before is skipped; one too many for its webhook
        is dead. With `first`, they are sent before all others, and although their webhook may pause."""
        calls = []
        for message in messages:
            doc = {name: getattr(message, name) for name in ("id", "webhook", "owner", "type", "body")}
            too_many = DeliveryAttempt(message.created, None, "too many messages of the webhook wait", 0)
            calls.append(
                ADD.call(
                    (*_keys(message.webhook, message.id), _FAILURES, _log(message.webhook)),
                    *(self._given(), message.id, orjson.dumps(doc), message.webhook),
                    *(KEPT_MS, LOGGED, MOST_WAITING, orjson.dumps(list(too_many)), int(first)),
                )
            )
        self._redis.all(calls)

    def take(self, most: int, most_of_one: int, lease_ms: int) -> list[WebhookMessage]:
        """Return messages that are due, at most `most_of_one` of a webhook, and one of a webhook whose last attempts
        failed. The webhook that has been due longest comes first. They are due again after `lease_ms`."""
        keys, prefix = (_WAITING, _FAILURES), _waiting("")
        found = self._redis.one(*TAKE.call(keys, self._given(), most, most_of_one, lease_ms, prefix))
        ids, webhooks = ([each.decode() for each in found[at::2]] for at in (0, 1))
        taken = []
        for ident, webhook, message in zip(ids, webhooks, self._messages(ids), strict=True):
            if message is None:
                self._redis.one("ZREM", _waiting(webhook), ident)  # it has expired
            else:
                taken.append(message)
        return taken

    def settle(
        self, message: WebhookMessage, attempt: DeliveryAttempt, state: MessageState, wait_ms: int
    ) -> None:
        """Log an attempt. A message that still waits is due after `wait_ms`; one that was ended meanwhile stays ended.
        After a failure, the webhook pauses: the longer the more attempts have failed in a row."""
        call = SETTLE.call(
            (*_keys(message.webhook, message.id), _FAILURES),
            *(self._given(), message.id, message.webhook, state.value, wait_ms, orjson.dumps(list(attempt))),
            *(PAUSE_MS, MOST_PAUSE_MS),
        )
        self._redis.one(*call)

    def discard(self, owner: str, webhook: str, why: DeliveryAttempt) -> None:
        """End all messages of a webhook that wait, and log why. The webhook does not pause, since nothing was sent. No
        effect if it is enabled."""
        keys = (_owner(owner), _waiting(webhook), _WAITING, _FAILURES)
        self._redis.one(*DISCARD.call(keys, webhook, orjson.dumps(list(why)), _message("")))

    def redeliver(self, webhook: str, message: str) -> bool:
        """Send a message of the webhook's log next, although the webhook may pause. Return false if it is not there."""
        keys = (*_keys(webhook, message), _log(webhook))
        return bool(self._redis.one(*REDELIVER.call(keys, self._given(), message, webhook)))

    def log(self, webhook: str) -> list[WebhookMessage]:
        """Return the last messages of a webhook, newest first."""
        ids = [each.decode() for each in self._redis.one("ZREVRANGE", _log(webhook), 0, -1)]
        return [message for message in self._messages(ids) if message is not None]

    def has_due(self) -> bool:
        first = self._redis.one("ZRANGE", _WAITING, 0, 0, "WITHSCORES")
        return bool(first) and float(first[1]) <= self.now()

    def _messages(self, ids: Sequence[str]) -> list[WebhookMessage | None]:
        rows = self._redis.all(
            [("HMGET", _message(each), "doc", "created", "state", "attempts") for each in ids]
        )
        return [_loaded(row) for row in rows]

    def _given(self) -> int | str:
        return "" if self._clock is None else self._clock()


def _loaded(row: Sequence[Any]) -> WebhookMessage | None:
    doc, created, state, attempts = row
    if doc is None:
        return None
    tried = [decoded_row(DeliveryAttempt, each) for each in orjson.loads(b"[%b]" % attempts)]
    more = {"created": int(created), "state": MessageState(state.decode()), "attempts": tuple(tried)}
    return decoded(WebhookMessage, {**orjson.loads(doc), **more})


def _webhook(raw: bytes) -> Webhook:
    return Webhook.from_json(orjson.loads(raw))


def _owner(name: str) -> str:
    return f"{_TAG}owner:{name}"


def _message(message: str) -> str:
    return f"{_TAG}message:{message}"


def _waiting(webhook: str) -> str:
    return f"{_WAITING}:{webhook}"


def _keys(webhook: str, message: str) -> tuple[str, str, str]:
    return _message(message), _waiting(webhook), _WAITING


def _log(webhook: str) -> str:
    return f"{_TAG}log:{webhook}"
