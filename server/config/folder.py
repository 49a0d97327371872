"""Errors of the folder KOZYR_VAR that its user must mend."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UnusableFolder(OSError):
    """A file or folder can't be used: it is read-only or belongs to another user, or the disk is full."""


@contextmanager
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
