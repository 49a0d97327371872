"""The bound on the work of one request for a page of a list."""

from __future__ import annotations

from typing import Final

MOST_EXAMINED: Final = 1000
"""Entries that one request examines, whether they pass its filters or not. A page that reaches the bound has fewer
entries than its `limit`, maybe none, and a cursor that goes on. A ladder has at most as many entries, since
standings and cross tables examine all of them."""
AT_ONCE: Final = 50
"""Entries that are read in one round trip; other requests are served between two of them."""
