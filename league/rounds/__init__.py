"""How a round of a ladder is run: opened once, worked on by whoever has its lease, counted match by match.

    permission  whether anything new may be made
    wakes       how work on a round comes about
    entrants    who can play
    arena       who can be seated where rounds overlap
    brackets    how a knock-out stands
    opening     a new round, and whom its entrants meet
    tables      its tables, and the matches and groups that belong to them
    working     tables dealt with, by the worker that has the lease
    failing     rounds whose work raises: tried again, or failed with a reason
    counting    matches that are over
    rerun       matches that did not count, played again
    timing      rounds that are due, and those that nobody works on
    continuing  rounds that follow one another
    ahead       what comes next

Everything here may be done twice, by two workers at once, or be broken off anywhere:

* a round is opened once for each due instant, and a ladder has one round at a time, but for an arena;
* who its entrants are is written when it is opened; its tables follow from that (`league.pairing.plan`), and the ids
  of its matches from ladder, round and table, so that a match created twice is created once;
* only the worker with the lease deals with tables, each once;
* a match is counted when it is taken from the open ones, in the same script that adds to the sums.

Where decks are not independent a table belongs to a duplicate group: its match counts when the group is over, and what
stands for it among the open ones, its ticket, is the id of its first attempt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from league.ladders.model import Round
from league.ladders.service import Ladders
from league.pairing.formats.knock_out import Bracket
from league.pairing.plan import Entrant
from league.rounds.ahead import Forecast, Forecaster, TablesRemaining
from league.rounds.arena import ArenaRounds, Online
from league.rounds.brackets import BracketRounds
from league.rounds.continuing import ContinuousRounds
from league.rounds.counting import ResultCounter, result_of
from league.rounds.entrants import Ratings, RoundEntrants, Running
from league.rounds.failing import MOST_TRIES, RETRY_MS, Failing
from league.rounds.opening import DryRun, RoundOpener
from league.rounds.permission import NewMatchGate
from league.rounds.rerun import Reruns
from league.rounds.tables import PlannedMatches
from league.rounds.timing import LOOK_MS, RoundTimer
from league.rounds.wakes import JobQueuePositions, NoJobQueue, StartDue, Wake, Wakes
from league.rounds.working import LEASE_MS, RoundWorker
from referee.groups.service import Groups
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee
from referee.service.store import ServiceControl

__all__ = [
    "LEASE_MS",
    "LOOK_MS",
    "MOST_TRIES",
    "RETRY_MS",
    "DryRun",
    "Rounds",
    "StartDue",
    "Wake",
    "result_of",
]


class Rounds:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(
        self,
        ladders: Ladders,
        referee: Referee,
        groups: Groups,
        wake: Wake,
        start_due: StartDue,
        *,
        running: Running | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        service: ServiceControl | None = None,
        ratings: Ratings = lambda preset, bots: {},
        places: JobQueuePositions | None = None,
        online: Online | None = None,
    ) -> None:
        """Rounds start, and go on, while the `service` runs. `running` tells in how many matches each of these bots
        plays now, those of this ladder among them, if somebody keeps count; without it a round minds its own. `places`
        is the queue in which the jobs wait; `online` tells who is, without it everybody is."""
        self.store = ladders.store
        permission = NewMatchGate(service)
        self._wakes = Wakes(ladders.store, wake, referee.after)
        entrants = RoundEntrants(ladders, ratings)
        tables = PlannedMatches(ladders.store, referee, groups)
        self._prospect = Forecaster(ladders, permission, places or NoJobQueue(), tables)
        arenas = ArenaRounds(ladders, tables, online, running)
        self._brackets = BracketRounds(ladders, entrants)
        self._opening = RoundOpener(ladders, entrants, arenas, self._brackets, permission, self._wakes)
        continuing = ContinuousRounds(ladders.store, start_due)
        self._counting = ResultCounter(ladders, tables, self._wakes, continuing)
        failing = Failing(ladders, referee, tables, self._counting)
        self._working = RoundWorker(
            ladders, referee, permission, entrants, tables, self._counting, failing, running, monotonic
        )
        self._reruns = Reruns(ladders, referee, permission, entrants, tables, self._counting)
        self._timing = RoundTimer(ladders, permission, self._wakes, start_due, continuing)

    def start(self, ladder_id: str, due: int | None = None) -> Round:
        """See `RoundOpener`."""
        return self._opening.start(ladder_id, due)

    def dry_run(self, ladder_id: str) -> DryRun:
        """See `RoundOpener`."""
        return self._opening.dry_run(ladder_id)

    def ahead(self, ladder_id: str) -> Forecast:
        """See `Forecaster`."""
        return self._prospect.ahead(ladder_id)

    def bracket(self, ladder_id: str, season: int | None = None) -> Bracket:
        """See `BracketRounds`."""
        return self._brackets.of(ladder_id, season)

    def tables_left(self, of: Round, bots: Sequence[Entrant]) -> Sequence[TablesRemaining]:
        """See `Forecaster.tables`."""
        return self._prospect.tables(of, bots)

    def jobs_ahead(self, of: Round) -> int | None:
        """See `Forecaster`."""
        return self._prospect.jobs_ahead(of)

    def work(self, ladder_id: str, number: int, budget_s: float = 1.5) -> bool:
        """See `RoundWorker`."""
        return self._working.work(ladder_id, number, budget_s)

    def epoch(self, ladder_id: str, number: int) -> int:
        """See `Wakes`."""
        return self._wakes.epoch(ladder_id, number)

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """See `ResultCounter`."""
        self._counting.on_readable(groups)

    def on_ended(self, lives: Sequence[LoadedMatch]) -> None:
        """See `ResultCounter`."""
        self._counting.on_ended(lives)

    def rerun(self, match: str) -> LoadedMatch:
        """See `Reruns`."""
        return self._reruns.rerun(match)

    def tick(self, most: int = 100) -> int:
        """See `RoundTimer`."""
        return self._timing.tick(most)
