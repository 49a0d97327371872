"""Where the embedded Redis listens."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final
from urllib.parse import quote

LONGEST_SOCKET_PATH: Final = 90


def socket_path(folder: Path) -> Path:
    """Return the socket of a folder's server: always the same, and short enough to connect to."""
    inside = folder.resolve() / "redis.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    place = Path(tempfile.gettempdir())
    if len(os.fsencode(place)) > LONGEST_SOCKET_PATH - 60:
        place = Path("/tmp")  # noqa: S108 - a private folder of our own is made in it
    return place / f"kozyr-{os.getuid()}-{name}" / "redis.sock"


def socket_url(folder: Path) -> str:
    """Return the address of a folder's server."""
    return f"unix://{quote(str(socket_path(folder)))}"
