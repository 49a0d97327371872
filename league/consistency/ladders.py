"""The checks of ladders: rounds under way, and the totals of each season."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from league.consistency.matches import MatchChecks, match_key_of
from league.consistency.model import ConsistencyServices, Contradiction, Kind
from league.consistency.redis import AT_ONCE, RedisEvidence
from league.ladders.model import Ladder, Round, Totals
from league.rounds.counting import PlayedUnit, units_of
from league.rounds.working import LEASE_MS
from records.ids import random_text
from records.match.loaded_match import LoadedMatch
from referee.duplicate_groups import GroupState
from referee.groups.model import GroupStatus
from referee.storage.index import MatchFilter

_NOTHING: Final = Totals()
Lines = dict[str, dict[str, Totals]]
"""The totals of a season, as in `LadderResult.lines`."""


class SeasonTotals:
    """The totals of a season as they follow from its records."""

    def __init__(self) -> None:
        self.lines: Lines = {}
        self.void: defaultdict[int, list[str]] = defaultdict(list)
        """By round, the match keys of matches that were counted and taken back."""

    def add(self, unit: PlayedUnit) -> None:
        if unit.void:
            self.void[unit.result.round] += unit.result.matches if unit.result.counts else ()
            return
        for row, lines in unit.result.lines.items():
            known = self.lines.setdefault(row, {})
            for line, totals in lines.items():
                known[line] = known.get(line, _NOTHING).plus(totals)


class LadderChecks:
    def __init__(self, services: ConsistencyServices, evidence: RedisEvidence, matches: MatchChecks) -> None:
        self._services, self._evidence, self._matches = services, evidence, matches
        self._store, self._tables = services.ladders.store, services.tables

    def rounds(self) -> Iterator[Contradiction]:
        """Yield what contradicts the rounds under way."""
        for ladder in self._store.each():
            for number in self._store.rounds_under_way(ladder.id):
                (round_,) = self._store.rounds(ladder.id, [number])
                if round_ is not None:
                    yield from self._round(ladder, round_)

    def standings(self) -> Iterator[Contradiction]:
        """Yield the seasons whose totals are unlike the records."""
        for ladder in self._store.each():
            for season, expected in self._expected(ladder).items():
                if self._stored(ladder.id, season) != expected.lines:
                    put = partial(self._put, ladder.id, season, expected)
                    ids = {"ladder": ladder.id, "season": season}
                    yield Contradiction(Kind.STANDINGS, ids, "the totals are unlike the records", put)

    def _round(self, ladder: Ladder, round_: Round) -> Iterator[Contradiction]:
        waits = self._evidence.waits(ladder.id, round_.number)
        made = self._store.made(ladder.id, round_.number, round_.planned)
        plan = self._tables.plan(ladder, round_)
        unmade = [table for table, handled in enumerate(made) if not handled]
        states = self._services.groups.states(
            self._tables.key_of(ladder, round_, each)
            for each in (*waits.values(), *unmade)
            if plan.tables[each].group is not None
        )
        for places in (list(waits.items()), [(None, table) for table in unmade]):
            for start in range(0, len(places), AT_ONCE):
                yield from self._places(ladder, round_, places[start : start + AT_ONCE], states)

    def _places(
        self,
        ladder: Ladder,
        round_: Round,
        places: Sequence[tuple[str | None, int]],
        states: Mapping[str, GroupState],
    ) -> Iterator[Contradiction]:
        """Yield the tables of a round whose matches are missing, or exist although the round has not made them.
        `places` are match keys, `None` for a table that is not made, and tables."""
        plan = self._tables.plan(ladder, round_)
        wanted: list[tuple[str | None, int, str | None]] = []
        for key, table in places:
            match: str | None = key or self._tables.key_of(ladder, round_, table)
            if plan.tables[table].group is not None:
                state = states.get(self._tables.key_of(ladder, round_, table))
                match = None if state is None else state.matches()[plan.tables[table].slot]
            wanted.append((key, table, match))
        matches = [match for _, _, match in wanted if match is not None]
        unreadable = self._services.store.unreadable
        found = {
            match: snapshot is not None or match in unreadable
            for match, snapshot in zip(matches, self._services.store.read(matches), strict=True)
        }
        for key, table, match in wanted:
            ids: dict[str, Any] = {"ladder": ladder.id, "round": round_.number, "table": table}
            exists = match is not None and found[match]
            if key is not None and not exists:
                again = partial(self._create, ladder, round_, key, table)
                says = "the round waits for a match that is missing"
                yield Contradiction(Kind.ROUND, {**ids, "match": match or key}, says, again)
            if key is None and exists and match is not None:
                make = partial(self._make, ladder, round_, match, table)
                says = "its match exists, and the round has not made the table"
                yield Contradiction(Kind.ROUND, {**ids, "match": match}, says, make)

    def _create(self, ladder: Ladder, round_: Round, key: str, table: int) -> None:
        """Create the match of a table again."""
        plan = self._tables.plan(ladder, round_)
        if plan.tables[table].group is None:
            self._tables.create_as(ladder, round_, key, plan.tables[table].entrants)
            return
        self._tables.restore_group(ladder, round_, table)
        self._evidence.open_again(ladder.id, round_.number, key, table)
        planned = self._tables.announced(ladder, round_, plan, [table])
        self._services.referee.create_all(self._tables.new(ladder, round_, planned))

    def _make(self, ladder: Ladder, round_: Round, match: str, table: int) -> None:
        """Let a round know the match of a table."""
        worker = random_text(16)
        if not self._store.take_lease(ladder.id, round_.number, worker, LEASE_MS).held:
            return
        (planned,) = self._tables.announced(ladder, round_, self._tables.plan(ladder, round_), [table])
        self._store.make(round_, worker, LEASE_MS, {table: planned.key})
        self._store.leave_round(ladder.id, round_.number, worker, clean=False)
        self._services.feed([each for each in self._services.referee.look_at([match]) if each is not None])

    # Standings

    def _expected(self, ladder: Ladder) -> dict[int, SeasonTotals]:
        """Return the totals of each season as they follow from the records."""
        seasons = {season: SeasonTotals() for season in range(1, ladder.season + 1)}
        seen = set[str]()
        waits: dict[int, Mapping[str, int]] = {}
        for loaded in self._ended(ladder.id):
            number, group = loaded.config.round or 0, loaded.config.group
            totals = seasons.get(loaded.config.season or 1)
            if totals is None or loaded.config.group_id in seen:
                continue
            if group is not None:
                seen.add(group.id)
            state = None if group is None else self._services.groups.states([group.id]).get(group.id)
            if group is not None and (state is None or state.progress.status is GroupStatus.RUNNING):
                continue
            if number not in waits:
                waits[number] = self._evidence.waits(ladder.id, number)
            together = [(each, match_key_of(each, state)) for each in self._matches.together(loaded, state)]
            for unit in units_of(together):
                if waits[number].keys().isdisjoint(unit.result.matches):
                    totals.add(unit)
        return seasons

    def _ended(self, ladder: str) -> Iterator[LoadedMatch]:
        """Yield all ended matches of a ladder, archived ones too."""
        cursor: str | None = None
        while True:
            page = self._services.index.ended(MatchFilter(ladder=ladder), cursor, AT_ONCE)
            for snapshot in self._services.store.read(page.ids):
                if snapshot is not None:
                    yield snapshot
            if page.cursor is None:
                return
            cursor = page.cursor

    def _stored(self, ladder: str, season: int) -> Lines:
        sums = self._store.standings(ladder, season)
        cross = self._store.cross(ladder, season, list(sums))
        rows = {"sums": sums} | {f"sums:{bot}": row for bot, row in cross.items()}
        found = {
            row: {line: totals for line, totals in lines.items() if totals != _NOTHING}
            for row, lines in rows.items()
        }
        return {row: lines for row, lines in found.items() if lines}

    def _put(self, ladder: str, season: int, expected: SeasonTotals) -> None:
        gone = self._stored(ladder, season)
        self._evidence.set_totals(ladder, season, expected.lines, gone, expected.void)
