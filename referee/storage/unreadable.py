"""Matches whose stored form this release can't read. Lists skip them; a process counts and logs them."""

from __future__ import annotations

import logging
import zlib
from typing import Final

from zstandard import ZstdError

log = logging.getLogger(__name__)

DAMAGE: Final = (ValueError, TypeError, LookupError, AttributeError, zlib.error, ZstdError)
"""What decoding raises for a damaged match or an unknown format."""
MOST_KNOWN: Final = 10_000
"""How many ids a process remembers, so that it logs each match once."""


class Unreadable:
    """The unreadable matches that this process has met. Safe to share between greenlets and threads."""

    def __init__(self) -> None:
        self._known: dict[str, None] = {}
        self.count = 0
        """The number of different unreadable matches up to `MOST_KNOWN`; beyond that, of encounters."""

    def note(self, match: str, error: Exception) -> None:
        """Count and log a match at the first encounter."""
        if match in self._known:
            return
        if len(self._known) < MOST_KNOWN:
            self._known[match] = None
        self.count += 1
        log.error(
            "match %s can't be read and is skipped in every list: %s: %s", match, type(error).__name__, error
        )

    def __contains__(self, match: str) -> bool:
        return match in self._known
