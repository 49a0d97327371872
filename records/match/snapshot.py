"""What admins add to a finished match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from records.match.session import Ending, MatchProgress

VOID: Final = "void"
"""The kind of annotation that voids a finished match."""


class Annotation(NamedTuple):
    """A note that an admin added to a finished match."""

    at: int
    what: str
    """The kind of annotation: `VOID`."""
    reason: str


def is_void(progress: MatchProgress, annotations: Sequence[Annotation]) -> bool:
    """Return whether a match is over and doesn't count, by its ending or by an annotation."""
    return progress.ending is Ending.VOID or any(note.what == VOID for note in annotations)
