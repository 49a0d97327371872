"""The checks of ladders: rounds under way, and the totals of each season."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from struct import Struct
from typing import Any, Final

from league.consistency.matches import MatchChecks, match_key_of
from league.consistency.model import ConsistencyServices, Contradiction, Kind
from league.consistency.redis import AT_ONCE, RedisEvidence
from league.ladders.model import Ladder, LadderResult, Round
from league.rounds.counting import result_of
from league.rounds.working import LEASE_MS
from records.ids import random_text
from records.match.loaded_match import LoadedMatch
from records.results.group_result import is_spoilt
from referee.duplicate_groups import GroupState
from referee.groups.model import GroupStatus
from referee.storage.index import MatchFilter

_LINE: Final = Struct(">9q")
_SHARE: Final = Struct(">3q")
"""As in league/ladders/lua/totals.lua."""

Lines = dict[str, dict[str, bytes]]
"""By the name of a key, then of a line."""


class SeasonTotals:
    """The totals of a season as they follow from its records, in the form in which Redis has them."""

    def __init__(self, season: int) -> None:
        self._prefix = "" if season == 1 else f"season:{season}:"
        self._lines: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(
            lambda: defaultdict(lambda: [0] * 9)
        )
        self.shares: Lines = {}
        """By group."""
        self.void: defaultdict[int, list[str]] = defaultdict(list)
        """By round, the match keys of matches that don't count."""

    def add(self, results: Sequence[LadderResult]) -> None:
        """Add the matches of one group, or one match outside groups."""
        together: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 3)
        for result in results:
            rows = {"sums": result.sums} | {f"sums:{bot}": row for bot, row in result.cross.items()}
            for name, row in rows.items():
                for line, delta in row.items():
                    sums, share = self._lines[name][line], together[name, line]
                    for place, value in enumerate((delta.matches, delta.wins, delta.second)):
                        sums[place] += value
                    for place, value in enumerate((delta.matches, delta.deals, delta.points)):
                        share[place] += value
        for (name, line), (_, deals, points) in together.items():
            sums = self._lines[name][line]
            for place, value in enumerate((1, deals, points, deals**2, deals * points, points**2), 3):
                sums[place] += value
        group = results[0].group if results else None
        if group is not None:
            self.shares[group] = {
                f"{self._prefix}{name} {line}": _SHARE.pack(*share)
                for (name, line), share in together.items()
            }

    def lines(self) -> Lines:
        return {
            name: {line: _LINE.pack(*sums) for line, sums in rows.items()}
            for name, rows in self._lines.items()
        }


class LadderChecks:
    def __init__(self, services: ConsistencyServices, evidence: RedisEvidence, matches: MatchChecks) -> None:
        self._services, self._evidence, self._matches = services, evidence, matches
        self._store, self._tables = services.ladders.store, services.tables

    def rounds(self) -> Iterator[Contradiction]:
        """Yield what contradicts the rounds under way."""
        for ladder in self._ladders():
            for number in self._store.rounds_under_way(ladder.id):
                (round_,) = self._store.rounds(ladder.id, [number])
                if round_ is not None:
                    yield from self._round(ladder, round_)

    def standings(self) -> Iterator[Contradiction]:
        """Yield the seasons whose totals are unlike the records."""
        for ladder in self._ladders():
            for season, expected in self._expected(ladder).items():
                stored = self._evidence.totals(ladder.id, season)
                if stored != expected.lines():
                    put = partial(self._put, ladder.id, season, expected)
                    ids = {"ladder": ladder.id, "season": season}
                    yield Contradiction(Kind.STANDINGS, ids, "the totals are unlike the records", put)

    def _ladders(self) -> Iterator[Ladder]:
        before: str | None = None
        while page := self._store.listed(before, AT_ONCE):
            before = page[-1][0]
            for _, ident in page:
                if (ladder := self._store.ladder(ident)) is not None:
                    yield ladder

    def _round(self, ladder: Ladder, round_: Round) -> Iterator[Contradiction]:
        waits = self._evidence.waits(ladder.id, round_.number)
        made = self._store.made(ladder.id, round_.number, round_.planned)
        plan = self._tables.plan(ladder, round_)
        unmade = [table for table, handled in enumerate(made) if not handled]
        grouped = [table for table in waits.values() if plan.tables[table].group is not None]
        states = self._groups_of(ladder, round_, [*grouped, *unmade])
        for places in (list(waits.items()), [(None, table) for table in unmade]):
            for start in range(0, len(places), AT_ONCE):
                yield from self._places(ladder, round_, places[start : start + AT_ONCE], states)

    def _groups_of(self, ladder: Ladder, round_: Round, tables: Sequence[int]) -> dict[str, GroupState]:
        plan = self._tables.plan(ladder, round_)
        ids = list(
            {
                self._tables.key_of(ladder, round_, each)
                for each in tables
                if plan.tables[each].group is not None
            }
        )
        store = self._services.groups.store
        found = zip(store.groups(ids), store.progress(ids), strict=True) if ids else ()
        return {group.id: GroupState(group, progress) for group, progress in found if group is not None}

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
        self._store.give_lease(ladder.id, round_.number, worker, clean=False)
        self._services.feed([each for each in self._services.referee.look_at([match]) if each is not None])

    # Standings

    def _expected(self, ladder: Ladder) -> dict[int, SeasonTotals]:
        """Return the totals of each season as they follow from the records."""
        seasons = {season: SeasonTotals(season) for season in range(1, ladder.season + 1)}
        seen = set[str]()
        waits: dict[int, Mapping[str, int]] = {}
        for loaded in self._ended(ladder.id):
            number, group = loaded.config.round or 0, loaded.config.group
            totals = seasons.get(loaded.config.season or 1)
            if totals is None or loaded.config.group_id in seen:
                continue
            if group is not None:
                seen.add(group.id)
            state = None if group is None else self._matches.groups([loaded]).get(group.id)
            if group is not None and (state is None or state.progress.status is GroupStatus.RUNNING):
                continue
            if number not in waits:
                waits[number] = self._evidence.waits(ladder.id, number)
            together = self._matches.together(loaded, state)
            keys = {each.id: match_key_of(each, state) for each in together}
            counted = [each for each in together if keys[each.id] not in waits[number]]
            spoilt = is_spoilt(together)
            results = [result_of(each, keys[each.id]) for each in counted]
            gone = [spoilt or each.void for each in counted]
            totals.add([result for result, void in zip(results, gone, strict=True) if not void])
            totals.void[number] += [
                result.match for result, void in zip(results, gone, strict=True) if void and result.played
            ]
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

    def _put(self, ladder: str, season: int, expected: SeasonTotals) -> None:
        self._evidence.set_totals(ladder, season, expected.lines(), expected.shares, expected.void)
