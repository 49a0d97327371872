"""How long a job of a worker may take before another job goes on with its work."""

from __future__ import annotations

from typing import Final

BUDGET_S: Final = 1.5
IDLE_BUDGET_S: Final = 0.5
"""The budget of a job in the other queues, since a more urgent job may arrive while it runs."""
