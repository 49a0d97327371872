"""The port of the store of watched bots and their requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class WatchedRequest(NamedTuple):
    """A request of a watched bot, with its response. Both bodies are cut off where they are too long."""

    at: int
    """When it was answered, in ms since 1970."""
    ms: float
    """From its arrival to its response, with the wait of a long poll."""
    method: str
    target: str
    """The path and the query."""
    status: int
    sent: str
    """The body of the request."""
    received: str
    """The body of the response."""


class WatchStore(Protocol):
    """Stores which bots are watched, and their latest requests."""

    def watched(self, now: int) -> Mapping[str, int]:
        """Return by bot until when it is watched, in ms since 1970, without those whose time is up."""

    def watch(self, bot: str, now: int, until: int) -> None:
        """Watch a bot until this instant, in ms since 1970, and forget those whose time is up."""

    def unwatch(self, bot: str) -> None:
        """No longer watch a bot."""

    def add(self, bot: str, found: Sequence[WatchedRequest], most: int) -> None:
        """Add requests, and keep the latest `most`."""

    def requests(self, bot: str) -> list[WatchedRequest]:
        """Return the kept requests of a bot, the latest first."""
