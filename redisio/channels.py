"""The names of the pub/sub channels."""

from __future__ import annotations

from typing import Final

WAKE_CHANNEL: Final = "kozyr:wake"
"""Wakes waiting polls in all API processes. A message is a list of match and bot ids, separated by spaces, or a
service state for everybody (`referee/polling/redis.py`). `commit_step.lua` publishes here as well."""
