"""Requests of the service's own status display."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

OWN_AGENT: Final = "kozyr-up"
"""The `User-Agent` of `kozyr up`, which asks for the state of the service all the time."""
_HERE: Final = frozenset({"127.0.0.1", "::1"})


def is_own(environ: Mapping[str, Any]) -> bool:
    """Return whether `kozyr up` on this machine has sent the request."""
    return environ.get("HTTP_USER_AGENT") == OWN_AGENT and environ.get("REMOTE_ADDR") in _HERE
