"""Bounds on the work of one request for a page of a list."""

from __future__ import annotations

from typing import Final

MOST_EXAMINED: Final = 1000
"""How many entries one request examines, whether they match its filters or not.

A page that reaches the bound has fewer entries than its `limit`, maybe none, and a cursor to continue. A ladder has at
most this many entries, because standings and cross tables examine all of them."""
PAGE_LIMIT: Final = 50
"""How many entries a page has unless its reader asks for another number."""
AT_ONCE: Final = 50
"""How many entries one round trip reads. The process serves other requests between two of them."""
