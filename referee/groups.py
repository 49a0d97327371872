"""The life of duplicate groups (`referee.group`): matches made, ends noted, what was broken off gone on with."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from engine.registry import GAMES
from referee.errors import NoSuchGroup, NoSuchMatch
from referee.group import ATTEMPTS, Group, GroupStatus, GroupStore, Progress, checked, place_of
from referee.referee import Referee
from referee.table import Ending, Setup


class Groups:
    """The life of groups. Everything may be done twice, by several at once, or be broken off anywhere."""

    def __init__(
        self,
        store: GroupStore,
        referee: Referee,
        now: Callable[[], int] = lambda: int(time.time() * 1000),
    ) -> None:
        """`now` is in ms since 1970."""
        self.store, self.referee, self._now = store, referee, now

    def add(self, group: Group) -> Group:
        """The group without its matches, which somebody makes by and by (`seat`)."""
        return self.store.add(checked(group))

    def create(self, group: Group) -> Group:
        """The group with all of its matches. Raises `BadTable`."""
        made = self.add(group)
        self.store.looked(made.id, self._now())
        self._complete(made)
        return made

    def get(self, group: str) -> Group:
        """The group. Raises `NoSuchGroup`."""
        found = self.store.group(group)
        if found is None:
            raise NoSuchGroup(f"there is no group {group!r}")
        return found

    def seat(self, group: Group, slot: int) -> str:
        """Make the match of this table, in the attempt that counts, unless it exists. Returns its id."""
        return self._made(group, slot, self.store.progress(group.id))

    def matches(self, group: Group) -> list[str]:
        """The ids of its matches, by table, in the attempts that count."""
        attempts = self.store.progress(group.id).attempts
        return [group.match_id(slot, attempts.get(slot, 0)) for slot in range(len(group.tables))]

    def played_again(self, group: Group) -> list[str]:
        """The ids of its matches that became void while they ran, in whose place others are."""
        attempts = self.store.progress(group.id).attempts
        return [group.match_id(slot, before) for slot, last in attempts.items() for before in range(last)]

    def on_finished(self, setup: Setup, ending: Ending | None, ended: int | None) -> Progress | None:
        """Note that a match is over. Returns how far its group is then, `None` for a match without one.

        A void match is made again; the other matches of a group that is aborted or void are so too.
        """
        if setup.group is None or ending is None:
            return None
        group = self.get(setup.group.id)
        slot = setup.group.slot
        attempt = next(number for number in range(ATTEMPTS + 1) if group.match_id(slot, number) == setup.id)
        progress = self.store.settle(group.id, slot, attempt, ending, ended or 0)
        if progress.status is GroupStatus.RUNNING:
            if progress.attempts.get(slot, 0) > attempt:
                self._made(group, slot, progress)
        elif progress.status is GroupStatus.ABORTED and progress.ended_by == slot:
            for match in self.matches(group):
                self.referee.abort(match)
        elif progress.status is GroupStatus.VOID and progress.ended_by == slot:
            for match in self.matches(group):
                self._void(match)
        return progress

    def tick(self, most: int = 100, after_ms: int = 10_000) -> int:
        """Look after groups whose creation was broken off. Returns how many were looked at."""
        found = self.store.unfinished(most, self._now() - after_ms)
        for ident in found:
            group = self.store.group(ident)
            if group is None or self.store.progress(ident).status is not GroupStatus.RUNNING:
                self.store.looked(ident, None)
            else:
                self._complete(group)
        return len(found)

    def _void(self, match: str) -> None:
        with suppress(NoSuchMatch):
            if not self.referee.look(match).void:
                self.referee.void(match, "its duplicate group is void")

    def _complete(self, group: Group) -> None:
        progress = self.store.progress(group.id)
        for slot in range(len(group.tables)):
            if slot not in progress.over:
                self._made(group, slot, progress)
        self.store.looked(group.id, None)

    def _made(self, group: Group, slot: int, progress: Progress) -> str:
        match = group.match_id(slot, progress.attempts.get(slot, 0))
        place, options, seats = place_of(group, slot)
        self.referee.create(
            group.game,
            seats,
            options,
            deals=None if GAMES[group.game].fixed_deals else 1,
            dealer=group.dealer,
            clock=group.clock,
            entropy=group.entropy,
            rated=group.rated,
            ladder=group.ladder,
            round=group.round,
            season=group.season,
            match_id=match,
            secret=group.secret,
            group=place,
        )
        return match
