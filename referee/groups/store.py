"""The port of the group store. `referee.groups.redis` implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from referee.groups.model import Group, GroupProgress, GroupStatus, Phase, TableEnd


class GroupStore(Protocol):
    """Stores groups by id."""

    def add(self, groups: Sequence[Group]) -> list[Group]:
        """Add groups in one round trip. Returns the stored groups; one that existed under its id stays as it is."""

    def groups(self, groups: Sequence[str]) -> list[Group | None]:
        """Return the groups with these ids; `None` for an id that no group has."""

    def progress(self, groups: Sequence[str]) -> list[GroupProgress]:
        """Return the progress of these groups; `NO_PROGRESS` for an unknown one."""

    def decide(self, groups: Sequence[str], phase: Phase) -> list[Phase]:
        """Decide the phase of these groups in one round trip. Returns the first decision for each, which holds."""

    def settle(self, ends: Sequence[TableEnd]) -> dict[str, GroupProgress]:
        """Note the ends of attempts, each once, in one round trip. Returns the progress afterwards by group."""

    def void(self, groups: Sequence[str], at: int) -> list[GroupStatus]:
        """Void the running ones among these groups in one round trip. Returns all statuses afterwards."""

    def statuses(self, groups: Sequence[str]) -> list[GroupStatus]:
        """Return the statuses of these groups; `running` for an unknown one."""

    def unfinished(self, most: int, before: int) -> list[str]:
        """Return at most `most` groups that may lack matches and were last checked before this instant."""

    def looked(self, group: str, at: int | None) -> None:
        """Note that the group was checked at this instant, or with `None` that it has all of its matches."""
