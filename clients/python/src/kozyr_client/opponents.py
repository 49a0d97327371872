"""Looking for opponents in the service's queue, without I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from kozyr_client.errors import KozyrError
from kozyr_client.http import Backoff, RetryLater, new_key
from kozyr_client.turns import Finished, Json

HOLD_S: Final = 2.0
"""The first poll waits for a request to the queue whose next attempt comes within this time, in seconds."""


class QueueRequest(NamedTuple):
    """A request to `/v1/queue`."""

    method: str
    wish: Json | None = None
    key: str | None = None


class OpponentSearch:
    """Keeps a bot in the queue while it has no match from there: one match after another.

    `wish` is the body of `POST /v1/queue`; without it, nothing is looked for. A request is due before the first poll,
    and after a poll that ended a match or brought nothing. Polls go on while a request waits for its next attempt.
    """

    def __init__(
        self, wish: Mapping[str, Any] | None, new_backoff: Callable[[], Backoff], clock: Callable[[], float]
    ) -> None:
        self._wish = None if wish is None else dict(wish)
        self._new_backoff, self._clock = new_backoff, clock
        self._backoff: Backoff | None = None
        self._entry: Json | None = None
        """The bot's entry when it was last read, or `None` if the bot has to join."""
        self._over: set[str] = set()
        """Matches that ended since the bot joined."""
        self._due = True
        self._retry_at: float | None = None
        self._key: str | None = None
        """The Idempotency-Key of a join without a response."""
        self._polled = False

    def next_request(self, *, ending: bool = False) -> QueueRequest | None:
        """Return the request to send before the next poll, or `None`.

        `ending` asks for the last request of the loop: a join without a response may have reached the queue.
        """
        waits = self._entry is not None and self._entry["match"] is None
        if ending:
            return QueueRequest("DELETE") if waits or self._key is not None else None
        is_early = self._retry_at is not None and self._clock() < self._retry_at
        if self._wish is None or not self._due or is_early:
            return None
        if self._entry is not None:
            return QueueRequest("GET") if waits else None
        if self._key is None:
            # Not when the response arrives: a match from a join without a response may end meanwhile.
            self._key, self._over = new_key(), set()
        return QueueRequest("POST", self._wish, self._key)

    def take(self, entry: Json) -> None:
        """Take the response to the request."""
        joined, self._key = self._key is not None, None
        self._backoff = self._retry_at = None
        is_over = entry["match"] in self._over
        is_out = is_over or entry["state"] in ("dropped", "left")
        self._entry = None if is_out else entry
        self._due = is_over or (is_out and not joined)

    def take_refusal(self, error: KozyrError) -> None:
        """Take a refusal of the request. Raise it, unless it says that the bot is not in the queue."""
        if error.code != "not_queued":
            raise error
        self.take({"state": "left", "match": None})

    def postpone(self, failure: RetryLater) -> float:
        """Put the request off after a failed attempt. Return how many seconds to hold up the next poll.

        Raise the failure's error when patience ends.
        """
        self._backoff = self._backoff or self._new_backoff()
        pause = self._backoff.pause(failure)
        if not self._polled and pause <= HOLD_S:
            return pause
        self._retry_at = self._clock() + pause
        return 0.0

    def limit_wait(self, wait: float) -> float:
        """Return how long a poll may wait, in seconds: `wait`, or less if a request is to be retried before."""
        return wait if self._retry_at is None else min(wait, max(0.0, self._retry_at - self._clock()))

    def polled(self, over: Iterable[Finished], *, idle: bool) -> None:
        """Take the matches of a poll that are over, and whether the poll brought nothing."""
        self._polled = True
        if self._wish is None:
            return
        for each in over:
            self._over.add(each.match)
            if self._entry is not None and self._entry["match"] == each.match:
                self._entry = None
            self._due = True
        self._due |= idle
