"""The ports of sorted tables: the object store, the manifest, and what other packages look up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

PARTIAL_MS: Final = 86_400_000
"""How long entries wait for others, in ms, so that there are few small tables."""


class ArchiveAway(Exception):
    """The archive can't be reached, or lacks an object. What needs it may be tried again."""


class ObjectMissing(ArchiveAway):
    """The archive lacks an object. It may also be another folder or bucket, or not mounted."""


class Objects(Protocol):
    """An object store."""

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


class TablePart(NamedTuple):
    """A table in the manifest."""

    name: str
    first: str
    """Its first key."""
    size: int
    """Bytes."""
    entries: int


class TableRun(NamedTuple):
    """Tables that follow one another by key. They were written, or merged, together."""

    level: int
    """How often its entries were merged."""
    parts: tuple[TablePart, ...]


class Merge(NamedTuple):
    """A merge under way, of the oldest runs of a level."""

    level: int
    parts: tuple[TablePart, ...]
    """The merged run, as far as it is written."""
    rest: str
    """The key from which on it is not written yet."""


class ManifestState(NamedTuple):
    """Which tables there are."""

    runs: tuple[TableRun, ...] = ()
    """The oldest first, so that levels descend. Later ones override the keys of earlier ones."""
    retired: tuple[tuple[str, int], ...] = ()
    """Tables that were merged into others, with the instants (ms). They are deleted when nobody reads them any more."""
    merges: tuple[Merge, ...] = ()

    def parts(self) -> list[TablePart]:
        """Return the tables of all runs and merges."""
        runs = [run.parts for run in self.runs] + [merge.parts for merge in self.merges]
        return [part for parts in runs for part in parts]


class TableManifest(Protocol):
    """Where the list of tables is stored."""

    def read(self) -> ManifestState:
        """Return the present state."""

    def replace(self, before: ManifestState, after: ManifestState) -> bool:
        """Replace the state. Return false, without effect, if it is no longer `before`."""


class LookUp(Protocol):
    """What packages look up in the tables. May raise `ArchiveAway`."""

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of these point keys."""

    def scan(
        self, first: bytes, end: bytes, most: int, *, descending: bool = False
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `most` entries from `first`, inclusive, to before `end`; from the last one on if
        `descending`."""

    def write(self, entries: Mapping[bytes, bytes | None], still: Callable[[], bool] = ...) -> bool:
        """Store these entries, all or none, before this returns. `None` removes a key. Safe to repeat.

        Return false, without effect, if `still()` is false at the instant at which they would become visible: a
        process whose write was delayed must not override a later one.
        """

    def merge(self) -> bool:
        """Merge some tables, and delete tables that were merged long ago. Takes a second or two at most, however many
        entries there are. Return whether there may be more to merge. Safe to repeat, and to interrupt anywhere."""
