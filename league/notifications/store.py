"""The stores of webhooks and messages, and of event logs. `league.notifications.redis` and `redis_event_logs`
implement them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from league.notifications.model import Account, DeliveryAttempt, MessageState, Webhook, WebhookMessage


class WebhookStore(Protocol):
    """The store of webhooks, and the outbox of messages."""

    def now(self) -> int:
        """Return the current time in ms since 1970."""

    def webhooks(self, owners: Iterable[str]) -> dict[str, list[Webhook]]:
        """Return the webhooks of the owners with these names, in one round trip."""

    def put(self, webhook: Webhook, most: int) -> bool:
        """Store a webhook in place of the one with its id. Return false, without effect, if its owner would then have
        more than `most`."""

    def change(self, owner: str, webhook: str, change: Callable[[Webhook], Webhook]) -> Webhook | None:
        """Change a webhook at once, and return it; `None` if it is not there. `change` may be called several times."""

    def remove(self, webhook: Webhook) -> bool:
        """Remove a webhook with its messages. Return whether it was there."""

    def add(self, messages: Sequence[WebhookMessage], first: bool = False) -> None:
        """Add messages to the outbox, due now. A message that was added before is skipped; one too many for its webhook
        is dead. With `first`, they are sent before all others, and although their webhook may pause."""

    def take(self, most: int, most_of_one: int, lease_ms: int) -> list[WebhookMessage]:
        """Return messages that are due, at most `most_of_one` of a webhook, and one of a webhook whose last attempts
        failed. The webhook that has been due longest comes first. They are due again after `lease_ms`."""

    def settle(
        self, message: WebhookMessage, attempt: DeliveryAttempt, state: MessageState, wait_ms: int
    ) -> None:
        """Log an attempt. A message that still waits is due after `wait_ms`; one that was ended meanwhile stays ended.
        After a failure, the webhook pauses: the longer the more attempts have failed in a row."""

    def discard(self, owner: str, webhook: str, why: DeliveryAttempt) -> None:
        """End all messages of a webhook that wait, and log why. The webhook does not pause, since nothing was sent. No
        effect if it is enabled."""

    def redeliver(self, webhook: str, message: str) -> bool:
        """Send a message of the webhook's log next, although the webhook may pause. Return false if it is not there."""

    def log(self, webhook: str) -> list[WebhookMessage]:
        """Return the last messages of a webhook, newest first."""

    def has_due(self) -> bool:
        """Return whether a message is due."""


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


class EventLogStore(Protocol):
    """The event logs of accounts. Only followed accounts have one."""

    def has_listeners(self) -> bool:
        """Return whether any owner may have a webhook, or any account may be followed. Takes one command."""

    def followed(self, accounts: Sequence[Account]) -> list[Account]:
        """Return those of these accounts that may be followed."""

    def follow(self, account: Account) -> int:
        """Keep the account's log from now on, and return the number of its last event."""

    def append(self, events: Sequence[tuple[Account, str, bytes]]) -> None:
        """Append events to the logs of followed accounts: account, id and JSON. An event whose id the log has is
        skipped."""

    def read(self, account: Account, after: int, most: int) -> LoggedEvents:
        """Return at most `most` events with numbers above `after`."""

    def probe(self, account: Account) -> tuple[str, str]:
        """Return a command whose reply changes with each event."""

    def seen(self, last: int) -> object:
        """Return the reply to `probe` where the last event has this number."""
