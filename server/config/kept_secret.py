"""Secrets that the service generates and keeps in var/."""

from __future__ import annotations

import contextlib
import os
import secrets

from server.config.folder import usable
from server.config.settings import Settings


def kept_secret(settings: Settings, name: str = "secret") -> str:
    """Return a secret kept in var/: 32 bytes in hexadecimal, generated on first use and readable by this user only.
    Concurrent first uses get the same secret. Raise `UnusableFolder`."""
    with usable(settings.var):
        return _kept(settings, name)


def _kept(settings: Settings, name: str) -> str:
    settings.var.mkdir(parents=True, exist_ok=True)
    path = settings.var / name
    if not path.exists():
        fresh = settings.var / f".{name}-{secrets.token_hex(8)}"
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as out:
            out.write(secrets.token_hex(32) + "\n")
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)  # unlike a rename, never replaces an existing file
        fresh.unlink()
    return path.read_text(encoding="utf-8").strip()
