"""Webhooks of owners, and the delivery of messages.

The code that detects an event adds a message for each webhook to the outbox. The message's id derives from event and
webhook, so an event that is detected again adds nothing. A worker leases messages that are due and sends them. If it
dies, the lease expires and the message is sent again with the same id.

Signatures of Standard Webhooks (https://www.standardwebhooks.com), version 1: HMAC-SHA256 over id, time and body.

The secret of a webhook derives from the server's pepper and the webhook's id, so Redis alone reveals none.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import random
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import orjson

from engine.quoting import quoted
from league.errors import BadValue, NoSuchMessage, NoSuchWebhook
from league.notifications.addresses import checked_url
from league.notifications.model import (
    DeliveryAttempt,
    EventType,
    LeagueEvent,
    MessageState,
    Webhook,
    WebhookFormat,
    WebhookMessage,
)
from league.notifications.redis import RedisWebhookStore
from records.ids import derived_match_id, random_text
from records.names import first_owner

MOST_WEBHOOKS: Final = 10
"""How many webhooks an owner may have."""
WAITS_S: Final = (5, 60, 300, 1_800, 7_200, 21_600, 43_200)
"""The waits after failed attempts, about a day in all. Then the message is dead."""
JITTER: Final = 0.2
"""A wait is longer or shorter by up to this part, so that a receiver that comes back is not flooded."""
LEASE_MS: Final = 30_000
AT_ONCE: Final = 16
"""How many messages a worker sends at the same time."""
OF_ONE: Final = 4
"""How many of these go to the same webhook."""
GONE: Final = 410
"""The status with which a receiver ends a webhook."""
_REMOVED: Final = "the webhook was removed"
_DISABLED: Final = "the webhook is disabled"

Send = Callable[[Sequence[tuple[str, dict[str, str], bytes]]], Sequence[tuple[int | None, str, int]]]
"""Sends bodies with headers to URLs. Returns for each the status or `None`, the error, and the duration in ms."""


class Webhooks:
    """The webhooks of owners. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisWebhookStore,
        signer: WebhookSigner,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`wake` enqueues a job that calls `deliver`."""
        self.store, self.signer, self._wake = store, signer, wake

    # 1. For owners

    def create(
        self,
        owner: str,
        url: str,
        events: Sequence[EventType],
        format_: WebhookFormat = WebhookFormat.STANDARD,
        webhook_id: str | None = None,
    ) -> Webhook:
        """Create a webhook of the owner with this name; with `webhook_id`, once. Raise `BadValue`."""
        ident = webhook_id or "w" + random_text(16)
        for existing in self.of(owner):
            if existing.id == ident:
                return existing
        events, url = _checked_events(events), checked_url(url)
        webhook = Webhook(ident, owner, url, events, format_, created=self.store.now())
        if not self.store.put(webhook, MOST_WEBHOOKS):
            raise BadValue("webhooks", MOST_WEBHOOKS + 1, f"at most {MOST_WEBHOOKS} webhooks of one owner")
        return webhook

    def of(self, owner: str) -> list[Webhook]:
        return self.store.webhooks([owner]).get(owner, [])

    def get(self, owner: str, webhook_id: str) -> Webhook:
        """Return a webhook of this owner. Raise `NoSuchWebhook`."""
        for webhook in self.of(owner):
            if webhook.id == webhook_id:
                return webhook
        raise _no_such_webhook(webhook_id)

    def change(self, owner: str, webhook_id: str, **changes: Any) -> Webhook:
        """Change fields of a webhook. If it is disabled now, its messages that wait are dead. Raise `NoSuchWebhook` or
        `BadValue`."""
        if "url" in changes:
            checked_url(changes["url"])
        if "events" in changes:
            changes["events"] = _checked_events(changes["events"])
        changed = self.store.change(owner, webhook_id, lambda webhook: webhook._replace(**changes))
        if changed is None:
            raise _no_such_webhook(webhook_id)
        if not changed.enabled:
            self._discard(owner, webhook_id, _DISABLED)
        return changed

    def remove(self, owner: str, webhook_id: str) -> None:
        """Remove a webhook. Messages that wait are not sent. Raise `NoSuchWebhook`."""
        self.store.remove(self.get(owner, webhook_id))

    def log(self, owner: str, webhook_id: str) -> list[WebhookMessage]:
        """Return the last messages of a webhook, newest first. Raise `NoSuchWebhook`."""
        return self.store.log(self.get(owner, webhook_id).id)

    def redeliver(self, owner: str, webhook_id: str, message: str) -> None:
        """Send a message of the log again, with its id. Raise `NoSuchWebhook` or `NoSuchMessage`."""
        if not self.store.redeliver(self.get(owner, webhook_id).id, message):
            raise NoSuchMessage(f"the webhook's log has no message {quoted(message)}")

    def test(self, owner: str, webhook_id: str, subject: str | None = None) -> str:
        """Send a test event to a webhook, and return the message's id. `subject` makes it once."""
        webhook, now = self.get(owner, webhook_id), self.store.now()
        text = "This is a test of your webhook."
        event = LeagueEvent(
            EventType.TEST,
            subject or random_text(26),
            frozenset({owner}),
            now,
            text,
            {"webhook": webhook.id},
        )
        message = self._message(webhook, event)
        self.store.add([message], first=True)
        return message.id

    # 2. For the league

    def report(self, events: Sequence[LeagueEvent]) -> None:
        """Add a message for each webhook that wants these events. Safe to repeat."""
        hooks = self.store.webhooks(first_owner(owner) for event in events for owner in event.owners)
        messages = [
            self._message(webhook, event)
            for event in events
            for owner in sorted(event.owners)
            for webhook in hooks.get(first_owner(owner), ())
            if webhook.enabled and event.type in webhook.events
        ]
        if messages:
            self.store.add(messages)

    # 3. For the clock and the workers

    def tick(self) -> int:
        """Wake a worker if a message is due. Return 1 if so, else 0."""
        due = self.store.has_due()
        if due:
            self._wake()
        return int(due)

    def deliver(self, send: Send) -> bool:
        """Send messages that are due, and return whether there may be more. End all that wait for a disabled
        webhook."""
        messages = self.store.take(AT_ONCE, OF_ONE, LEASE_MS)
        hooks = {
            webhook.id: webhook
            for found in self.store.webhooks(message.owner for message in messages).values()
            for webhook in found
        }
        now, wanted = self.store.now(), []
        for message in messages:
            webhook = hooks.get(message.webhook)
            if webhook is None or not webhook.enabled:
                self._discard(message.owner, message.webhook, _REMOVED if webhook is None else _DISABLED)
            else:
                wanted.append((message, webhook))
        requests = [self._request(message, webhook, now) for message, webhook in wanted]
        gone = set()
        for (message, webhook), (status, error, ms) in zip(wanted, send(requests), strict=True):
            self._settle(message, DeliveryAttempt(now, status, error, ms))
            if status == GONE:
                gone.add(webhook)
        for webhook in gone:
            self._disable(webhook)
        return len(messages) > 0

    # Inside

    def _discard(self, owner: str, webhook: str, why: str) -> None:
        """End all messages of a webhook that wait, unless it is enabled."""
        self.store.discard(owner, webhook, DeliveryAttempt(self.store.now(), None, why, 0))

    def _request(
        self, message: WebhookMessage, webhook: Webhook, now: int
    ) -> tuple[str, dict[str, str], bytes]:
        body = message.body.encode()
        signature = self.signer.headers(webhook.id, message.id, now // 1000, body)
        return webhook.url, {"content-type": "application/json", **signature}, body

    def _settle(self, message: WebhookMessage, attempt: DeliveryAttempt) -> None:
        if attempt.delivered:
            self.store.settle(message, attempt, MessageState.DELIVERED, 0)
            return
        # A message that was sent again by hand has one more attempt.
        failed = len(message.attempts)
        dead = attempt.status == GONE or failed >= len(WAITS_S)
        wait_s = 0.0 if dead else WAITS_S[failed] * random.uniform(1 - JITTER, 1 + JITTER)
        state = MessageState.DEAD if dead else MessageState.WAITING
        self.store.settle(message, attempt, state, round(wait_s * 1000))

    def _disable(self, webhook: Webhook) -> None:
        """Disable a webhook whose receiver is gone, unless it has got another URL."""

        def disabled(found: Webhook) -> Webhook:
            return found._replace(enabled=found.enabled and found.url != webhook.url)

        self.store.change(webhook.owner, webhook.id, disabled)
        self._discard(webhook.owner, webhook.id, _DISABLED)

    def _message(self, webhook: Webhook, event: LeagueEvent) -> WebhookMessage:
        ident = "msg_" + derived_match_id("webhook", webhook.id, event.type.value, event.subject)[2:]
        if webhook.format is WebhookFormat.DISCORD:
            # Names are plain ASCII, but a channel must never ping anybody.
            content: dict[str, Any] = {"content": event.text[:2000], "allowed_mentions": {"parse": []}}
        else:
            content = event.payload()
        body = orjson.dumps(content).decode()
        return WebhookMessage(ident, webhook.id, webhook.owner, event.type.value, body, event.at)


def _checked_events(events: Sequence[EventType]) -> tuple[EventType, ...]:
    if not events:
        raise BadValue("events", [], "at least one event")
    return tuple(dict.fromkeys(events))


def _no_such_webhook(webhook_id: str) -> NoSuchWebhook:
    return NoSuchWebhook(f"you have no webhook {quoted(webhook_id)}")


class WebhookSigner:
    """Signs the messages of webhooks."""

    def __init__(self, pepper: Callable[[], str]) -> None:
        """`pepper` is asked when the first message is signed; commands that sign none have no pepper."""
        self._ask_pepper = pepper

    def secret(self, webhook: str) -> str:
        """Return the secret of a webhook, as its receiver configures it."""
        return "whsec_" + base64.b64encode(self._key(webhook)).decode()

    def headers(self, webhook: str, message: str, at_s: int, body: bytes) -> dict[str, str]:
        """Return the headers of a message sent at this instant, in seconds since 1970."""
        signed = b"%b.%d.%b" % (message.encode(), at_s, body)
        signature = base64.b64encode(hmac.digest(self._key(webhook), signed, "sha256")).decode()
        return {
            "webhook-id": message,
            "webhook-timestamp": str(at_s),
            "webhook-signature": f"v1,{signature}",
        }

    def _key(self, webhook: str) -> bytes:
        return hmac.digest(self._pepper, webhook.encode(), "sha256")

    @cached_property
    def _pepper(self) -> bytes:
        return hashlib.sha256(b"kozyr-webhooks\0" + self._ask_pepper().encode()).digest()
