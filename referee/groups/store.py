"""The port of the group store. `referee.groups.redis` implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from referee.groups.model import Group, GroupProgress, GroupStatus, Phase, TableEnd


class GroupStore(Protocol):
    """What groups need of a store: the port. `referee.groups.redis` is its Redis form."""

    def add(self, groups: Sequence[Group]) -> list[Group]:
        """New groups; the one that is there, where there is one of this id. In one round trip."""

    def groups(self, groups: Sequence[str]) -> list[Group | None]:
        """The groups of these ids."""

    def progress(self, groups: Sequence[str]) -> list[GroupProgress]:
        """How far they are; `running` for one that is not known."""

    def decide(self, groups: Sequence[str], phase: Phase) -> list[Phase]:
        """The phases that hold from now on: the first that was decided of each. In one round trip."""

    def settle(self, ends: Sequence[TableEnd]) -> dict[str, GroupProgress]:
        """Note, each once, how these attempts ended. Returns by group how far it is then. In one round trip."""

    def void(self, groups: Sequence[str], at: int) -> list[GroupStatus]:
        """Make those of these groups void that are running. Returns their statuses then. In one round trip."""

    def statuses(self, groups: Sequence[str]) -> list[GroupStatus]:
        """Of several groups at once; `running` for one that is not known."""

    def unfinished(self, most: int, before: int) -> list[str]:
        """Groups, looked at by nobody since then, of which not all tables were seen to have their match."""

    def looked(self, group: str, at: int | None) -> None:
        """Somebody has looked at the group now; `None`: nobody need look again."""
