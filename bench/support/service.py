"""The measured service: its settings, and the constant route beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from server.config.settings import rows
from tests.support.live import ROOT, LiveService

UNLIMITED: Final = {row.variable: "0" for row in rows().values() if row.variable.startswith("KOZYR_RATE_")}
"""No rate limits: a benchmark creates more per minute than an owner may."""
MEASURED: Final = {
    "KOZYR_API_WORKERS": "1",
    "KOZYR_LOG_LEVEL": "warning",
    "KOZYR_BODY_TIMEOUT_S": "600",
    "KOZYR_KEEPALIVE_S": "3600",
    **UNLIMITED,
    "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT)),
}
"""One worker, few log lines, no rate limits, and a long keep-alive for idle connections. The rules are those of this
process, which `make bench` runs with compiled ones."""


def constant_route(folder: Path) -> LiveService:
    """Return a service of a Flask application with one constant route, under the gunicorn of the measured one."""
    gunicorn = (sys.executable, "-m", "gunicorn", "-c", "python:server.gunicorn_conf")
    return LiveService(
        folder,
        ["api"],
        commands={"api": [*gunicorn, "bench.support.constant:app"]},
        settings=MEASURED,
        redis_url="redis://127.0.0.1:1/0",
        ready_path="/",
    )
