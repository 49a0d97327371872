"""Counting of ended matches. One script adds a unit, a group or a match, to its ladder's totals and removes its matches
from its round's open matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from league.errors import NotRerunnable
from league.ladders.model import (
    ROUNDS,
    Ladder,
    LadderResult,
    LadderState,
    ResultCounted,
    Round,
    Totals,
)
from league.pairing.plan import Entrant
from league.rounds.context import RoundContext, RoundPart
from league.rounds.entrants import RoundEntrants, accepted
from league.rounds.planned_matches import PlannedMatches
from league.rounds.timing import ContinuousRounds
from records.ids import derived_match_id
from records.match.loaded_match import LoadedMatch
from records.match.log import deals_in
from records.match.session import Ending, is_won, places
from records.results.group_result import (
    GroupResult,
    group_result_of,
    is_complete,
    is_spoilt,
    no_show_of,
    played_among,
)
from records.results.group_statistics import GroupStatistics
from referee.groups.model import GroupStatus

OUTCOMES_KEPT: Final = 1000
"""How many of an arena's last groups its pairing considers, since an arena never ends."""


class ResultCounter(RoundPart):
    """Counts ended matches of rounds."""

    def __init__(self, context: RoundContext, tables: PlannedMatches, continuing: ContinuousRounds) -> None:
        super().__init__(context)
        self._tables, self._continuing = tables, continuing

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count readable matches, those of a group together. Matches outside ladders and counted ones have no effect.
        Void matches are taken back, and with them a group that is incomplete without them."""
        self._note(groups)
        of_ladders = [
            [match for match in matches if match.finished and match.config.ladder is not None]
            for matches in groups
        ]
        keys = iter(self._tables.match_keys([match for matches in of_ladders for match in matches]))
        units = [
            unit for matches in of_ladders for unit in units_of([(match, next(keys)) for match in matches])
        ]
        if not units:
            return
        counted = self._store.count([unit.result for unit in units])
        void = [unit.result for unit in units if unit.void and unit.result.counts]
        if void:
            self._store.take_back(void)
        self._go_on([unit.match for unit in units], counted)

    def on_ended(self, matches: Sequence[LoadedMatch]) -> None:
        """Make room for further matches when matches end before their groups."""
        of_ladders = [match for match in matches if match.config.ladder is not None]
        held = [
            (match.config.ladder or "", match.config.round or 0, match_key)
            for match, match_key in zip(of_ladders, self._tables.match_keys(of_ladders), strict=True)
        ]
        self._go_on(of_ladders, self._store.hold(held))

    def _go_on(self, matches: Sequence[LoadedMatch], counted: Sequence[ResultCounted]) -> None:
        """Continue the rounds of these ended matches."""
        wanted: dict[tuple[str, int], int] = {}
        for match, result in zip(matches, counted, strict=True):
            ladder_id, number = match.config.ladder, match.config.round
            assert ladder_id is not None
            assert number is not None
            if result.done:
                self.done(ladder_id, number)
            elif result.new and result.wants_more and not (result.leased and _among_house_bots(match)):
                # A worker on the round makes the next house match anyway, but may have missed room of a remote bot.
                wanted[ladder_id, number] = result.epoch
        for (ladder_id, number), epoch in wanted.items():
            self._context.wake_round(ladder_id, number, epoch)

    def done(self, ladder_id: str, number: int) -> None:
        """Handle the end of a round: close a closing ladder, publish the result of a complete format, or start the next
        continuous round."""
        ladder = self._store.ladder(ladder_id)
        (round_,) = self._store.rounds(ladder_id, [number])
        if ladder is None or round_ is None:
            return
        if ladder.state is LadderState.CLOSING or ladder.format_class.ends:
            self._ladders.close_if_done(ladder_id)
        self._continuing.over(ladder, round_)

    def _note(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Store the results of groups for formats that use them, before the round can end."""
        ladders = {matches[0].config.ladder for matches in groups} - {None}
        known = {ident: self._store.ladder(ident) for ident in ladders if ident is not None}
        outcomes: dict[tuple[str, int], list[GroupResult]] = {}
        for matches in groups:
            config = matches[0].config
            ladder = known.get(config.ladder or "")
            if ladder is None or not ladder.format_class.uses_results:
                continue
            outcome = group_result_of(played_among(matches))
            if outcome is None and ladder.format_class.counts_no_shows:
                outcome = no_show_of(matches)
            if outcome is not None:
                outcomes.setdefault((ladder.id, config.season or 1), []).append(outcome)
            elif any(match.void for match in matches):
                self._store.drop_outcome(ladder.id, config.season or 1, config.group_id)
        for (ident, season), found in outcomes.items():
            ladder = known[ident]
            most = OUTCOMES_KEPT if ladder is not None and ladder.format_class.overlaps_rounds else None
            self._store.put_outcomes(ident, season, found, most)


class PlayedUnit(NamedTuple):
    """A unit of matches that have ended."""

    match: LoadedMatch
    """One of them."""
    result: LadderResult
    """What they add, whatever became void since."""
    void: bool
    """Whether nothing of it counts, since matches became void."""


def units_of(matches: Sequence[tuple[LoadedMatch, str]]) -> list[PlayedUnit]:
    """Return the units of the ended matches of a group, or of one outside groups. Each comes with its match key.

    A group in which all bots meet is one unit, and adds nothing unless all of its matches were played. In a once-only
    group each match is a unit, since it compares one bot.
    """
    spoilt = is_spoilt([match for match, _ in matches])
    group = matches[0][0].config.group if matches else None
    if group is None or group.compared is not None:
        return [_unit([each], spoilt or each[0].void) for each in matches]
    tables = [[seat.id for seat in match.config.seats if seat is not None] for match, _ in matches]
    return [_unit(matches, spoilt, is_whole=is_complete(tables))]


def _unit(matches: Sequence[tuple[LoadedMatch, str]], void: bool, *, is_whole: bool = True) -> PlayedUnit:
    first = matches[0][0]
    config = first.config
    sums: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 5)
    if is_whole and not any(match.progress.ending in (Ending.ABORTED, Ending.VOID) for match, _ in matches):
        for match, _ in matches:
            for at, figures in _figures(match).items():
                sums[at] = [one + more for one, more in zip(sums[at], figures, strict=True)]
    lines: dict[str, dict[str, Totals]] = {}
    for (row, line), (played, wins, second, deals, points) in sums.items():
        group = GroupStatistics.of([(deals, points)])
        lines.setdefault(row, {})[line] = Totals(played, wins, second, group)
    keys = tuple(key for _, key in matches)
    result = LadderResult(config.ladder or "", config.round or 0, keys, lines, config.season or 1)
    return PlayedUnit(first, result, void)


def _figures(match: LoadedMatch) -> Mapping[tuple[str, str], Sequence[int]]:
    """Return what a played match adds by row and line (`LadderResult.lines`): the three counts of `Totals`, deals and
    points. Only deals that were dealt count. The cross table omits partners."""
    progress, config = match.progress, match.config
    deals, order = deals_in(match.log), places(progress.scores, progress.forfeits)
    sides = config.table().sides
    seated = [(index, seat.id) for index, seat in enumerate(config.seats) if seat is not None]
    compared = None if config.group is None else config.group.compared
    found = {}
    for index, bot in seated:
        if compared not in (None, index):
            continue
        points, place = progress.scores[index], order[index]
        found["sums", bot] = (1, int(is_won(place)), int(index in progress.forfeits), deals, points)
        for other, opponent in seated:
            if sides[other] != sides[index]:
                ranks = (int(place < order[other]), int(place == order[other]))
                found[f"sums:{bot}", opponent] = (1, *ranks, deals, points)
    return found


def _among_house_bots(match: LoadedMatch) -> bool:
    return all(seat is not None and seat.house for seat in match.config.seats)


class Rerun(NamedTuple):
    """What a void match is replaced with."""

    ladder: str
    round: int
    id: str
    """The id of the new match, or of the new duplicate group."""
    is_group: bool


class Reruns(RoundPart):
    """Replaces void matches of rounds."""

    def __init__(
        self, context: RoundContext, entrants: RoundEntrants, tables: PlannedMatches, counting: ResultCounter
    ) -> None:
        super().__init__(context)
        self._entrants, self._tables, self._counting = entrants, tables, counting

    def rerun(self, match: str) -> Rerun:
        """Replace a void ladder match with a new match of the same seats in the same round, or its duplicate group with
        a new group of the same bots. A repeated call returns the same. Raise `NotRerunnable`, `NoSuchMatch`,
        `ServicePaused` or `ServiceDraining`."""
        loaded = self._referee.look(match)
        ladder_id, number = loaded.config.ladder, loaded.config.round
        if ladder_id is None or number is None:
            raise NotRerunnable("only ladder matches can be rerun; create a new match instead")
        if not loaded.void:
            raise NotRerunnable("the match counts; void it first")
        self._context.check_open()
        ladder, round_ = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        if loaded.config.group is not None:
            return self._group(ladder, round_, loaded.config.group.id)
        # It may have been voided so recently that the round has not noticed.
        self._counting.on_readable([[loaded]])
        table = self._tables.table_of(ladder, round_, match)
        entrants = self._tables.plan(ladder, round_).tables[table].entrants
        self._check(ladder, round_, [entrants])
        again = derived_match_id("rerun", ladder.secret, match)
        # Create it before it becomes the replacement: a crash in between leaves a match that does not count until the
        # rerun is repeated, not a round that waits for a missing match.
        self._tables.create_as(ladder, round_, again, entrants)
        # The due instant makes the clock look after the round. As in `RoundOpener.start`, set it before and after.
        self._store.set_due(ROUNDS, ladder_id, self._store.now())
        self._store.rerun(ladder_id, number, match, again, table)
        self._store.set_due(ROUNDS, ladder_id, self._store.now())
        loaded = self._referee.look(again)
        if loaded.finished:
            self._counting.on_readable([[loaded]])
        return Rerun(ladder_id, number, again, False)

    def _group(self, ladder: Ladder, round_: Round, group_id: str) -> Rerun:
        """Let the round make the tables of a group again, with a new deck. Its workers then play them like any other
        tables."""
        state = self._context.groups.state(group_id)
        if state.progress.status is GroupStatus.RUNNING:
            raise NotRerunnable("the match's group is not over; it has replaced the void match already")
        matches = [each for each in self._referee.look_at(state.matches()) if each is not None]
        number, done = self._tables.group_of(ladder, round_, group_id)
        if not done:
            if group_result_of(played_among(matches)) is not None:
                raise NotRerunnable("the group counts without the match; void its other matches first")
            self._counting.on_readable([matches])
            plan = self._tables.plan(ladder, round_)
            tables = plan.groups[number].tables
            self._check(ladder, round_, [plan.tables[table].entrants for table in tables])
            self._store.set_due(ROUNDS, ladder.id, self._store.now())
            if not self._store.rerun_group(round_, number, tables):
                raise NotRerunnable("the round has failed, so it plays no further groups")
            self._store.set_due(ROUNDS, ladder.id, self._store.now())
            self._context.wake_round(ladder.id, round_.number)
        round_ = self._ladders.round(ladder.id, round_.number)
        again = self._tables.key_of(
            ladder, round_, self._tables.plan(ladder, round_).groups[number].tables[0]
        )
        return Rerun(ladder.id, round_.number, again, True)

    def _check(self, ladder: Ladder, round_: Round, tables: Sequence[Sequence[Entrant]]) -> None:
        """Raise `NotRerunnable` unless the bots of these tables can be seated."""
        able = self._entrants.able(ladder, round_)
        bots = {entrant.id: entrant.name for entrants in tables for entrant in entrants}
        gone = [name for bot, name in bots.items() if bot not in able]
        if gone:
            raise NotRerunnable(f"{' and '.join(gone)} can no longer be seated")
        if not all(accepted(entrants, able, ladder) for entrants in tables):
            raise NotRerunnable("the match policies of the bots no longer let them play with each other")
