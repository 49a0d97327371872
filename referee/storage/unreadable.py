"""Matches whose stored form this release can't read: skipped wherever matches are listed, counted, and logged."""

from __future__ import annotations

import logging
import zlib
from typing import Final

log = logging.getLogger(__name__)

DAMAGE: Final = (ValueError, TypeError, LookupError, AttributeError, zlib.error)
"""What decoding a stored match raises where the match is damaged, or in a format that this release does not know."""
MOST_KNOWN: Final = 10_000
"""How many of their ids a process keeps, so that each is logged once."""


class Unreadable:
    """The unreadable matches that this process has met. Safe to share between greenlets and threads."""

    def __init__(self) -> None:
        self._known: dict[str, None] = {}
        self.count = 0
        """How many different ones, up to `MOST_KNOWN`; beyond that, how often one was met."""

    def note(self, match: str, error: Exception) -> None:
        """Count the match and log it, the first time that it is met."""
        if match in self._known:
            return
        if len(self._known) < MOST_KNOWN:
            self._known[match] = None
        self.count += 1
        log.error(
            "match %s can't be read and is left out of every list: %s: %s", match, type(error).__name__, error
        )

    def __contains__(self, match: str) -> bool:
        return match in self._known
