"""What the store of watched bots takes and returns."""

from __future__ import annotations

from typing import NamedTuple


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
