"""Looking for opponents in the service's queue, without I/O."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kozyr_client.errors import KozyrError
from kozyr_client.http import RetryLater, new_key
from kozyr_client.turns import Finished, Json


class QueueRequest(NamedTuple):
    """A request to `/v1/queue`."""

    method: str
    wish: Json | None = None
    key: str | None = None


class OpponentSearch:
    """Keeps a bot in the queue while it has no match from there: one match after another.

    `wish` is the body of `POST /v1/queue`; without it, nothing is looked for. A request is due before the first poll,
    and after a poll that ended a match or brought nothing. After a failed attempt polls go on, and are shorter.
    """

    def __init__(self, wish: Mapping[str, Any] | None) -> None:
        self._wish = None if wish is None else dict(wish)
        self._entry: Json | None = None
        """The bot's entry when it was last read, or `None` if the bot has to join."""
        self._over: set[str] = set()
        """Matches that ended since the bot joined."""
        self._due = True
        self.longest_wait = math.inf
        """How long a poll may wait, in whole seconds."""
        self._key: str | None = None
        """The Idempotency-Key of a join without a response."""

    def next_request(self, *, ending: bool = False) -> QueueRequest | None:
        """Return the request to send before the next poll, or `None`.

        `ending` asks for the last request of the loop: a join without a response may have reached the queue.
        """
        waits = self._entry is not None and self._entry["match"] is None
        if ending:
            return QueueRequest("DELETE") if waits or self._key is not None else None
        if self._wish is None or not self._due:
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
        self.longest_wait = math.inf
        is_over = entry["match"] in self._over
        is_out = is_over or entry["state"] in ("dropped", "left")
        self._entry = None if is_out else entry
        self._due = is_over or (is_out and not joined)

    def take_refusal(self, error: KozyrError) -> None:
        """Take a refusal of the request. Raise it, unless it says that the bot is not in the queue."""
        if error.code != "not_queued":
            raise error
        self.take({"state": "left", "match": None})

    def postpone(self, failure: RetryLater) -> None:
        """Put the request off until a poll brings nothing. Such a poll waits as long as the service asks for."""
        self._due, self.longest_wait = False, math.ceil(failure.after or 1)

    def polled(self, over: Iterable[Finished], *, idle: bool) -> None:
        """Take the matches of a poll that are over, and whether the poll brought nothing."""
        if self._wish is None:
            return
        for each in over:
            self._over.add(each.match)
            if self._entry is not None and self._entry["match"] == each.match:
                self._entry = None
            self._due = True
        self._due |= idle
