"""The folder KOZYR_VAR: errors that its user must mend, and secrets that the service generates and keeps there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from server.config.settings import Settings


class UnusableFolder(OSError):
    """A file or folder can't be used: it is read-only or belongs to another user, or the disk is full."""


@contextlib.contextmanager
def usable(folder: Path) -> Iterator[None]:
    """Raise `UnusableFolder` for an `OSError` in the block, which works in this folder."""
    try:
        yield
    except UnusableFolder:
        raise
    except OSError as why:
        where = folder if why.filename is None else os.fsdecode(why.filename)
        raise UnusableFolder(
            f"{where} can't be used ({why.strerror or why}): KOZYR_VAR must name a folder of this user that can be "
            "written, on a disk with free space"
        ) from why


def write_private(path: Path, content: bytes) -> None:
    """Write a new file that only this user can read, and flush it. Raise `OSError`."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())


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
        write_private(fresh, f"{secrets.token_hex(32)}\n".encode())
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)  # unlike a rename, never replaces an existing file
        fresh.unlink()
    return path.read_text(encoding="utf-8").strip()
