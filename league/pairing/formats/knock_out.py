"""Knock-out: losers leave until one bot is left.

**The bracket.** Each stage seeds the remaining bots again. The best seeds get byes; the others are dealt to the
tables in a snake (with two seats the best against the last). The first stages reduce the number of bots to a power of
the seats. With two seats a bracket has ⌈log₂ n⌉ stages for n entrants. With more seats it has at most one more than
⌈log n⌉ to the base of the seats, since eight entrants at three seats do not make three full tables. The best bot of
each table advances. Where that would be too few, one table advances several.

**Ties** for the last advancing place are replayed: the same table plays another group, whose points are added. After
`groups` groups the better seed advances.

**No-shows**: a bot that does not show up loses its table at once, as if it had forfeited. If that leaves too few bots,
the better seeds among the absent advance.

**Absent bots** (withdrawn, disabled, suspended) lose the next table that they would play. A bot that was absent when
a round was opened stays out. A bot that refuses to play with another at its table loses too. Such a table is decided
by its points so far, then by seeding: a walkover. Since two bots of an owner could meet, only an owner's best seed
takes part.

**Decisions stand**, whatever happens to the bots later: those made by play at once, walkovers when the next round is
opened, the season ends or the ladder closes. Until then a bot that comes back gets its table.

The bracket is computed from the results of its groups and the stored walkovers each time, so nothing else is stored.

Team games are not supported: a side wins together, and partners would have to advance together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.bracket import Bracket, BracketNode, BracketStage
from league.pairing.formats.field import (
    Field,
    Format,
    Meeting,
    MeetingReason,
    Pairing,
    PastMeetings,
    SeedOrder,
    seated,
)
from league.pairing.formats.ranking import Criterion, Rank, SeasonResults, ranked
from league.pairing.plan import Entrant
from records.results.group_result import GroupResult


@dataclass(frozen=True)
class KnockOut(Format):
    """Knock-out. The entrants of a field are all bots of the bracket, in seed order, including those that have left."""

    name: ClassVar[str] = "knock_out"
    parameters: ClassVar[tuple[str, ...]] = ("groups",)
    seed_order: ClassVar[SeedOrder] = SeedOrder.RATING
    has_bracket: ClassVar[bool] = True
    ends: ClassVar[bool] = True
    counts_no_shows: ClassVar[bool] = True
    allows_teams: ClassVar[bool] = False
    criteria: ClassVar[tuple[Criterion, ...]] = (Criterion.STAGE,)

    groups: int = 2

    def pair(self, field: Field) -> Pairing:
        found = self.bracket(field)
        if found.winner is not None:
            return Pairing(
                (), excluded=found.excluded, over=f"{found.winner.name} has won", winner=found.winner
            )
        open_nodes = [node for node in found.stages[-1].nodes if node.through is None]
        met = PastMeetings(field.outcomes)
        tables = seated([node.table for node in open_nodes], field.sides, met, field.seed)
        seeds = {entrant.id: number for number, entrant in enumerate(_seeded(field), 1)}
        reasons = [
            MeetingReason(
                stage=len(found.stages), seeds={each.id: seeds[each.id] for each in table}, groups=node.groups
            )
            for table, node in zip(tables, open_nodes, strict=True)
        ]
        byes = found.stages[-1].byes
        return Pairing(tables, byes, found.excluded, walkovers=found.walkovers, reasons=reasons)

    def rank(self, season: SeasonResults) -> list[Rank]:
        """Return the entries by the stage that they reached. Bots that were never in the bracket come last."""
        bracket = season.bracket
        reached = {} if bracket is None else bracket.reached
        winner = None if bracket is None else bracket.winner
        values = {each.bot: (reached.get(each.bot),) for each in season.entries}
        if winner is not None and any(each.bot == winner.id and each.out for each in season.entries):
            return ranked(season.entries, values)
        return ranked(season.entries, values, winners=() if winner is None else {winner.id})

    def is_complete(self, season: SeasonResults) -> bool:
        """Return whether the bracket has a winner by play."""
        return season.bracket is not None and season.bracket.is_final

    def bracket(self, field: Field) -> Bracket:
        """Return the bracket after the groups played so far."""
        seats = field.seats
        if len(set(field.sides)) != seats:
            raise NothingToPlay("a knock-out is for single players, and this game's table has teams")
        remaining = _seeded(field)
        excluded = len(field.entrants) - len(remaining)
        if len(remaining) < seats:
            raise NothingToPlay(
                f"a table has {seats} seats; only {len(remaining)} entries can play, of each owner its best seed"
            )
        seeds = {entrant.id: number for number, entrant in enumerate(remaining)}
        results_of: dict[frozenset[str], list[GroupResult]] = {}
        for outcome in field.outcomes:
            results_of.setdefault(frozenset(player.id for player in outcome.players), []).append(outcome)
        stages: list[BracketStage] = []
        while len(remaining) > 1:
            tables, byes = drawn(remaining, seats)
            nodes = tuple(self._node(table, advance, results_of, field, seeds) for table, advance in tables)
            stages.append(BracketStage(nodes, byes))
            if any(node.through is None for node in nodes):
                return Bracket(tuple(stages), None, excluded)
            through = [entrant for node in nodes for entrant in node.through or ()]
            remaining = sorted([*byes, *through], key=lambda each: seeds[each.id])
        return Bracket(tuple(stages), remaining[0], excluded)

    def _node(
        self,
        table: Meeting,
        advance: int,
        results_of: Mapping[frozenset[str], Sequence[GroupResult]],
        field: Field,
        seeds: Mapping[str, int],
    ) -> BracketNode:
        ids = frozenset(entrant.id for entrant in table)
        points = dict.fromkeys(ids, 0)
        forfeited: set[str] = set()
        outcomes = results_of.get(ids, ())[: self.groups]
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
        absent = key(last)[0] and not all(outcome.played for outcome in outcomes)
        decided = bool(outcomes) and not (tied and not absent and len(outcomes) < self.groups)
        refusing = {each for each in ids if field.refused.get(each, frozenset()) & ids}
        lost = frozenset() if decided else field.walkovers.get(ids, ids & field.gone | refusing)
        forfeited |= lost
        through = tuple(order()[:advance]) if decided or lost else None
        return BracketNode(table, advance, len(outcomes), points, through, lost)


def _seeded(field: Field) -> list[Entrant]:
    """Return the best seed of each owner."""
    best: dict[str, Entrant] = {}
    for entrant in field.entrants:
        best.setdefault(entrant.party, entrant)
    return list(best.values())


def drawn(remaining: Sequence[Entrant], seats: int) -> tuple[list[tuple[Meeting, int]], tuple[Entrant, ...]]:
    """Return the tables of a stage with the number of bots that advance from each, and the byes. Takes the best seed
    first."""
    count = len(remaining)
    if count < seats:
        raise AssertionError("a stage ends with a power of the seats, or with more than that")
    goal = 1
    while goal * seats < count:
        goal *= seats
    loses = seats - 1
    tables = -(-(count - goal) // loses)
    spare = tables * loses - (count - goal)
    if tables * seats > count:
        tables, spare = count // seats, 0
    byes, playing = remaining[: count - tables * seats], remaining[count - tables * seats :]
    found: list[list[Entrant]] = [[] for _ in range(tables)]
    for number, entrant in enumerate(playing):
        row, place = divmod(number, tables)
        found[place if row % 2 == 0 else tables - 1 - place].append(entrant)
    # The table whose best seed is lowest advances the spare bots.
    return [
        (tuple(table), 1 + (spare if number == tables - 1 else 0)) for number, table in enumerate(found)
    ], tuple(byes)
