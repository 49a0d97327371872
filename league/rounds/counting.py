"""Matches that are over are counted, each once, in the script that adds to the sums of its ladder and takes it from the
open ones of its round."""

from __future__ import annotations

from collections.abc import Sequence

from league.formats import REPEATED
from league.ladders import Counted, Ladders, LadderState, Result
from league.outcomes import outcome_of, played_among, spoilt
from league.rounds.continuing import Continuing
from league.rounds.tables import Tables
from league.rounds.wakes import Wakes
from league.sums import Made
from referee.referee import Live
from referee.table import Ending, Status, places


class Counting:
    """See the module."""

    def __init__(self, ladders: Ladders, tables: Tables, wakes: Wakes, continuing: Continuing) -> None:
        self._ladders, self._store, self._tables = ladders, ladders.store, tables
        self._wakes, self._continuing = wakes, continuing

    def on_readable(self, lives: Sequence[Live]) -> None:
        """Count matches that may be read, one or all of a group's; those of no ladder, and those counted already,
        change nothing. What is void is taken back, and with it a group that is nothing without it."""
        self._note(lives)
        none_counts = spoilt(lives)
        for live in lives:
            self._count(live, void=none_counts or live.void)

    def on_ended(self, live: Live) -> None:
        """Make room for others where a match of a group is over before its group is."""
        ladder_id, number = live.setup.ladder, live.setup.round
        if ladder_id is None or number is None or live.setup.group is None:
            return
        self._store.hold(ladder_id, number, self._tables.ticket_of(live))
        self._wakes(ladder_id, number)

    def count_here(self, live: Live) -> None:
        """Count a match in the worker itself, which goes on anyway."""
        ladder_id, number = live.setup.ladder, live.setup.round
        assert ladder_id is not None
        assert number is not None
        counted: Counted = self._store.count(ladder_id, number, result_of(live, live.id))
        if counted.done:
            self.done(ladder_id, number)

    def done(self, ladder_id: str, number: int) -> None:
        """A round of the ladder is done: one that was closing closes, another may go on with the next."""
        ladder = self._store.ladder(ladder_id)
        (of,) = self._store.rounds(ladder_id, [number])
        if ladder is None or of is None:
            return
        if ladder.state is LadderState.CLOSING:
            self._ladders.close_if_done(ladder_id)
        self._continuing.over(ladder, of)

    def _count(self, live: Live, *, void: bool) -> None:
        ladder_id, number = live.setup.ladder, live.setup.round
        if ladder_id is None or number is None or live.head.status is not Status.FINISHED:
            return
        result = result_of(live, self._tables.ticket_of(live))
        counted = self._store.count(ladder_id, number, result)
        if void and result.played:
            self._store.take_back(ladder_id, number, result)
        if counted.done:
            self.done(ladder_id, number)
        elif counted.new and counted.wants_more and not (counted.leased and _among_house_bots(live)):
            # A worker that is at it makes the next house match anyway; room for a remote bot it may have missed.
            self._wakes(ladder_id, number, counted.epoch)

    def _note(self, lives: Sequence[Live]) -> None:
        """Keep what a group came to, where the format of its ladder goes by that; before the round can be done."""
        setup = lives[0].setup
        ladder = None if setup.ladder is None else self._store.ladder(setup.ladder)
        if ladder is None or ladder.format in REPEATED:
            return
        outcome = outcome_of(played_among(lives))
        if outcome is not None:
            self._store.put_outcome(ladder.id, setup.season or 1, outcome)
        else:
            self._store.drop_outcome(ladder.id, setup.season or 1, setup.group_id)


def result_of(live: Live, ticket: str) -> Result:
    """What a match that is over adds to its ladder's sums: nothing if it was aborted or is void. `ticket` stands for it
    among the open matches of its round.

    Deals count that were dealt. A partner is no opponent: the cross table has other sides only.
    """
    head, setup = live.head, live.setup
    if head.ending in (Ending.ABORTED, Ending.VOID):
        return Result(ticket, False, True, {}, {}, None, setup.season or 1)
    deals = sum(line.startswith("- ") for line in live.log.splitlines())
    order = places(head.scores, head.forfeits)
    sides = setup.table().sides
    sums: dict[str, Made] = {}
    cross: dict[str, dict[str, Made]] = {}
    seated = [(number, seat.id) for number, seat in enumerate(setup.seats) if seat is not None]
    compared = None if setup.group is None else setup.group.compared
    for number, bot in seated:
        if compared not in (None, number):
            continue
        points, place = head.scores[number], order[number]
        sums[bot] = Made(int(place == 1), int(number in head.forfeits), deals, points)
        cross[bot] = {
            opponent: Made(int(place < order[other]), int(place == order[other]), deals, points)
            for other, opponent in seated
            if sides[other] != sides[number]
        }
    group = None if setup.group is None else setup.group.id
    return Result(ticket, True, False, sums, cross, group, setup.season or 1)


def _among_house_bots(live: Live) -> bool:
    return all(seat is not None and seat.house for seat in live.setup.seats)
