"""Replacements for void matches of rounds."""

from __future__ import annotations

from league.errors import NotRerunnable, WrongLadderState
from league.ladders.model import ROUNDS, LadderState
from league.ladders.service import Ladders
from league.rounds.counting import ResultCounter
from league.rounds.entrants import RoundEntrants, accepted
from league.rounds.permission import NewMatchGate
from league.rounds.tables import PlannedMatches
from referee.ids import derived_match_id
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee


class Reruns:
    """Replaces void matches of rounds."""

    def __init__(
        self,
        ladders: Ladders,
        referee: Referee,
        gate: NewMatchGate,
        entrants: RoundEntrants,
        tables: PlannedMatches,
        counting: ResultCounter,
    ) -> None:
        self._ladders, self._store = ladders, ladders.store
        self._referee, self._gate = referee, gate
        self._entrants, self._tables, self._counting = entrants, tables, counting

    def rerun(self, match: str) -> LoadedMatch:
        """Replace a void ladder match with a new match of the same seats in the same round, and return it. A repeated
        call returns the same match. Raise `NotRerunnable`, `NoSuchMatch`, `WrongLadderState`, `ServicePaused` or
        `ServiceDraining`."""
        loaded = self._referee.look(match)
        ladder_id, number = loaded.config.ladder, loaded.config.round
        if ladder_id is None or number is None:
            raise NotRerunnable("only ladder matches can be rerun; create a new match instead")
        if loaded.config.group is not None:
            raise NotRerunnable("a match of a duplicate group can't be rerun alone")
        if not loaded.void:
            raise NotRerunnable("the match counts; void it first")
        self._gate.check()
        ladder, round_ = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        if ladder.state is LadderState.CLOSED:
            raise WrongLadderState("the ladder is closed", state=ladder.state.value)
        # It may have been voided so recently that the round has not noticed.
        self._counting.on_readable([[loaded]])
        table = self._tables.table_of(ladder, round_, match)
        entrants, able = (
            self._tables.plan(ladder, round_).tables[table].entrants,
            self._entrants.able(ladder, round_),
        )
        gone = [entrant.name for entrant in entrants if entrant.id not in able]
        if gone:
            raise NotRerunnable(f"{' and '.join(gone)} can no longer be seated")
        if not accepted(entrants, able, ladder):
            raise NotRerunnable("the match policies of the bots no longer let them play with each other")
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
        return loaded
