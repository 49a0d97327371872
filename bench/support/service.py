"""The settings of the measured service."""

from __future__ import annotations

from typing import Final

from kozyr.config.settings import rows

UNLIMITED: Final = {row.variable: "0" for row in rows().values() if row.variable.startswith("KOZYR_RATE_")}
"""No rate limits: a benchmark creates more per minute than an owner may."""
MEASURED: Final = {
    "KOZYR_API_WORKERS": "1",
    "KOZYR_LOG_LEVEL": "warning",
    "KOZYR_BODY_TIMEOUT_S": "600",
    "KOZYR_KEEPALIVE_S": "3600",
    **UNLIMITED,
}
"""One worker, few log lines, no rate limits, and a long keep-alive for idle connections."""
