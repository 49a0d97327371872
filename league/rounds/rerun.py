"""A match of a round that does not count is played again."""

from __future__ import annotations

from league.errors import NotRerunnable, WrongLadderState
from league.ladders.model import LadderState
from league.ladders.service import Ladders
from league.rounds.counting import ResultCounter
from league.rounds.entrants import RoundEntrants
from league.rounds.permission import NewMatchGate
from league.rounds.tables import PlannedMatches
from referee.ids import derived_match_id
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee


class Reruns:
    """See the module."""

    def __init__(
        self,
        ladders: Ladders,
        referee: Referee,
        permission: NewMatchGate,
        entrants: RoundEntrants,
        tables: PlannedMatches,
        counting: ResultCounter,
    ) -> None:
        self._ladders, self._referee, self._permission = ladders, referee, permission
        self._entrants, self._tables, self._counting = entrants, tables, counting

    def rerun(self, match: str) -> LoadedMatch:
        """A ladder's match that is void is played again: the same seats in the same round, as another match in its
        place. Twice is once. Raises `NotRerunnable`, `NoSuchMatch`, `WrongLadderState`, and `ServicePaused` or
        `ServiceDraining`."""
        live = self._referee.look(match)
        ladder_id, number = live.config.ladder, live.config.round
        if ladder_id is None or number is None:
            raise NotRerunnable("it is no match of a ladder: whoever wants it again makes another one")
        if live.config.group is not None:
            raise NotRerunnable("a match of a duplicate group is not played again by itself")
        if not live.void:
            raise NotRerunnable("the match counts: it is to be voided first")
        self._permission.ask()
        ladder, of = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        if ladder.state is LadderState.CLOSED:
            raise WrongLadderState("the ladder is closed", state=ladder.state.value)
        # It may have been voided this very moment.
        self._counting.on_readable([[live]])
        table = self._tables.table_of(ladder, of, match)
        entrants, able = self._tables.plan(ladder, of).tables[table].entrants, self._entrants.able(ladder, of)
        gone = [entrant.name for entrant in entrants if entrant.id not in able]
        if gone:
            raise NotRerunnable(f"{' and '.join(gone)} can't be seated any more")
        again = derived_match_id("rerun", ladder.secret, match)
        # Made before it takes the place: dying in between leaves a match that does not count unless it is asked for
        # again, not a round that waits for a match that nobody makes.
        self._tables.create_as(ladder, of, again, entrants)
        self._ladders.store.rerun(ladder_id, number, match, again, table)
        live = self._referee.look(again)
        if live.finished:
            self._counting.on_readable([[live]])
        return live
