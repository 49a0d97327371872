"""Opening rounds: who plays, and whom they meet by the ladder's format. Each due instant opens one round."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from league.errors import LeagueError, NothingToPlay, Overtaken, RoundRunning, WrongLadderState
from league.ladders.model import ROUNDS, SCHEDULES, STARTS_ROUNDS, Ladder, LadderState, Round, RoundState
from league.ladders.service import Ladders
from league.pairing.formats.field import Field, Pairing
from league.pairing.plan import MOST_TABLES, DeckMode, Entrant, RoundPlan, plan, size
from league.rounds.continuing import after_failures
from league.rounds.entrants import RoundEntrants
from league.rounds.failing import is_hopeless, reason_of
from league.rounds.opening.arena import MOST_AT_A_TIME, ArenaRounds
from league.rounds.opening.brackets import BracketRounds
from league.rounds.permission import NewMatchGate
from league.rounds.wakes import Wakes
from referee.errors import RefereeError
from referee.match.session import table_of
from referee.yielding import RunAside

LOOKED_BACK: Final = 100
"""How many earlier rounds a format sees. A Swiss tournament has no more."""

log = logging.getLogger(__name__)


class DryRun(NamedTuple):
    """What a round would be if it started now."""

    number: int
    meetings: Sequence[tuple[Entrant, ...]]
    """The bots of each group, or of each match with independent decks."""
    out: Sequence[Entrant]
    """Entrants without a meeting."""
    excluded: int
    planned: int
    """The number of matches."""


class RoundOpener:
    """Opens rounds."""

    def __init__(
        self,
        ladders: Ladders,
        entrants: RoundEntrants,
        arenas: ArenaRounds,
        brackets: BracketRounds,
        gate: NewMatchGate,
        wakes: Wakes,
        recorded: Callable[[], int | None],
        run_aside: RunAside,
    ) -> None:
        """`recorded` returns how many records there are (`Round.since`). `run_aside` calls the format, which takes
        seconds for a ladder with a thousand entries."""
        self._ladders, self._store = ladders, ladders.store
        self._entrants, self._arenas, self._brackets = entrants, arenas, brackets
        self._gate, self._wakes, self._recorded = gate, wakes, recorded
        self._run_aside = run_aside
        # One round at a time is planned: many threads would slow down the requests of others.
        self._planning = threading.Lock()

    def start(self, ladder_id: str, due: int | None = None) -> Round:
        """Open a round, by hand or for a due instant, and return it. If the instant has its round already, return
        that one.

        A due round that can't be planned is opened as failed, so that the ladder's owner sees the reason. By hand,
        the error is raised.

        Raise `RoundRunning` while another round is under way, `NothingToPlay`, `WrongLadderState`, `NoSuchLadder`,
        `ServicePaused` or `ServiceDraining`. After the last two, a due round stays due until the service runs.
        """
        self._ladders.get(ladder_id)
        try:
            self._gate.check()
        except RefereeError:
            if due is not None:
                self._store.set_due(SCHEDULES, ladder_id, due)
            raise
        states = STARTS_ROUNDS if due is None else {LadderState.RUNNING}
        for _ in range(16):
            ladder = self._ladders.get(ladder_id)
            new = self._new(ladder, due)
            number, now = new.number, new.started
            # Before the commit, since a crash in between leaves only a check without effect. And after it, since
            # that check may have come before the commit.
            self._store.set_due(ROUNDS, ladder_id, now)
            opened = self._store.open_round(
                new, sorted(states), MOST_AT_A_TIME if ladder.format_class.overlaps_rounds else 1
            )
            if opened.what == "opened":
                if new.state is RoundState.FAILED:
                    self._store.set_due(ROUNDS, ladder_id, now)
                    log.error("ladder %s round %s failed: %s", ladder_id, number, new.reason)
                else:
                    self._wakes.opened(ladder_id, number, now)
                return new
            if opened.what == "exists":
                return self._ladders.round(ladder_id, opened.number)
            if opened.what == "running":
                raise RoundRunning(
                    f"round {opened.number} is under way; the next can start when it has ended",
                    round=opened.number,
                )
            if opened.what == "state":
                ladder = self._ladders.get(ladder_id)
                allowed = " or ".join(sorted(states))
                raise WrongLadderState(
                    f"the ladder is {ladder.state}; rounds start while it is {allowed}",
                    state=ladder.state.value,
                )
        raise Overtaken("too many rounds were opened at the same time; retry the request")

    def dry_run(self, ladder_id: str) -> DryRun:
        """Return what the next round would be if it started now. Raise `NothingToPlay`, `NoSuchLadder`, and
        `RoundRunning` if the pairing depends on the round under way."""
        ladder = self._ladders.get(ladder_id)
        number = self._store.last_round(ladder_id) + 1
        running = self._store.rounds_under_way(ladder_id)
        if running and ladder.format_class.uses_results and not ladder.format_class.overlaps_rounds:
            raise RoundRunning(
                f"the next pairing depends on the results of round {running[-1]}, which is under way",
                round=running[-1],
            )
        _, pairing, plan = self._next(ladder, number)
        meetings = [group.bots for group in plan.groups] or [table.entrants for table in plan.tables]
        if pairing is None:
            return DryRun(number, meetings, (), plan.excluded, len(plan.tables))
        return DryRun(number, meetings, pairing.out, pairing.excluded, len(plan.tables))

    def _new(self, ladder: Ladder, due: int | None) -> Round:
        """Return the ladder's next round, not yet opened. A due round that can't be planned is failed."""
        number, now = self._store.last_round(ladder.id) + 1, self._store.now()
        # The start may have been enqueued before the last round failed.
        if due is not None and now < after_failures(self._store, ladder, now):
            raise NothingToPlay("the last round failed recently; the next one is due later")
        new = Round(
            ladder.id,
            number,
            due,
            now,
            (),
            ladder.repeats,
            0,
            0,
            season=ladder.season,
            since=self._recorded(),
        )
        try:
            entrants, pairing, planned = self._next(ladder, number)
        except Exception as error:
            refused = isinstance(error, (LeagueError, RefereeError)) and not is_hopeless(error)
            if due is None or refused or self._store.is_away(error):
                raise
            if not is_hopeless(error):
                log.warning("ladder %s round %s can't be planned", ladder.id, number, exc_info=error)
            return new._replace(state=RoundState.FAILED, ended=now, reason=reason_of(error))
        return new._replace(
            entrants=entrants,
            excluded=planned.excluded if pairing is None else pairing.excluded,
            planned=len(planned.tables),
            meetings=pairing and _numbered(pairing.meetings, entrants),
            walkovers={} if pairing is None else pairing.walkovers,
        )

    def _next(self, ladder: Ladder, number: int) -> tuple[tuple[Entrant, ...], Pairing | None, RoundPlan]:
        """Return the entrants, the pairing as `_planned`, and the tables of the round with this number."""
        entrants = self._entrants.entrants(ladder)
        if ladder.format_class.overlaps_rounds:
            entrants = self._arenas.free(ladder, entrants)
        field = None
        if ladder.format_class.has_bracket:
            field = self._brackets.field(ladder, ladder.season_first, number, entrants)
        elif not ladder.has_implicit_pairing:
            field = self._field(ladder, entrants, number)
        with self._planning:
            pairing, planned = self._run_aside(lambda: _planned(ladder, entrants, number, field))
        return entrants, pairing, planned

    def _field(self, ladder: Ladder, entrants: tuple[Entrant, ...], number: int) -> Field:
        game = table_of(ladder.game, ladder.seats, ladder.options)
        entries = self._ladders.entries(ladder.id)
        first = min(entries, key=lambda each: each.entered, default=None)
        # The secret makes the seed unpredictable, since names at tables may be hidden.
        seed = f"{ladder.secret} {number}"
        field = Field(entrants, game.sides, 1 + number - ladder.season_first, seed, first=first and first.bot)
        if ladder.format_class.uses_results:
            before, ignored = self._before(ladder, number)
            seated = [
                (past, {past.entrants[at].id for each in past.meetings or () for at in each})
                for past in before
            ]
            waited: Counter[str] = Counter()
            for past, here in seated:
                waited.update(each.id for each in past.entrants)
                for bot in here:
                    waited[bot] = 0
            outcomes = self._store.outcomes(ladder.id, ladder.season)
            played = Counter(player.id for outcome in outcomes for player in outcome.players)
            field = field._replace(
                round=field.round - ignored,
                outcomes=outcomes,
                unplayed=Counter(bot for _, here in seated for bot in here) - played,
                sat_out=Counter(
                    each.id for past, here in seated for each in past.entrants if each.id not in here
                ),
                last_seated={bot: past.number for past, here in seated for bot in here},
                waited=waited,
                ratings=self._entrants.ratings(ladder, [entrant.id for entrant in entrants]),
                deals=ladder.deals * (ladder.seats if ladder.decks is DeckMode.ROTATED else 1),
            )
        return field

    def _before(self, ladder: Ladder, number: int) -> tuple[list[Round], int]:
        """Return the last `LOOKED_BACK` rounds of the season before this number, and how many failed rounds without
        results were skipped."""
        found: list[Round] = []
        ignored, top = 0, number
        while top > ladder.season_first and len(found) < LOOKED_BACK:
            since = max(ladder.season_first, top - LOOKED_BACK)
            rounds = [each for each in self._store.rounds(ladder.id, range(since, top)) if each is not None]
            counting = [each for each in rounds if not each.came_to_nothing]
            ignored += len(rounds) - len(counting)
            found, top = counting + found, since
        return found, ignored


def _planned(
    ladder: Ladder, entrants: tuple[Entrant, ...], number: int, field: Field | None
) -> tuple[Pairing | None, RoundPlan]:
    """Return the pairing of a round, or `None` if the entrants alone determine it, and the round's tables."""
    seed = f"{ladder.id} {number}"
    if field is not None:
        pairing = ladder.pairing_format().pair(field)
        if pairing.over is not None:
            raise NothingToPlay(pairing.over)
        planned = plan(entrants, ladder.seats, 1, number, seed, ladder.decks, pairing.meetings)
        if len(planned.tables) > MOST_TABLES:
            raise NothingToPlay(f"a round would have more than {MOST_TABLES} matches")
        return pairing, planned
    if size(len(entrants), ladder.seats, 1, ladder.decks) == 0:
        raise NothingToPlay(
            f"a round needs at least {ladder.seats} entries that can play; there are {len(entrants)}"
        )
    planned = plan(entrants, ladder.seats, ladder.repeats, number, seed, ladder.decks)
    if not planned.tables and ladder.decks is DeckMode.ONCE_ONLY:
        raise NothingToPlay("once-only decks need two entries, one of them a house bot")
    if not planned.tables:
        raise NothingToPlay("all possible tables would seat two bots of one owner together")
    return None, planned


def _numbered(
    meetings: Sequence[tuple[Entrant, ...]], entrants: Sequence[Entrant]
) -> tuple[tuple[int, ...], ...]:
    at = {entrant.id: number for number, entrant in enumerate(entrants)}
    return tuple(tuple(at[entrant.id] for entrant in meeting) for meeting in meetings)
