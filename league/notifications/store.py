"""The store of webhooks and messages. `league.notifications.redis` implements it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from league.notifications.model import DeliveryAttempt, MessageState, Webhook, WebhookMessage


class WebhookStore(Protocol):
    """The store of webhooks, and the outbox of messages."""

    def now(self) -> int:
        """Return the current time in ms since 1970."""

    def webhooks(self, owners: Iterable[str]) -> dict[str, list[Webhook]]:
        """Return the webhooks of the owners with these names, in one round trip."""

    def has_webhooks(self) -> bool:
        """Return whether any owner may have a webhook."""

    def put(self, webhook: Webhook, most: int) -> bool:
        """Store a webhook in place of the one with its id. Return false, without effect, if its owner would then have
        more than `most`."""

    def remove(self, webhook: Webhook) -> bool:
        """Remove a webhook with its messages in the log. Return whether it was there."""

    def add(self, messages: Sequence[WebhookMessage]) -> None:
        """Add messages to the outbox, due now. A message that was added before is skipped."""

    def take(self, most: int, most_of_one: int, lease_ms: int) -> list[WebhookMessage]:
        """Return messages that are due, at most `most_of_one` of a webhook. They are due again after `lease_ms`."""

    def settle(
        self, message: WebhookMessage, attempt: DeliveryAttempt, state: MessageState, wait_ms: int
    ) -> None:
        """Log an attempt. A message that still waits is due after `wait_ms`."""

    def redeliver(self, webhook: str, message: str) -> bool:
        """Make a message of the webhook's log due now. Return false if it is not there."""

    def log(self, webhook: str) -> list[WebhookMessage]:
        """Return the last messages of a webhook, newest first."""

    def has_due(self) -> bool:
        """Return whether a message is due."""
