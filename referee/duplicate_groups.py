"""The life cycle of duplicate groups: their matches are created, replaced and noted when they end."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from engine.game import BadTable
from engine.match import checked_deals
from engine.quoting import quoted
from engine.registry import GAMES
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch
from referee.after_commit import AfterCommitStep
from referee.errors import NoSuchGroup, NoSuchMatch
from referee.groups.model import ATTEMPTS, Group, GroupProgress, GroupStatus, TableEnd, checked, place_of
from referee.groups.redis import RedisGroupStore
from referee.referee import Referee

_SAME: Final = (
    *("game", "dealer", "clock", "entropy", "rated", "ladder", "round", "season", "secret", "since"),
    *("requested_by", "start_ms", "assist"),
)
"""What the matches of a group have from it."""


class GroupState(NamedTuple):
    group: Group
    progress: GroupProgress

    def matches(self) -> list[str]:
        """Return the ids of its matches by table, in the current attempts."""
        attempts = self.progress.attempts
        return [self.group.match_id(slot, attempts.get(slot, 0)) for slot in range(len(self.group.tables))]

    def all_matches(self) -> list[str]:
        """Return the ids of its matches, followed by those of void ones that were replaced."""
        attempts = self.progress.attempts.items()
        again = [self.group.match_id(slot, before) for slot, last in attempts for before in range(last)]
        return [*self.matches(), *again]


class Groups:
    """Runs groups. Every method is safe to repeat, to run concurrently and to interrupt."""

    def __init__(
        self,
        store: RedisGroupStore,
        referee: Referee,
        now: Callable[[], int] = lambda: int(time.time() * 1000),
        hold: Callable[[Mapping[str, Collection[str]]], Collection[str]] = lambda groups: (),
    ) -> None:
        """`now` is in ms since 1970. `hold` takes groups by ladder, a match of which has ended, and returns the ladders
        whose groups go on for now, since their results are withheld."""
        self.store, self.referee, self.now, self._hold = store, referee, now, hold

    def add(self, groups: Sequence[Group]) -> list[Group]:
        """Store groups without their matches. The caller creates those (`new`). Raises `BadTable`."""
        return self.store.add([checked(group) for group in groups])

    def create(self, group: Group) -> Group:
        """Create a group with all of its matches. Raises `BadTable`."""
        group = checked(group)
        # Listed before it is stored, so that `tick` creates the matches that this process does not.
        self.store.looked(group.id, self.now())
        (made,) = self.add([group])
        self.referee.after_commit.run(
            AfterCommitStep.MATCHES, lambda: self._complete(made), None, passing=(BadTable,)
        )
        return made

    def get(self, group: str) -> Group:
        """Return a group. Raises `NoSuchGroup`."""
        return self.known([group])[group]

    def known(self, groups: Sequence[str]) -> dict[str, Group]:
        """Return groups by id. Raises `NoSuchGroup`."""
        known = {}
        for ident, group in zip(groups, self.store.groups(groups), strict=True):
            if group is None:
                raise NoSuchGroup(f"there is no group {quoted(ident)}")
            known[ident] = group
        return known

    def states(self, groups: Iterable[str]) -> dict[str, GroupState]:
        """Return the states of those of these groups that exist, by id."""
        ids = list(dict.fromkeys(groups))
        found = zip(self.store.groups(ids), self.store.progress(ids), strict=True) if ids else ()
        return {group.id: GroupState(group, progress) for group, progress in found if group is not None}

    def new(self, tables: Sequence[tuple[Group, int]]) -> list[NewMatch]:
        """Return the matches to create for these tables, in the current attempts. Takes one round trip."""
        groups = list({group.id: None for group, _ in tables})
        progress = dict(zip(groups, self.store.progress(groups), strict=True))
        return [_new(group, slot, progress[group.id]) for group, slot in tables]

    def state(self, group: str) -> GroupState:
        """Return a group and its progress. Raises `NoSuchGroup`."""
        found = self.get(group)
        return GroupState(found, self._progress(found))

    def matches(self, group: Group) -> list[str]:
        """Return the ids of its matches by table, in the current attempts."""
        return GroupState(group, self._progress(group)).matches()

    def on_finished(self, loaded_matches: Sequence[LoadedMatch]) -> dict[str, GroupState]:
        """Note that these matches are over, unless their ladder withholds results. Returns the states of their groups
        afterwards, by id.

        A void match is replaced by a new one. If a group is aborted or void, its other matches become so too.
        """
        placed = [(loaded, loaded.config.group) for loaded in loaded_matches]
        groups = self.known(list({seating.id: None for _, seating in placed if seating is not None}))
        of_ladders: dict[str, set[str]] = {}
        for loaded, seating in placed:
            if seating is not None and loaded.config.ladder is not None:
                of_ladders.setdefault(loaded.config.ladder, set()).add(seating.id)
        held = self._hold(of_ladders) if of_ladders else ()
        ends = []
        for loaded, seating in placed:
            if seating is not None and loaded.config.ladder not in held:
                ids = (groups[seating.id].match_id(seating.slot, number) for number in range(ATTEMPTS + 1))
                attempt = next(number for number, match in enumerate(ids) if match == loaded.id)
                ending = loaded.progress.ending
                assert ending is not None, "the match is over"
                ends.append(TableEnd(seating.id, seating.slot, attempt, ending, loaded.progress.ended or 0))
        progress = dict(self.store.settle(ends))
        others = [ident for ident in groups if ident not in progress]
        progress |= zip(others, self.store.progress(others) if others else (), strict=True)
        for end in ends:
            self._react(groups[end.group], end, progress[end.group])
        return {ident: GroupState(group, progress[ident]) for ident, group in groups.items()}

    def void(self, groups: Sequence[str]) -> None:
        """Void the running ones among these groups, with all of their matches."""
        known = [group for group in self.store.groups(groups) if group is not None]
        statuses = self.store.void([group.id for group in known], self.now())
        for group, status in zip(known, statuses, strict=True):
            if status is GroupStatus.VOID:
                for match in self.matches(group):
                    self._void(match)

    def tick(self, most: int = 100, after_ms: int = 10_000) -> int:
        """Create missing matches of groups whose creation was interrupted. Returns how many groups were checked.

        A group that fails stops no other and is checked again later. Its error is raised after all groups.
        """
        unfinished = self.store.unfinished(most, self.now() - after_ms)
        errors = []
        for ident in unfinished:
            try:
                (group,) = self.store.groups([ident])
                if group is None or self._progress(group).status is not GroupStatus.RUNNING:
                    self.store.looked(ident, None)
                else:
                    self._complete(group)
            except Exception as error:
                self.store.looked(ident, self.now())  # raises if the store is away
                errors.append(error)
        if errors:
            raise errors[0]
        return len(unfinished)

    def _progress(self, group: Group) -> GroupProgress:
        (progress,) = self.store.progress([group.id])
        return progress

    def _react(self, group: Group, end: TableEnd, progress: GroupProgress) -> None:
        """Replace a void match, or end the other matches of a group that its match has ended."""
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
    attempt, same = progress.attempts.get(slot, 0), {name: getattr(group, name) for name in _SAME}
    return NewMatch(
        seats=seats,
        options=options,
        deals=checked_deals(GAMES[group.game], None),
        id=group.match_id(slot, attempt),
        group=place,
        **same,
    )
