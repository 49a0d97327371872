"""Questions to an API, each on a connection of its own."""

from __future__ import annotations

import http.client
import time
from typing import Final
from urllib.parse import urlsplit

PROMPT_S: Final = 0.25
"""An answer within this time is prompt, in seconds."""


def answers(url: str, within_s: float, path: str = "/healthz") -> bool:
    """Return whether the API at this address answers a request for `path` with status 200 in time."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=within_s)
    until = time.monotonic() + within_s
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        return connection.getresponse().status == 200 and time.monotonic() <= until
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
