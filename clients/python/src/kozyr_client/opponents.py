"""Looking for opponents in the service's queue, without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kozyr_client.turns import Finished, Json


class OpponentSearch:
    """Keeps a bot in the queue while it has no match from there: one match after another.

    `wish` is the body of `POST /v1/queue`; without it, nothing is looked for.
    """

    def __init__(self, wish: Mapping[str, Any] | None) -> None:
        self.wish = None if wish is None else dict(wish)
        self._entry: Json | None = None
        self._over: set[str] = set()
        """Matches that ended since the bot joined."""

    @property
    def joins(self) -> bool:
        """Whether the bot must join the queue."""
        if self.wish is None or self._entry is None:
            return self.wish is not None
        return self._entry["state"] in ("dropped", "left") or self._entry["match"] in self._over

    @property
    def waits(self) -> bool:
        """Whether the bot was in the queue when its entry was last read."""
        return self._entry is not None and self._entry["match"] is None and not self.joins

    def joined(self, entry: Json) -> None:
        """Take the response to a `POST /v1/queue`."""
        self._entry, self._over = entry, set()

    def looked(self, entry: Json) -> None:
        """Take the response to a `GET` or `DELETE` of `/v1/queue`."""
        self._entry = entry

    def finished(self, over: Iterable[Finished]) -> None:
        """Take the matches of a poll that are over."""
        if self.wish is not None:
            self._over.update(each.match for each in over)
