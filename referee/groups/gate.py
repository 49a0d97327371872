"""The gate of duplicate groups: which decks may be seen, and which matches only their seats may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from records.match.session import MatchConfig
from referee.errors import GroupRunning
from referee.groups.model import GroupStatus, Phase
from referee.groups.redis import RedisGroupStore

MOST_KNOWN: Final = 65_536
"""How many ended groups are remembered."""


class GroupGate:
    """Knows which groups are over, and caches that. Before, only its seats may see a match."""

    def __init__(self, store: RedisGroupStore) -> None:
        self.store = store
        self._over: dict[str, None] = {}

    def dealt(self, groups: Sequence[str]) -> set[str]:
        """Record that the decks of these groups may be seen from now on. Return those of which they may: the others
        were aborted or void before."""
        phases = zip(groups, self.store.decide(groups, Phase.DEALT), strict=True)
        return {group for group, phase in phases if phase is Phase.DEALT}

    def readable(self, configs: Sequence[MatchConfig]) -> list[bool]:
        """Return for each match whether everybody may read it: it has no group, or its group is over."""
        asked = list(
            {config.group.id for config in configs if config.group and config.group.id not in self._over}
        )
        for group, status in zip(asked, self.store.statuses(asked) if asked else [], strict=True):
            if status is not GroupStatus.RUNNING:
                self._over[group] = None
        while len(self._over) > MOST_KNOWN:
            del self._over[next(iter(self._over))]
        return [config.group is None or config.group.id in self._over for config in configs]

    def is_masked(self, config: MatchConfig) -> bool:
        """Return whether the match belongs to a group that isn't over."""
        return not self.readable([config])[0]

    def check(self, configs: Sequence[MatchConfig]) -> None:
        """Raise `GroupRunning` if one of these matches is masked. Takes at most one round trip."""
        if not all(self.readable(configs)):
            raise GroupRunning(
                "the match belongs to a duplicate group that isn't over; until then only its seats can see it"
            )
