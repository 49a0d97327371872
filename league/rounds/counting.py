"""Matches that are over are counted, each once, in the script that adds to the sums of its ladder and takes it from the
open ones of its round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from league.ladders.model import LadderState
from league.ladders.service import Ladders
from league.ladders.store import LUCK, LadderResult, ResultCounted
from league.ladders.totals import TotalsDelta
from league.results.group_result import GroupResult, group_result_of, is_spoilt, played_among
from league.rounds.continuing import ContinuousRounds
from league.rounds.tables import PlannedMatches
from league.rounds.wakes import Wakes
from referee.match.loaded_match import LoadedMatch
from referee.match.log import deals_in
from referee.match.session import Ending, places

OUTCOMES_KEPT: Final = 1000
"""So many of an arena's last groups tell who met whom lately; it goes on for ever."""


class ResultCounter:
    """See the module."""

    def __init__(
        self, ladders: Ladders, tables: PlannedMatches, wakes: Wakes, continuing: ContinuousRounds
    ) -> None:
        self._ladders, self._store, self._tables = ladders, ladders.store, tables
        self._wakes, self._continuing = wakes, continuing

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches that may be read, those of a group together; those of no ladder, and those counted already,
        change nothing. What is void is taken back, and with it a group that is nothing without it."""
        self._note(groups)
        over, void = [], set()
        for lives in groups:
            over += [live for live in lives if live.finished and live.config.ladder is not None]
            none_counts = is_spoilt(lives)
            void |= {live.id for live in lives if none_counts or live.void}
        if not over:
            return
        results = [result_of(*each) for each in zip(over, self._tables.tickets(over), strict=True)]
        counted = self._store.count(results)
        taken_back = [
            result for live, result in zip(over, results, strict=True) if live.id in void and result.played
        ]
        if taken_back:
            self._store.take_back(taken_back)
            for ladder_id in {result.ladder for result in taken_back}:
                self._store.set_due(LUCK, ladder_id, self._store.now())
        self._go_on(over, counted)

    def on_ended(self, lives: Sequence[LoadedMatch]) -> None:
        """Make room for others where matches are over before their groups are."""
        of_ladders = [live for live in lives if live.config.ladder is not None]
        held = [
            (live.config.ladder or "", live.config.round or 0, ticket)
            for live, ticket in zip(of_ladders, self._tables.tickets(of_ladders), strict=True)
        ]
        self._go_on(of_ladders, self._store.hold(held))

    def _go_on(self, lives: Sequence[LoadedMatch], counted: Sequence[ResultCounted]) -> None:
        """What follows for their rounds from these matches being over."""
        wanted: dict[tuple[str, int], int] = {}
        for live, of in zip(lives, counted, strict=True):
            ladder_id, number = live.config.ladder, live.config.round
            assert ladder_id is not None
            assert number is not None
            if of.done:
                self.done(ladder_id, number)
            elif of.new and of.wants_more and not (of.leased and _among_house_bots(live)):
                # A worker that is at it makes the next house match anyway; room for a remote bot it may have missed.
                wanted[ladder_id, number] = of.epoch
        for (ladder_id, number), epoch in wanted.items():
            self._wakes(ladder_id, number, epoch)

    def done(self, ladder_id: str, number: int) -> None:
        """A round of the ladder is done: one that was closing closes, another may go on with the next."""
        ladder = self._store.ladder(ladder_id)
        (of,) = self._store.rounds(ladder_id, [number])
        if ladder is None or of is None:
            return
        if ladder.state is LadderState.CLOSING:
            self._ladders.close_if_done(ladder_id)
        self._continuing.over(ladder, of)

    def _note(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Keep what groups came to, where the format of their ladder goes by that; before the round can be done."""
        ladders = {lives[0].config.ladder for lives in groups} - {None}
        told = {ident: self._store.ladder(ident) for ident in ladders if ident is not None}
        outcomes: dict[tuple[str, int], list[GroupResult]] = {}
        for lives in groups:
            config = lives[0].config
            ladder = told.get(config.ladder or "")
            if ladder is None or not ladder.format_class.uses_results:
                continue
            outcome = group_result_of(played_among(lives))
            if outcome is not None:
                outcomes.setdefault((ladder.id, config.season or 1), []).append(outcome)
            else:
                self._store.drop_outcome(ladder.id, config.season or 1, config.group_id)
        for (ident, season), found in outcomes.items():
            ladder = told[ident]
            most = OUTCOMES_KEPT if ladder is not None and ladder.format_class.overlaps_rounds else None
            self._store.put_outcomes(ident, season, found, most)


def result_of(live: LoadedMatch, ticket: str) -> LadderResult:
    """What a match that is over adds to its ladder's sums: nothing if it was aborted or is void. `ticket` stands for it
    among the open matches of its round.

    Deals count that were dealt. A partner is no opponent: the cross table has other sides only.
    """
    progress, config = live.progress, live.config
    ladder, of = config.ladder or "", config.round or 0
    if progress.ending in (Ending.ABORTED, Ending.VOID):
        return LadderResult(ladder, of, ticket, False, {}, {}, None, config.season or 1)
    deals = deals_in(live.log)
    order = places(progress.scores, progress.forfeits)
    sides = config.table().sides
    sums: dict[str, TotalsDelta] = {}
    cross: dict[str, dict[str, TotalsDelta]] = {}
    seated = [(number, seat.id) for number, seat in enumerate(config.seats) if seat is not None]
    compared = None if config.group is None else config.group.compared
    for number, bot in seated:
        if compared not in (None, number):
            continue
        points, place = progress.scores[number], order[number]
        sums[bot] = TotalsDelta(int(place == 1), int(number in progress.forfeits), deals, points)
        cross[bot] = {
            opponent: TotalsDelta(int(place < order[other]), int(place == order[other]), deals, points)
            for other, opponent in seated
            if sides[other] != sides[number]
        }
    group = None if config.group is None else config.group.id
    return LadderResult(ladder, of, ticket, True, sums, cross, group, config.season or 1)


def _among_house_bots(live: LoadedMatch) -> bool:
    return all(seat is not None and seat.house for seat in live.config.seats)
