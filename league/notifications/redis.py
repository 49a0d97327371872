"""Webhooks and messages in Redis. They share a hash tag.

kozyr:{webhooks}:owner:NAME   hash    webhook id -> webhook (JSON)
kozyr:{webhooks}:owners       set     names of owners who have or had a webhook
kozyr:{webhooks}:message:ID   hash    doc (JSON), created, state, attempts (JSON arrays, separated by commas); expires
kozyr:{webhooks}:log:WEBHOOK  zset    ids of the last messages of a webhook by creation (ms); expires
kozyr:{webhooks}:due          zset    ids of messages that wait by their next attempt (ms)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import orjson

from league.notifications.model import DeliveryAttempt, MessageState, Webhook, WebhookMessage
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.decoding import decoded, decoded_row

ADD: Final = Script("league.notifications", "redisio:time.lua", "message_add.lua")
TAKE: Final = Script("league.notifications", "redisio:time.lua", "message_take.lua")
SETTLE: Final = Script("league.notifications", "redisio:time.lua", "message_settle.lua")
PUT: Final = Script("league.notifications", "webhook_put.lua")

KEPT_MS: Final = 7 * 86_400_000
"""How long messages are kept. Attempts end long before."""
LOGGED: Final = 100
"""How many messages the log of a webhook keeps."""
_TAG: Final = "kozyr:{webhooks}:"
_DUE: Final = f"{_TAG}due"
OWNERS: Final = f"{_TAG}owners"


class RedisWebhookStore:
    """`WebhookStore` in Redis. Its clock is Redis's, or `clock` in tests."""

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis, self._clock = redis, clock

    def now(self) -> int:
        if self._clock is not None:
            return self._clock()
        seconds, micros = self._redis.one("TIME")
        return int(seconds) * 1000 + int(micros) // 1000

    def webhooks(self, owners: Iterable[str]) -> dict[str, list[Webhook]]:
        names = sorted(set(owners))
        rows = self._redis.run([("HVALS", _owner(name)) for name in names])
        found = zip(names, map(checked, rows), strict=True)
        return {name: sorted(_webhook(raw) for raw in raws) for name, raws in found if raws}

    def put(self, webhook: Webhook, most: int) -> bool:
        doc = orjson.dumps(webhook._asdict())
        keys = (_owner(webhook.owner), OWNERS)
        return bool(self._redis.one(*PUT.call(keys, webhook.id, doc, most, webhook.owner)))

    def remove(self, webhook: Webhook) -> bool:
        gone, _ = map(
            checked,
            self._redis.run([("HDEL", _owner(webhook.owner), webhook.id), ("DEL", _log(webhook.id))]),
        )
        return bool(gone)

    def add(self, messages: Sequence[WebhookMessage]) -> None:
        calls = []
        for message in messages:
            doc = {name: getattr(message, name) for name in ("id", "webhook", "owner", "type", "body")}
            keys = (_message(message.id), _DUE, _log(message.webhook))
            calls.append(ADD.call(keys, self._given(), message.id, orjson.dumps(doc), KEPT_MS, LOGGED))
        for answer in self._redis.run(calls):
            checked(answer)

    def take(self, most: int, most_of_one: int, lease_ms: int) -> list[WebhookMessage]:
        ids = [each.decode() for each in self._redis.one(*TAKE.call((_DUE,), self._given(), most, lease_ms))]
        counts = Counter[str]()
        taken = []
        for ident, message in zip(ids, self._messages(ids), strict=True):
            if message is None:
                self._redis.one("ZREM", _DUE, ident)  # it has expired
                continue
            counts[message.webhook] += 1
            if counts[message.webhook] <= most_of_one:
                taken.append(message)
        return taken

    def settle(
        self, message: WebhookMessage, attempt: DeliveryAttempt, state: MessageState, wait_ms: int
    ) -> None:
        keys = (_message(message.id), _DUE)
        log = orjson.dumps(list(attempt))
        self._redis.one(*SETTLE.call(keys, self._given(), message.id, state.value, wait_ms, log))

    def redeliver(self, webhook: str, message: str) -> bool:
        if self._redis.one("ZSCORE", _log(webhook), message) is None:
            return False
        keys = (_message(message), _DUE)
        return bool(self._redis.one(*SETTLE.call(keys, self._given(), message, "waiting", 0, "")))

    def log(self, webhook: str) -> list[WebhookMessage]:
        ids = [each.decode() for each in self._redis.one("ZREVRANGE", _log(webhook), 0, -1)]
        return [message for message in self._messages(ids) if message is not None]

    def has_due(self) -> bool:
        first = self._redis.one("ZRANGE", _DUE, 0, 0, "WITHSCORES")
        return bool(first) and float(first[1]) <= self.now()

    def _messages(self, ids: Sequence[str]) -> list[WebhookMessage | None]:
        rows = self._redis.run(
            [("HMGET", _message(each), "doc", "created", "state", "attempts") for each in ids]
        )
        return [_loaded(checked(row)) for row in rows]

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


def _log(webhook: str) -> str:
    return f"{_TAG}log:{webhook}"
