"""The tables of a round, with their matches and groups.

The round's entrants determine its tables. Ladder, round and table determine the ids of matches and groups, so that
one created twice exists once.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from league.accounts.model import Bot
from league.errors import NotRerunnable
from league.ladders.model import Ladder, Round
from league.ladders.redis import RedisLadderStore
from league.pairing.plan import Entrant, RoundPlan, plan
from league.rounds.entrants import accepted, seat_of
from records.ids import derived_match_id
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch
from referee.duplicate_groups import Groups
from referee.groups.model import Group, GroupKind, GroupStatus
from referee.referee import Referee

PLANS: Final = 8
"""How many plans a process caches."""
WORTH_KEEPING: Final = 64
"""Plans with fewer tables are not cached."""


class PlannedMatch(NamedTuple):
    """The match of a table, to be created."""

    key: str
    """Its id among the open matches of the round."""
    entrants: tuple[Entrant, ...]
    group: Group | None = None
    slot: int = 0
    """The number of its table in the group."""


class PlannedMatches:
    """The tables of rounds."""

    def __init__(self, store: RedisLadderStore, referee: Referee, groups: Groups) -> None:
        self._store, self._referee, self._groups = store, referee, groups
        self._plans: OrderedDict[tuple[str, int], RoundPlan] = OrderedDict()

    def plan(self, ladder: Ladder, round_: Round) -> RoundPlan:
        key = (ladder.id, round_.number)
        found = self._plans.get(key)
        if found is None:
            found = plan(
                round_.entrants,
                ladder.seats,
                round_.repeats,
                f"{ladder.id} {round_.number}",
                ladder.decks,
                round_.tables or (),
            )
            if len(found.tables) >= WORTH_KEEPING:
                self._plans[key] = found
            if len(self._plans) > PLANS:
                self._plans.popitem(last=False)
        return found

    def planned(
        self,
        ladder: Ladder,
        round_: Round,
        plan: RoundPlan,
        tables: Sequence[int],
        able: Mapping[str, Bot],
        made: Sequence[bool],
    ) -> dict[int, PlannedMatch | None]:
        """Return the matches of these tables, and create their groups. `None` drops a table: its bots can't be
        seated, one of its group's tables has such bots, or its group was aborted or is void. A group under way
        continues, and bots that have left forfeit."""
        numbers = {of_group for table in tables if (of_group := plan.tables[table].group) is not None}
        begun = {number for number in numbers if any(made[table] for table in plan.groups[number].tables)}
        groups = self._running(ladder, round_, sorted(begun))
        fresh = [
            number
            for number in sorted(numbers - begun)
            if all(
                accepted(plan.tables[table].entrants, able, ladder) for table in plan.groups[number].tables
            )
        ]
        if fresh:
            now = self._store.now()
            new = [self._group(ladder, round_, plan, number, now) for number in fresh]
            groups |= dict(zip(fresh, self._groups.add(new), strict=True))
        found: dict[int, PlannedMatch | None] = {}
        for table in tables:
            entrants, number, slot = plan.tables[table]
            group = None if number is None else groups.get(number)
            if group is not None:
                found[table] = PlannedMatch(group.match_id(slot, 0), entrants, group, slot)
            elif number is None and accepted(entrants, able, ladder):
                found[table] = self._planned(ladder, round_, plan, table)
            else:
                found[table] = None
        return found

    def announced(
        self, ladder: Ladder, round_: Round, plan: RoundPlan, tables: Sequence[int]
    ) -> list[PlannedMatch]:
        """Return the matches of tables that are open already, so that their groups exist."""
        numbers = {table: plan.tables[table].group for table in tables}
        ids = {number: _group_id(ladder, round_, number) for number in numbers.values() if number is not None}
        groups = self._groups.known(list(ids.values()))
        found = []
        for table, number in numbers.items():
            if number is None:
                found.append(self._planned(ladder, round_, plan, table))
            else:
                group, slot = groups[ids[number]], plan.tables[table].slot
                found.append(PlannedMatch(group.match_id(slot, 0), plan.tables[table].entrants, group, slot))
        return found

    def new(self, ladder: Ladder, round_: Round, planned: Sequence[PlannedMatch]) -> list[NewMatch]:
        """Return what creates these matches, in the same order."""
        grouped = [(match.group, match.slot) for match in planned if match.group is not None]
        in_groups = iter(self._groups.new(grouped) if grouped else ())
        return [
            _new(ladder, round_, match.key, match.entrants) if match.group is None else next(in_groups)
            for match in planned
        ]

    def match_keys(self, matches: Sequence[LoadedMatch]) -> list[str]:
        """Return the match keys of these matches: their ids, in a group those of their first attempts."""
        groups = self._groups.known(
            list({match.config.group.id: None for match in matches if match.config.group is not None})
        )
        return [
            match.id if (group := match.config.group) is None else groups[group.id].match_id(group.slot, 0)
            for match in matches
        ]

    def by_id(self, ladder: Ladder, round_: Round) -> dict[str, int]:
        """Return the tables of a round by the ids of their matches and of matches that replaced those; in groups a
        table of each by the ids of the groups."""
        planned = self.plan(ladder, round_)
        tables = {
            _match_id(ladder, round_, table): table
            for table, each in enumerate(planned.tables)
            if each.group is None
        }
        groups = {
            ident: group.tables[0]
            for number, group in enumerate(planned.groups)
            for ident in self.group_ids(ladder, round_, number)
        }
        reruns = self._store.reruns(ladder.id, round_.number)
        replaced = {again: self.table_of(ladder, round_, again) for again in reruns.values()}
        return {**tables, **groups, **replaced}

    def group_ids(self, ladder: Ladder, round_: Round, number: int) -> list[str]:
        """Return the ids of the group with this number in the round's plan, the last rerun last."""
        return [
            _group_id(ladder, round_, number, times)
            for times in range(1 + round_.group_reruns.get(number, 0))
        ]

    def key_of(self, ladder: Ladder, round_: Round, table: int) -> str:
        """Return the match key of a table outside groups, or else the id of its group."""
        number = self.plan(ladder, round_).tables[table].group
        return _match_id(ladder, round_, table) if number is None else _group_id(ladder, round_, number)

    def restore_group(
        self,
        ladder: Ladder,
        round_: Round,
        table: int,
        secret: bytes | None = None,
        group_id: str | None = None,
    ) -> None:
        """Store the group of a table again, if it is missing, with the secret and the group id of its matches, or as a
        new one."""
        plan = self.plan(ladder, round_)
        number = plan.tables[table].group
        if number is not None:
            group = self._group(ladder, round_, plan, number, self._store.now())
            group = group._replace(secret=secret or group.secret, id=group_id or group.id)
            self._groups.add([group])

    def void_groups(self, ladder: Ladder, round_: Round, numbers: Sequence[int]) -> None:
        """Void these groups of the round, as far as they exist and run."""
        if numbers:
            self._groups.void([_group_id(ladder, round_, number) for number in numbers])

    def create_as(
        self, ladder: Ladder, round_: Round, match: str, entrants: Sequence[Entrant]
    ) -> LoadedMatch:
        """Create a match outside groups with this id."""
        (created,) = self._referee.create_all([_new(ladder, round_, match, entrants)])
        return created

    def group_of(self, ladder: Ladder, round_: Round, group: str) -> tuple[int, bool]:
        """Return the number of a group in the round's plan, and whether it was played again since."""
        for number in range(len(self.plan(ladder, round_).groups)):
            ids = self.group_ids(ladder, round_, number)
            if group in ids:
                return number, group != ids[-1]
        raise NotRerunnable("the match belongs to no table of the round")

    def table_of(self, ladder: Ladder, round_: Round, match: str) -> int:
        """Return the table at which a match of the round, or its rerun, is played."""
        before = {again: first for first, again in self._store.reruns(ladder.id, round_.number).items()}
        while match in before:
            match = before[match]
        for table in range(round_.planned):
            if _match_id(ladder, round_, table) == match:
                return table
        raise NotRerunnable("the match belongs to no table of the round")

    def _planned(self, ladder: Ladder, round_: Round, plan: RoundPlan, table: int) -> PlannedMatch:
        return PlannedMatch(_match_id(ladder, round_, table), plan.tables[table].entrants)

    def _running(self, ladder: Ladder, round_: Round, numbers: Sequence[int]) -> dict[int, Group]:
        """Return by number those of the groups that run."""
        ids = [_group_id(ladder, round_, number) for number in numbers]
        if not ids:
            return {}
        found = zip(numbers, self._groups.store.groups(ids), self._groups.store.statuses(ids), strict=True)
        return {
            number: group
            for number, group, status in found
            if group is not None and status is GroupStatus.RUNNING
        }

    @staticmethod
    def _group(ladder: Ladder, round_: Round, plan: RoundPlan, number: int, now: int) -> Group:
        planned = plan.groups[number]
        return Group(
            id=_group_id(ladder, round_, number),
            kind=GroupKind(ladder.decks),
            bots=tuple(seat_of(entrant) for entrant in planned.bots),
            tables=planned.seatings,
            dealer=None,
            secret=secrets.token_bytes(32),
            created=now,
            **_agreed(ladder, round_, planned.bots),
        )


def _agreed(ladder: Ladder, round_: Round, entrants: Sequence[Entrant]) -> dict[str, Any]:
    """Return what matches outside groups, and groups, have from their round."""
    names = ("game", "options", "clock", "assist", "rated", "start_ms")
    of_ladder = {name: getattr(ladder, name) for name in names}
    of_round = {name: getattr(round_, name) for name in ("season", "since")}
    entropy = tuple(entrant.entropy for entrant in entrants)
    more = {"ladder": ladder.id, "round": round_.number, "requested_by": ladder.owner, "entropy": entropy}
    return {**of_ladder, **of_round, **more}


def _new(ladder: Ladder, round_: Round, match: str, entrants: Sequence[Entrant]) -> NewMatch:
    """Return a match outside groups. Seat 0 deals first, since seats are balanced over rounds."""
    seats = [seat_of(entrant) for entrant in entrants]
    return NewMatch(seats=seats, dealer=0, deals=ladder.deals, id=match, **_agreed(ladder, round_, entrants))


def _match_id(ladder: Ladder, round_: Round, table: int) -> str:
    return derived_match_id("ladder", ladder.secret, ladder.id, round_.number, table)


def _group_id(ladder: Ladder, round_: Round, number: int, times: int | None = None) -> str:
    """Return the id of a group of the round after this number of reruns, by default after its last one."""
    times = round_.group_reruns.get(number, 0) if times is None else times
    parts = (ladder.id, round_.number, number, *([times] if times else []))
    return "g" + derived_match_id("ladder group", ladder.secret, *parts)[2:]
