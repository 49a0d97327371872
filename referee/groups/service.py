"""The life of duplicate groups (`referee.groups.model`): matches made, ends noted, what was broken off gone on with."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from engine.game import BadTable
from engine.match import checked_deals
from engine.quoting import quoted
from engine.registry import GAMES
from referee.after_commit import Hook
from referee.errors import NoSuchGroup, NoSuchMatch
from referee.groups.model import ATTEMPTS, Group, GroupProgress, GroupStatus, TableEnd, checked, place_of
from referee.groups.store import GroupStore
from referee.match.loaded_match import LoadedMatch
from referee.match.new_match import NewMatch
from referee.referee import Referee


class GroupState(NamedTuple):
    """A group and how far it is."""

    group: Group
    progress: GroupProgress

    def matches(self) -> list[str]:
        """The ids of its matches, by table, in the attempts that count."""
        attempts = self.progress.attempts
        return [self.group.match_id(slot, attempts.get(slot, 0)) for slot in range(len(self.group.tables))]

    def all_matches(self) -> list[str]:
        """The same, and behind them those that became void while they ran, in whose place others are."""
        attempts = self.progress.attempts.items()
        again = [self.group.match_id(slot, before) for slot, last in attempts for before in range(last)]
        return [*self.matches(), *again]


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

    def add(self, groups: Sequence[Group]) -> list[Group]:
        """Groups without their matches, which somebody makes by and by (`new`)."""
        return self.store.add([checked(group) for group in groups])

    def create(self, group: Group) -> Group:
        """The group with all of its matches. Raises `BadTable`."""
        group = checked(group)
        # Before the group is there: from then on `tick` makes the matches that are not made here.
        self.store.looked(group.id, self._now())
        (made,) = self.add([group])
        self.referee.after.run(Hook.MATCHES, lambda: self._complete(made), None, passing=(BadTable,))
        return made

    def get(self, group: str) -> Group:
        """The group. Raises `NoSuchGroup`."""
        return self.known([group])[group]

    def known(self, groups: Sequence[str]) -> dict[str, Group]:
        """These groups by their ids. Raises `NoSuchGroup`."""
        found = {}
        for ident, group in zip(groups, self.store.groups(groups), strict=True):
            if group is None:
                raise NoSuchGroup(f"there is no group {quoted(ident)}")
            found[ident] = group
        return found

    def new(self, tables: Sequence[tuple[Group, int]]) -> list[NewMatch]:
        """What the matches of these tables are made of, in the attempts that count. In one round trip."""
        groups = list({group.id: None for group, _ in tables})
        progress = dict(zip(groups, self.store.progress(groups), strict=True))
        return [_new(group, slot, progress[group.id]) for group, slot in tables]

    def matches(self, group: Group) -> list[str]:
        """The ids of its matches, by table, in the attempts that count."""
        return GroupState(group, self._progress(group)).matches()

    def on_finished(self, lives: Sequence[LoadedMatch]) -> dict[str, GroupState]:
        """Note that these matches are over. Returns by id how their groups stand then.

        A void match is made again; the other matches of a group that is aborted or void are so too.
        """
        places = [(live, live.config.group) for live in lives]
        groups = self.known(list({of.id: None for _, of in places if of is not None}))
        ends = []
        for live, of in places:
            if of is not None:
                attempts = (groups[of.id].match_id(of.slot, number) for number in range(ATTEMPTS + 1))
                attempt = next(number for number, match in enumerate(attempts) if match == live.id)
                ending = live.progress.ending
                assert ending is not None, "who calls has seen that it is over"
                ends.append(TableEnd(of.id, of.slot, attempt, ending, live.progress.ended or 0))
        progress = self.store.settle(ends)
        for end in ends:
            self._follows(groups[end.group], end, progress[end.group])
        return {ident: GroupState(group, progress[ident]) for ident, group in groups.items()}

    def void(self, groups: Sequence[str]) -> None:
        """Make those of these groups void that are running, with all of their matches."""
        known = [group for group in self.store.groups(groups) if group is not None]
        statuses = self.store.void([group.id for group in known], self._now())
        for group, status in zip(known, statuses, strict=True):
            if status is GroupStatus.VOID:
                for match in self.matches(group):
                    self._void(match)

    def tick(self, most: int = 100, after_ms: int = 10_000) -> int:
        """Look after groups whose creation was broken off. Returns how many were looked at."""
        found = self.store.unfinished(most, self._now() - after_ms)
        for ident in found:
            (group,) = self.store.groups([ident])
            if group is None or self._progress(group).status is not GroupStatus.RUNNING:
                self.store.looked(ident, None)
            else:
                self._complete(group)
        return len(found)

    def _progress(self, group: Group) -> GroupProgress:
        (found,) = self.store.progress([group.id])
        return found

    def _follows(self, group: Group, end: TableEnd, progress: GroupProgress) -> None:
        """What has to be done where a match of a group was broken off."""
        if progress.status is GroupStatus.RUNNING:
            if progress.attempts.get(end.slot, 0) > end.attempt:
                self.referee.create_all([_new(group, end.slot, progress)])
        elif progress.status is not GroupStatus.OVER and progress.ended_by == end.slot:
            for match in GroupState(group, progress).matches():
                if progress.status is GroupStatus.ABORTED:
                    self.referee.abort(match)
                else:
                    self._void(match)

    def _void(self, match: str) -> None:
        with suppress(NoSuchMatch):
            if not self.referee.look(match).void:
                self.referee.void(match, "its duplicate group is void")

    def _complete(self, group: Group) -> None:
        progress = self._progress(group)
        left = [slot for slot in range(len(group.tables)) if slot not in progress.over]
        self.referee.create_all([_new(group, slot, progress) for slot in left])
        self.store.looked(group.id, None)


def _new(group: Group, slot: int, progress: GroupProgress) -> NewMatch:
    place, options, seats = place_of(group, slot)
    return NewMatch(
        game=group.game,
        seats=seats,
        options=options,
        deals=checked_deals(GAMES[group.game], None),
        dealer=group.dealer,
        clock=group.clock,
        entropy=group.entropy,
        rated=group.rated,
        ladder=group.ladder,
        round=group.round,
        season=group.season,
        id=group.match_id(slot, progress.attempts.get(slot, 0)),
        secret=group.secret,
        group=place,
    )
