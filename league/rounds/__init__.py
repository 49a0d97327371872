"""The life of a round: opened once, worked on under a lease, counted match by match.

    context     the services that all parts use
    entrants    the bots that can play
    opening     a new round: its bots and its pairing
    results     what the rounds of a season hold, for its ranking
    tables      the tables of a round, with their matches and groups
    working     workers that make tables under leases, and play their matches
    counting    matches that have ended, and replacements for those that did not count
    timing      rounds that are due, that follow one another, or that have no worker
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

from dataclasses import dataclass

from league.rounds.context import RoundContext
from league.rounds.counting import Rerun, Reruns, ResultCounter
from league.rounds.entrants import RoundEntrants
from league.rounds.forecast import Forecaster
from league.rounds.opening import BracketRounds, DryRun, RoundOpener
from league.rounds.planned_matches import PlannedMatches
from league.rounds.results import SeasonRounds
from league.rounds.timing import LOOK_MS, ContinuousRounds, RoundTimer
from league.rounds.working import LEASE_MS, MOST_TRIES, RETRY_MS, RoundWorker

__all__ = ["LEASE_MS", "LOOK_MS", "MOST_TRIES", "RETRY_MS", "DryRun", "Rerun", "Rounds"]


@dataclass(eq=False)
class Rounds(RoundContext):
    """Rounds of ladders: all parts, with the methods that others call. Safe to share between greenlets and threads."""

    def __post_init__(self) -> None:
        entrants, self.tables = RoundEntrants(self), PlannedMatches(self.store, self.referee, self.groups)
        brackets, continuing = BracketRounds(self, entrants), ContinuousRounds(self)
        counting = ResultCounter(self, self.tables, continuing)
        worker = RoundWorker(self, entrants, self.tables, counting)
        results = SeasonRounds(self, self.tables, brackets.bracket)
        opener = RoundOpener(self, entrants, self.tables, brackets, results)
        timer = RoundTimer(self, continuing, opener.start)
        self.start, self.dry_run = opener.start, opener.dry_run
        self.bracket = brackets.bracket
        self.start_due, self.tick = timer.start_due, timer.tick
        self.results = results.results
        self.work, self.help = worker.work, worker.help
        self.on_readable, self.on_ended = counting.on_readable, counting.on_ended
        self.rerun = Reruns(self, entrants, self.tables, counting).rerun
        self.forecast = Forecaster(self).forecast
