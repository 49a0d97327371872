"""The tables of a round, and the matches and groups that belong to them.

Tables follow from the round's entrants, and the ids of matches and groups from ladder, round and table: what is made
twice is made once.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

from league.accounts import Bot
from league.errors import NotRerunnable
from league.ladders import Ladder, LadderStore, Round
from league.pairing import Entrant, Plan, plan
from league.rounds.entrants import accepted, seat_of
from referee.group import Group, GroupKind, GroupStatus
from referee.groups import Groups
from referee.ids import derived_match_id
from referee.referee import Live, Referee

PLANS: Final = 8
"""How many plans a process remembers."""
WORTH_KEEPING: Final = 64
"""Plans of fewer tables are made again."""


class Tables:
    """See the module."""

    def __init__(self, store: LadderStore, referee: Referee, groups: Groups) -> None:
        self._store, self._referee, self._groups = store, referee, groups
        self._plans: OrderedDict[tuple[str, int], Plan] = OrderedDict()

    def plan(self, ladder: Ladder, of: Round) -> Plan:
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

    def ticket(
        self, ladder: Ladder, of: Round, plan: Plan, table: int, able: Mapping[str, Bot], made: Sequence[bool]
    ) -> str | None:
        """What stands for a table's match among the open ones, or `None` if it is not to be played: one whose bots
        can't be seated, all of a group with such a bot, and what is left of a group that was aborted or is void. A
        group that was begun is played on: whoever is gone forfeits."""
        entrants, group, slot = plan.tables[table]
        if group is None:
            if not accepted(entrants, able, ladder):
                return None
            return derived_match_id("ladder", ladder.secret, ladder.id, of.number, table)
        begun = any(made[other] for other in plan.groups[group].tables)
        if begun:
            (known,) = self._groups.store.groups([_group_id(ladder, of, group)])
            if known is None or self._groups.store.statuses([known.id]) != [GroupStatus.RUNNING]:
                return None
        elif not all(
            accepted(plan.tables[other].entrants, able, ladder) for other in plan.groups[group].tables
        ):
            return None
        return self._group(ladder, of, plan, group).match_id(slot, 0)

    def tickets(self, lives: Sequence[Live]) -> list[str]:
        """What stands for these matches among the open ones of their rounds: in a group its first attempt."""
        groups = self._groups.known(
            list({live.setup.group.id: None for live in lives if live.setup.group is not None})
        )
        return [
            live.id if (of := live.setup.group) is None else groups[of.id].match_id(of.slot, 0)
            for live in lives
        ]

    def create(self, ladder: Ladder, of: Round, plan: Plan, table: int, ticket: str) -> str:
        """Create the match of a table for which this ticket stands. Returns its id."""
        entrants, group, slot = plan.tables[table]
        if group is not None:
            return self._groups.seat(self._group(ladder, of, plan, group), slot)
        return self.create_as(ladder, of, ticket, entrants).id

    def create_as(self, ladder: Ladder, of: Round, match: str, entrants: Sequence[Entrant]) -> Live:
        """Create the match of these, of no group, under this id."""
        return self._referee.create(
            ladder.game,
            [seat_of(entrant) for entrant in entrants],
            ladder.options,
            deals=ladder.deals,
            clock=ladder.clock,
            entropy=[entrant.entropy for entrant in entrants],
            rated=ladder.rated,
            ladder=ladder.id,
            round=of.number,
            season=of.season,
            match_id=match,
        )

    def table_of(self, ladder: Ladder, of: Round, match: str) -> int:
        """The table at which a match of the round was played."""
        before = {again: first for first, again in self._store.reruns(ladder.id, of.number).items()}
        while match in before:
            match = before[match]
        for table in range(of.planned):
            if derived_match_id("ladder", ladder.secret, ladder.id, of.number, table) == match:
                return table
        raise NotRerunnable("the round has no table of this match")

    def _group(self, ladder: Ladder, of: Round, plan: Plan, number: int) -> Group:
        planned = plan.groups[number]
        return self._groups.add(
            Group(
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
                created=self._store.now(),
                rated=ladder.rated,
                ladder=ladder.id,
                round=of.number,
                season=of.season,
            )
        )


def _group_id(ladder: Ladder, of: Round, number: int) -> str:
    return "g" + derived_match_id("ladder group", ladder.secret, ladder.id, of.number, number)[2:]
