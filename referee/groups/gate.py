"""The gate of duplicate groups: which decks may be seen, and which matches only their seats may see."""

from __future__ import annotations

from collections.abc import Sequence

from records.match.session import MatchConfig
from referee.errors import GroupRunning
from referee.groups.model import GroupStatus, Phase
from referee.groups.redis import RedisGroupStore


class _Remembered:
    """The most recent groups for which something was found."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._groups: dict[str, None] = {}

    def __contains__(self, group: str) -> bool:
        return group in self._groups

    def add(self, group: str) -> None:
        self._groups[group] = None
        if len(self._groups) > self._most:
            del self._groups[next(iter(self._groups))]

    def discard(self, group: str) -> None:
        self._groups.pop(group, None)


class GroupGate:
    """Knows which groups are dealt and which are over, and caches both. Only its seats may see a match before."""

    def __init__(self, store: RedisGroupStore) -> None:
        self.store = store
        self._dealt = _Remembered(1024)
        self._open = _Remembered(65_536)

    def dealt(self, groups: Sequence[str], *, ask: bool = True) -> list[bool]:
        """Record that the decks of these groups may be seen from now on.

        Returns for each group whether they may; `False` if it was aborted or void before. Without `ask`, the last
        answer about a group counts.
        """
        asked = [group for group in groups if ask or group not in self._dealt]
        for group, phase in zip(asked, self.store.decide(asked, Phase.DEALT) if asked else [], strict=True):
            if phase is Phase.DEALT:
                self._dealt.add(group)
            else:
                self._dealt.discard(group)
        return [group in self._dealt for group in groups]

    def readable(self, configs: Sequence[MatchConfig]) -> list[bool]:
        """Return for each match whether everybody may read it: it has no group, or its group is over."""
        asked = list(
            {config.group.id for config in configs if config.group and config.group.id not in self._open}
        )
        for group, status in zip(asked, self.store.statuses(asked) if asked else [], strict=True):
            if status is not GroupStatus.RUNNING:
                self._open.add(group)
        return [config.group is None or config.group.id in self._open for config in configs]

    def is_masked(self, config: MatchConfig) -> bool:
        """Return whether the match belongs to a group that isn't over."""
        return not self.readable([config])[0]

    def check(self, configs: Sequence[MatchConfig]) -> None:
        """Raise `GroupRunning` if one of these matches is masked. Takes at most one round trip."""
        if not all(self.readable(configs)):
            raise GroupRunning(
                "the match belongs to a duplicate group that isn't over; until then only its seats can see it"
            )
