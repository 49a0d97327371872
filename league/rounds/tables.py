"""The tables of a round, and the matches and groups that belong to them.

Tables follow from the round's entrants, and the ids of matches and groups from ladder, round and table: what is made
twice is made once.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from league.accounts.model import Bot
from league.errors import NotRerunnable
from league.ladders.model import Ladder, Round
from league.ladders.store import LadderStore
from league.pairing.plan import Entrant, RoundPlan, plan
from league.rounds.entrants import accepted, seat_of
from referee.groups.model import Group, GroupKind, GroupStatus
from referee.groups.service import Groups
from referee.ids import derived_match_id
from referee.match.loaded_match import LoadedMatch
from referee.match.new_match import NewMatch
from referee.referee import Referee

PLANS: Final = 8
"""How many plans a process remembers."""
WORTH_KEEPING: Final = 64
"""Plans of fewer tables are made again."""


class PlannedMatch(NamedTuple):
    """A table's match as it is to be made."""

    ticket: str
    """What stands for it among the open ones."""
    entrants: tuple[Entrant, ...]
    group: Group | None = None
    slot: int = 0
    """Which of the group's tables it is."""


class PlannedMatches:
    """See the module."""

    def __init__(self, store: LadderStore, referee: Referee, groups: Groups) -> None:
        self._store, self._referee, self._groups = store, referee, groups
        self._plans: OrderedDict[tuple[str, int], RoundPlan] = OrderedDict()

    def plan(self, ladder: Ladder, of: Round) -> RoundPlan:
        """The tables of a round."""
        key = (ladder.id, of.number)
        found = self._plans.get(key)
        if found is None:
            found = plan(
                of.entrants,
                ladder.seats,
                of.repeats,
                of.number,
                f"{ladder.id} {of.number}",
                ladder.decks,
                None
                if of.meetings is None
                else [tuple(of.entrants[at] for at in each) for each in of.meetings],
            )
            if len(found.tables) >= WORTH_KEEPING:
                self._plans[key] = found
            if len(self._plans) > PLANS:
                self._plans.popitem(last=False)
        return found

    def places(
        self,
        ladder: Ladder,
        of: Round,
        plan: RoundPlan,
        tables: Sequence[int],
        able: Mapping[str, Bot],
        made: Sequence[bool],
    ) -> dict[int, PlannedMatch | None]:
        """The matches of these tables, as they are to be made; `None` for one that is not to be played: one whose bots
        can't be seated, all of a group with such a bot, and what is left of a group that was aborted or is void. A
        group that was begun is played on: whoever is gone forfeits."""
        numbers = {of_group for table in tables if (of_group := plan.tables[table].group) is not None}
        begun = {number for number in numbers if any(made[table] for table in plan.groups[number].tables)}
        groups = self._running(ladder, of, sorted(begun))
        fresh = [
            number
            for number in sorted(numbers - begun)
            if all(
                accepted(plan.tables[table].entrants, able, ladder) for table in plan.groups[number].tables
            )
        ]
        if fresh:
            now = self._store.now()
            new = [self._group(ladder, of, plan, number, now) for number in fresh]
            groups |= dict(zip(fresh, self._groups.add(new), strict=True))
        found: dict[int, PlannedMatch | None] = {}
        for table in tables:
            entrants, number, slot = plan.tables[table]
            group = None if number is None else groups.get(number)
            if group is not None:
                found[table] = PlannedMatch(group.match_id(slot, 0), entrants, group, slot)
            elif number is None and accepted(entrants, able, ladder):
                found[table] = self._place(ladder, of, plan, table)
            else:
                found[table] = None
        return found

    def announced(
        self, ladder: Ladder, of: Round, plan: RoundPlan, tables: Sequence[int]
    ) -> list[PlannedMatch]:
        """The same of tables whose matches are among the open ones: their groups are there."""
        numbers = {table: plan.tables[table].group for table in tables}
        ids = {number: _group_id(ladder, of, number) for number in numbers.values() if number is not None}
        groups = self._groups.known(list(ids.values()))
        found = []
        for table, number in numbers.items():
            if number is None:
                found.append(self._place(ladder, of, plan, table))
            else:
                group, slot = groups[ids[number]], plan.tables[table].slot
                found.append(PlannedMatch(group.match_id(slot, 0), plan.tables[table].entrants, group, slot))
        return found

    def new(self, ladder: Ladder, of: Round, places: Sequence[PlannedMatch]) -> list[NewMatch]:
        """What the matches of these tables are made of, in the order of the tables."""
        grouped = [(place.group, place.slot) for place in places if place.group is not None]
        in_groups = iter(self._groups.new(grouped) if grouped else ())
        return [
            _new(ladder, of, place.ticket, place.entrants) if place.group is None else next(in_groups)
            for place in places
        ]

    def tickets(self, lives: Sequence[LoadedMatch]) -> list[str]:
        """What stands for these matches among the open ones of their rounds: in a group its first attempt."""
        groups = self._groups.known(
            list({live.config.group.id: None for live in lives if live.config.group is not None})
        )
        return [
            live.id if (of := live.config.group) is None else groups[of.id].match_id(of.slot, 0)
            for live in lives
        ]

    def void_groups(self, ladder: Ladder, of: Round, numbers: Sequence[int]) -> None:
        """Make these groups of the round void, as far as they exist and are running."""
        if numbers:
            self._groups.void([_group_id(ladder, of, number) for number in numbers])

    def create_as(self, ladder: Ladder, of: Round, match: str, entrants: Sequence[Entrant]) -> LoadedMatch:
        """Create the match of these, of no group, under this id."""
        (live,) = self._referee.create_all([_new(ladder, of, match, entrants)])
        return live

    def table_of(self, ladder: Ladder, of: Round, match: str) -> int:
        """The table at which a match of the round was played."""
        before = {again: first for first, again in self._store.reruns(ladder.id, of.number).items()}
        while match in before:
            match = before[match]
        for table in range(of.planned):
            if derived_match_id("ladder", ladder.secret, ladder.id, of.number, table) == match:
                return table
        raise NotRerunnable("the round has no table of this match")

    def _place(self, ladder: Ladder, of: Round, plan: RoundPlan, table: int) -> PlannedMatch:
        ident = derived_match_id("ladder", ladder.secret, ladder.id, of.number, table)
        return PlannedMatch(ident, plan.tables[table].entrants)

    def _running(self, ladder: Ladder, of: Round, numbers: Sequence[int]) -> dict[int, Group]:
        """Those of these groups that are not over, by number."""
        ids = [_group_id(ladder, of, number) for number in numbers]
        if not ids:
            return {}
        found = zip(numbers, self._groups.store.groups(ids), self._groups.store.statuses(ids), strict=True)
        return {
            number: group
            for number, group, status in found
            if group is not None and status is GroupStatus.RUNNING
        }

    @staticmethod
    def _group(ladder: Ladder, of: Round, plan: RoundPlan, number: int, now: int) -> Group:
        planned = plan.groups[number]
        return Group(
            id=_group_id(ladder, of, number),
            kind=GroupKind(ladder.decks),
            game=ladder.game,
            options=ladder.options,
            bots=tuple(seat_of(entrant) for entrant in planned.bots),
            tables=planned.seatings,
            entropy=tuple(entrant.entropy for entrant in planned.bots),
            clock=ladder.clock,
            dealer=None,
            secret=secrets.token_bytes(32),
            created=now,
            rated=ladder.rated,
            ladder=ladder.id,
            round=of.number,
            season=of.season,
        )


def _new(ladder: Ladder, of: Round, match: str, entrants: Sequence[Entrant]) -> NewMatch:
    return NewMatch(
        game=ladder.game,
        seats=[seat_of(entrant) for entrant in entrants],
        options=ladder.options,
        deals=ladder.deals,
        clock=ladder.clock,
        entropy=[entrant.entropy for entrant in entrants],
        rated=ladder.rated,
        ladder=ladder.id,
        round=of.number,
        season=of.season,
        id=match,
    )


def _group_id(ladder: Ladder, of: Round, number: int) -> str:
    return "g" + derived_match_id("ladder group", ladder.secret, ladder.id, of.number, number)[2:]
