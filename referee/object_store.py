"""The port of the object store that holds the archive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class ArchiveAway(Exception):
    """The archive can't be reached, or lacks an object. What needs it may be tried again."""


class ObjectMissing(ArchiveAway):
    """The archive lacks an object. It may also be another folder or bucket, or not mounted."""


class Objects(Protocol):
    place: str
    """Where it is, without credentials."""

    def create(self, name: str, data: bytes) -> None:
        """Store a new object durably. An object of this name may exist; it then stays. Raise `ArchiveAway`."""

    def read(self, name: str) -> bytes:
        """Return an object. Raise `ArchiveAway`, and `ObjectMissing` if there is none."""

    def read_part(self, name: str, offset: int, length: int) -> bytes:
        """Return a part of an object, or less if it ends before. Raise what `read` raises."""

    def names(self, prefix: str) -> list[str]:
        """Return the names of all objects with this prefix. Raise `ArchiveAway`."""

    def delete(self, name: str) -> None:
        """Remove an object, if there is one. Raise `ArchiveAway`."""

    def sweep(self) -> None:
        """Remove what killed processes left behind while they wrote objects. Raise `ArchiveAway`."""


def is_there(objects: Objects, names: Iterable[str]) -> bool:
    """Return whether the archive has any of these objects, which it should have. If not, it may be another folder, or
    not mounted. Raise `ArchiveAway`."""
    return any(_exists(objects, name) for name in names)


def _exists(objects: Objects, name: str) -> bool:
    try:
        objects.read_part(name, 0, 1)
    except ObjectMissing:
        return False
    return True
