"""The life of a round: opened once, worked on under a lease, counted match by match.

    permission  whether anything new may be created
    wakes       jobs that work on rounds
    entrants    the bots that can play
    opening     a new round: its bots and its pairing
    tables      the tables of a round, with their matches and groups
    making      tables made in steps, and their matches played
    working     a worker that makes tables under a lease
    helping     further workers that make tables among house bots
    failing     rounds whose work raises: retried, or failed with a reason
    counting    matches that have ended
    rerun       replacements for matches that did not count
    timing      rounds that are due, and rounds without a worker
    continuing  rounds that follow one another
    forecast    the forecast of the next round

Every operation may be repeated, run by two workers at once, or stop anywhere:

* a round is opened once for each due instant, and a ladder has one round at a time, except in an arena;
* opening a round stores its entrants. They determine its tables (`league.pairing.plan`). Ladder, round and table
  determine the ids of its matches, so that a match created twice exists once;
* only the worker with the lease of the round and its helpers, under leases of their own, handle tables, each once;
* one script removes a match from the open ones and adds it to the totals.

In duplicate groups a match counts when its group has ended. Its match key, which represents it among the open matches,
is the id of its first attempt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from league.budgets import BUDGET_S, IDLE_BUDGET_S
from league.errors import LeagueError
from league.ladders.model import Round
from league.ladders.service import Ladders
from league.pairing.formats.knock_out import Bracket
from league.pairing.plan import Entrant
from league.rounds.continuing import ContinuousRounds
from league.rounds.counting import ResultCounter, result_of
from league.rounds.entrants import Leaving, Ratings, RoundEntrants, Running
from league.rounds.failing import MOST_TRIES, RETRY_MS, RoundFailures
from league.rounds.forecast import Forecast, Forecaster, TablesRemaining
from league.rounds.helping import OneWorker, RoundHelper, WorkerPool
from league.rounds.making import LEASE_MS, TableMaker
from league.rounds.opening.arena import ArenaRounds, Online
from league.rounds.opening.brackets import BracketRounds
from league.rounds.opening.opener import DryRun, RoundOpener
from league.rounds.permission import NewMatchGate
from league.rounds.rerun import Reruns
from league.rounds.tables import PlannedMatches
from league.rounds.timing import LOOK_MS, RoundTimer
from league.rounds.wakes import JobQueuePositions, NoJobQueue, StartDue, Wake, Wakes
from league.rounds.working import RoundWorker, Started
from referee.duplicate_groups import Groups
from referee.errors import RefereeError, ServiceDraining, ServicePaused, StorageFull
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee
from referee.service.redis import RedisService
from referee.yielding import RunAside

__all__ = [
    "LEASE_MS",
    "LOOK_MS",
    "MOST_TRIES",
    "RETRY_MS",
    "DryRun",
    "Rounds",
    "StartDue",
    "Wake",
    "WorkerPool",
    "result_of",
]


class Rounds:
    """Rounds of ladders. Safe to share between greenlets and threads."""

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
        service: RedisService | None = None,
        ratings: Ratings = lambda preset, bots: {},
        queue_positions: JobQueuePositions | None = None,
        online: Online | None = None,
        leaving: Leaving = lambda bots: set(),
        pool: WorkerPool | None = None,
        report: Started = lambda ladder, round_: None,
        run_aside: RunAside = lambda call: call(),
    ) -> None:
        """Rounds start and proceed while the `service` runs. `running` returns how many matches each bot plays, in
        other ladders too; without it a round counts its own. `queue_positions` asks the job queue. `online` returns
        which bots are online; without it all are. `leaving` returns which finish their matches and begin none. `pool`
        is the workers; without it there is one. `report` takes rounds that have started, maybe more than once.
        `run_aside` is that of `RoundOpener`."""
        self.store = ladders.store
        gate = NewMatchGate(service)
        self._wakes = Wakes(ladders.store, wake, referee.after)
        entrants = RoundEntrants(ladders, ratings, leaving)
        self.tables = tables = PlannedMatches(ladders.store, referee, groups)
        self._forecaster = Forecaster(ladders, gate, queue_positions or NoJobQueue(), tables)
        arenas = ArenaRounds(ladders, tables, online, running)
        self._brackets = BracketRounds(ladders, entrants)
        self._opening = RoundOpener(
            ladders, entrants, arenas, self._brackets, gate, self._wakes, referee.recorded, run_aside
        )
        continuing = ContinuousRounds(ladders.store, start_due)
        self._counting = ResultCounter(ladders, tables, self._wakes, continuing)
        failures = RoundFailures(ladders, referee, tables, self._counting)
        pool = pool or OneWorker()
        maker = TableMaker(ladders.store, referee, tables, monotonic)
        self._working = RoundWorker(
            ladders,
            referee,
            gate,
            entrants,
            tables,
            self._counting,
            failures,
            maker,
            pool,
            running,
            report,
        )
        self._helping = RoundHelper(ladders, gate, entrants, tables, maker, pool)
        self._reruns = Reruns(ladders, referee, gate, entrants, tables, self._counting)
        self._timing = RoundTimer(ladders, gate, self._wakes, start_due, continuing)

    def start(self, ladder_id: str, due: int | None = None) -> Round:
        """Open a round (`RoundOpener.start`)."""
        return self._opening.start(ladder_id, due)

    def start_due(self, ladder_id: str, due: int) -> None:
        """Open the round that is due at this instant, once, and move the ladder's schedule on. Raise what `start`
        raises. While nothing new may be created, and after any other error than a refusal, the instant stays due."""
        try:
            self._opening.start(ladder_id, due)
        except (ServicePaused, ServiceDraining, StorageFull):
            raise
        except (LeagueError, RefereeError):
            self._timing.started(ladder_id, due)
            raise
        self._timing.started(ladder_id, due)

    def dry_run(self, ladder_id: str) -> DryRun:
        """Return what the next round would be (`RoundOpener.dry_run`)."""
        return self._opening.dry_run(ladder_id)

    def forecast(self, ladder_id: str) -> Forecast:
        """Return the forecast of the next round (`Forecaster.forecast`)."""
        return self._forecaster.forecast(ladder_id)

    def bracket(self, ladder_id: str, season: int | None = None) -> Bracket:
        """Return the bracket of a season (`BracketRounds.bracket`)."""
        return self._brackets.bracket(ladder_id, season)

    def tables_left(self, round_: Round, bots: Sequence[Entrant]) -> Sequence[TablesRemaining]:
        """Return the remaining tables of these bots (`Forecaster.tables`)."""
        return self._forecaster.tables(round_, bots)

    def jobs_ahead(self, round_: Round) -> int | None:
        """Return how many jobs precede the round's (`Forecaster.jobs_ahead`)."""
        return self._forecaster.jobs_ahead(round_)

    def work(self, ladder_id: str, number: int, budget_s: float = BUDGET_S) -> bool:
        """Work on a round (`RoundWorker.work`)."""
        return self._working.work(ladder_id, number, budget_s)

    def help(self, ladder_id: str, number: int, budget_s: float = IDLE_BUDGET_S) -> bool:
        """Help with a round (`RoundHelper.help`)."""
        return self._helping.help(ladder_id, number, budget_s)

    def epoch(self, ladder_id: str, number: int) -> int:
        """Return a round's epoch (`Wakes.epoch`)."""
        return self._wakes.epoch(ladder_id, number)

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches (`ResultCounter.on_readable`)."""
        self._counting.on_readable(groups)

    def on_ended(self, matches: Sequence[LoadedMatch]) -> None:
        """Make room for further matches (`ResultCounter.on_ended`)."""
        self._counting.on_ended(matches)

    def rerun(self, match: str) -> LoadedMatch:
        """Replace a void match (`Reruns.rerun`)."""
        return self._reruns.rerun(match)

    def tick(self, most: int = 100) -> int:
        """Start due rounds and wake workers (`RoundTimer.tick`)."""
        return self._timing.tick(most)
