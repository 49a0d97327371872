"""Webhooks, events and messages."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from records.decoding import decoded
from records.instants import text_of
from records.names import first_owner


class EventType(enum.StrEnum):
    """What webhooks and the streams of accounts report."""

    MATCH_WAITING = "match.waiting"
    """A match waits for a bot to show up: a challenge, a match of the queue or of a round."""
    MATCH_STARTED = "match.started"
    """A match of a bot has started."""
    MATCH_OVER = "match.over"
    """A match of a bot is over, and its duplicate group is not, so it is not readable yet."""
    MATCH = "match.finished"
    """A match of a bot of the owner has become readable."""
    ROUND_STARTED = "round.started"
    """A round in which a bot of the owner plays, or of a ladder of the owner, has started."""
    ROUND = "round.finished"
    """A round in which a bot of the owner played, or of a ladder of the owner, is over."""
    ROUND_FAILED = "round.failed"
    """A round in which a bot of the owner plays, or of a ladder of the owner, has failed."""
    BYE = "round.bye"
    """A bot of the owner has a bye in a round."""
    SEASON = "season.finished"
    """A season in which a bot of the owner played, or of a ladder of the owner, is over."""
    CORRECTED = "season.corrected"
    """The result of a past season in which a bot of the owner played, or of a ladder of the owner, was corrected."""
    ENTERED = "ladder.entered"
    """A bot of the owner has entered a ladder, or a bot has entered a ladder of the owner."""
    WITHDRAWN = "ladder.withdrawn"
    """A bot was withdrawn from a ladder."""
    BANNED = "ladder.banned"
    """A bot was banned from a ladder."""
    RATING = "rating.changed"
    """A bot of the owner was rated after a group."""
    SUSPENSION = "bot.suspended"
    """A bot of the owner was suspended from ladders."""
    TEST = "test"
    """The owner asked for it."""


class WebhookFormat(enum.StrEnum):
    """The form of a message."""

    STANDARD = "standard"
    """JSON with a signature (Standard Webhooks)."""
    DISCORD = "discord"
    """A text that a Discord channel shows."""


class Webhook(NamedTuple):
    """An address of an owner. Its secret derives from its id."""

    id: str
    owner: str
    """The name under which its owner registered."""
    url: str
    events: tuple[EventType, ...]
    format: WebhookFormat = WebhookFormat.STANDARD
    enabled: bool = True
    created: int = 0
    """In ms since 1970."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Webhook:
        """Return a stored webhook. Events of a later release are left out."""
        events = tuple(EventType(each) for each in data["events"] if each in _TYPES)
        return decoded(cls, {**data, "events": events, "format": WebhookFormat(data["format"])})


_TYPES: Final = frozenset(EventType)
DEFAULT_EVENTS: Final = (
    *(EventType.MATCH, EventType.ROUND, EventType.ROUND_FAILED, EventType.SEASON, EventType.CORRECTED),
    *(EventType.WITHDRAWN, EventType.BANNED, EventType.RATING, EventType.SUSPENSION),
)
"""What a webhook reports by default."""


NEWS: Final = frozenset(
    {
        *(EventType.ENTERED, EventType.WITHDRAWN, EventType.BANNED, EventType.SUSPENSION),
        *(EventType.BYE, EventType.ROUND_FAILED, EventType.SEASON, EventType.CORRECTED),
    }
)
"""The events that the page of an owner shows."""


class Account(NamedTuple):
    """A bot or an owner, whose events have a log."""

    kind: str
    """`bot` or `owner`, or `news`: the events of an owner that its page shows."""
    name: str
    """The id of the bot, or the name under which the owner registered."""

    @property
    def key(self) -> str:
        """The key of its streams in the hub, and of its log in the store."""
        return f"{self.kind}:{self.name}"


class LeagueEvent(NamedTuple):
    """Something that webhooks and streams report. The same event again has the same `subject`."""

    type: EventType
    subject: str
    """Names the event among those of its type."""
    owners: frozenset[str]
    """The present names of the owners who get it."""
    at: int
    """In ms since 1970."""
    text: str
    """One line for people."""
    data: Mapping[str, Any]
    """What its recipients may read, JSON-ready."""
    bots: frozenset[str] = frozenset()
    """The ids of the bots whose streams have it."""

    @property
    def accounts(self) -> list[Account]:
        """The accounts whose logs get it."""
        kinds = ("owner", "news") if self.type in NEWS else ("owner",)
        owners = [Account(kind, name) for name in sorted(map(first_owner, self.owners)) for kind in kinds]
        return [*owners, *(Account("bot", bot) for bot in sorted(self.bots))]

    def payload(self) -> dict[str, Any]:
        """Return the event as webhooks and streams send it."""
        return {"type": self.type.value, "timestamp": text_of(self.at), "data": dict(self.data)}


class MessageState(enum.StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead"
    """All attempts failed. Its owner can send it again."""


class DeliveryAttempt(NamedTuple):
    """An attempt to deliver a message."""

    at: int
    """In ms since 1970."""
    status: int | None
    """The status of the response; `None` without one."""
    error: str
    """Why there is none, or the attempt failed; empty after a success."""
    ms: int

    @property
    def delivered(self) -> bool:
        """Whether the receiver accepted the message."""
        return self.status is not None and 200 <= self.status < 300


class WebhookMessage(NamedTuple):
    """An event for one webhook. Every attempt has its id."""

    id: str
    webhook: str
    owner: str
    type: str
    body: str
    """The bytes to send, as text."""
    created: int
    state: MessageState = MessageState.WAITING
    attempts: tuple[DeliveryAttempt, ...] = ()
