"""Knock-out: who loses is out, until one is left.

**The bracket.** In each stage those still in are seeded anew: the best seeds have byes, the others are dealt to the
tables in a snake (of two seats: the best against the last). The first stages bring the number down to a power of the
seats; with two seats there are ⌈log₂ n⌉ stages for any number n of entrants, with more at most one more than ⌈log n⌉
to the base of the seats (eight entrants at three seats make no three full tables). From a table the best goes on;
where that would be too few, the best of one table.

**Ties** for the last place that goes on are played again, by another group of the same table, whose points are added.
After `groups` groups the better seed goes on.

**Who is gone** (withdrawn, disabled, suspended) has lost the table that it would play at next, and stays gone if a
round was opened without it; so has who would not play with somebody there. Such a table is decided by its points so
far, then by seeding. What was decided by play stays decided, whatever becomes of those who played. Two bots of an
owner could meet in the end, so an owner's best seed alone takes part.
The bracket is reckoned from the outcomes of its groups each time, so it can be shown as it stands, and nothing else
need be kept.

Not for teams: a side wins together, and partners would have to go on together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from league.errors import NothingToPlay
from league.pairing.formats.field import Field, Format, Meeting, Pairing, PastMeetings, SeedOrder
from league.pairing.formats.seating import seated
from league.pairing.plan import Entrant
from league.results.group_result import GroupResult


class BracketNode(NamedTuple):
    """A table of a stage."""

    table: Meeting
    advance: int
    """How many go on."""
    groups: int
    """Groups that it has played."""
    points: Mapping[str, int]
    """By bot id, in all of them."""
    through: tuple[Entrant, ...] | None
    """Who goes on; `None` while it is undecided."""


class BracketStage(NamedTuple):
    """A stage of the bracket."""

    nodes: tuple[BracketNode, ...]
    byes: tuple[Entrant, ...]


class Bracket(NamedTuple):
    """The stages so far, the last of them perhaps undecided."""

    stages: tuple[BracketStage, ...]
    winner: Entrant | None
    excluded: int
    """Entrants whose owner has a better seed among them."""


@dataclass(frozen=True)
class KnockOut(Format):
    """Knock-out. The entrants of a field are all bots of the bracket, in seed order, whether still there or not."""

    name: ClassVar[str] = "knock_out"
    parameters: ClassVar[tuple[str, ...]] = ("groups",)
    seed_order: ClassVar[SeedOrder] = SeedOrder.RATING
    has_bracket: ClassVar[bool] = True
    allows_teams: ClassVar[bool] = False

    groups: int = 2

    def pair(self, field: Field) -> Pairing:
        found = self.bracket(field)
        if found.winner is not None:
            return Pairing(
                (), excluded=found.excluded, over=f"{found.winner.name} has won", winner=found.winner
            )
        open_tables = [node.table for node in found.stages[-1].nodes if node.through is None]
        tables = seated(open_tables, field.sides, PastMeetings(field.outcomes), field.seed)
        return Pairing(tables, found.stages[-1].byes, found.excluded)

    def bracket(self, field: Field) -> Bracket:
        """The bracket as it stands."""
        seats = field.seats
        if len(set(field.sides)) != seats:
            raise NothingToPlay("a knock-out is for single players, and this game's table has teams")
        best: dict[str, Entrant] = {}
        for entrant in field.entrants:
            best.setdefault(entrant.party, entrant)
        still = list(best.values())
        excluded = len(field.entrants) - len(still)
        if len(still) < seats:
            raise NothingToPlay(
                f"a table has {seats} seats; only {len(still)} entries can play, of each owner its best seed"
            )
        seeds = {entrant.id: number for number, entrant in enumerate(still)}
        of_table: dict[frozenset[str], list[GroupResult]] = {}
        for outcome in field.outcomes:
            of_table.setdefault(frozenset(player.id for player in outcome.players), []).append(outcome)
        stages: list[BracketStage] = []
        while len(still) > 1:
            tables, byes = drawn(still, seats)
            nodes = tuple(self._node(table, advance, of_table, field, seeds) for table, advance in tables)
            stages.append(BracketStage(nodes, byes))
            if any(node.through is None for node in nodes):
                return Bracket(tuple(stages), None, excluded)
            through = [entrant for node in nodes for entrant in node.through or ()]
            still = sorted([*byes, *through], key=lambda each: seeds[each.id])
        return Bracket(tuple(stages), still[0], excluded)

    def _node(
        self,
        table: Meeting,
        advance: int,
        of_table: Mapping[frozenset[str], Sequence[GroupResult]],
        field: Field,
        seeds: Mapping[str, int],
    ) -> BracketNode:
        ids = frozenset(entrant.id for entrant in table)
        points = dict.fromkeys(ids, 0)
        forfeited: set[str] = set()
        outcomes = of_table.get(ids, ())[: self.groups]
        for outcome in outcomes:
            for side in outcome.sides:
                points[side.bots[0].id] += side.points
                if side.forfeited:
                    forfeited.add(side.bots[0].id)

        def key(entrant: Entrant) -> tuple[bool, int]:
            return entrant.id in forfeited, -points[entrant.id]

        def order() -> list[Entrant]:
            return sorted(table, key=lambda each: (*key(each), seeds[each.id]))

        last, first_out = order()[advance - 1 : advance + 1]
        tied = key(last) == key(first_out)
        decided = bool(outcomes) and not (tied and len(outcomes) < self.groups)
        lost = ids & field.gone | {each for each in ids if field.refused.get(each, frozenset()) & ids}
        if not decided:
            forfeited |= lost
        through = tuple(order()[:advance]) if decided or lost else None
        return BracketNode(table, advance, len(outcomes), points, through)


def drawn(still: Sequence[Entrant], seats: int) -> tuple[list[tuple[Meeting, int]], tuple[Entrant, ...]]:
    """The tables of a stage with how many go on from each, and the byes, of those still in, the best seed first."""
    count = len(still)
    if count < seats:
        raise AssertionError("a stage ends with a power of the seats, or with more than that")
    goal = 1
    while goal * seats < count:
        goal *= seats
    loses = seats - 1
    tables = -(-(count - goal) // loses)
    spare = tables * loses - (count - goal)
    """How many more would go out if one went on from each table."""
    if tables * seats > count:
        tables, spare = count // seats, 0
    byes, playing = still[: count - tables * seats], still[count - tables * seats :]
    found: list[list[Entrant]] = [[] for _ in range(tables)]
    for number, entrant in enumerate(playing):
        row, place = divmod(number, tables)
        found[place if row % 2 == 0 else tables - 1 - place].append(entrant)
    # The last table, of the lowest seed among the tables' best, sends on the spare ones.
    return [
        (tuple(table), 1 + (spare if number == tables - 1 else 0)) for number, table in enumerate(found)
    ], tuple(byes)
