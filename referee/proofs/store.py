"""The port of the chain of records. `referee.proofs.redis` implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from records.chain import Link


class Chain(Protocol):
    """The chain of all readable records."""

    def append(self, digests: Mapping[str, bytes], ended: int = 0) -> None:
        """Append the records of these matches in this order. Records that the chain contains stay where they are.

        `ended` is when the first of them ended, in ms; if it is known, only old records are looked up in the archive.
        Raises `Busy` if other writers were faster too many times.
        """

    def links(self, matches: Sequence[str]) -> list[Link | None]:
        """Return the positions of these matches' records; `None` for a record that isn't in the chain."""

    def forget(self, matches: Sequence[str], last: Link, ended: int) -> None:
        """Remove the numbers and links of these matches. All records up to `last` are archived; their matches ended by
        `ended` (ms). Safe to repeat."""

    def head(self) -> Link | None:
        """Return the last position, or `None` for an empty chain."""

    def signed_by(self, key: str) -> list[tuple[str, int]]:
        """Note that this public key signs from now on.

        Returns all keys that ever did, the oldest first, each with the number of records when it began.
        """
