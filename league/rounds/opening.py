"""Opening rounds: who plays, and whom they meet by the ladder's format. Each due instant opens one round."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from league.errors import (
    LeagueError,
    NoBracket,
    NothingToPlay,
    Overtaken,
    RoundRunning,
    WrongLadderState,
)
from league.ladders.model import ROUNDS, SCHEDULES, STARTS_ROUNDS, Ladder, LadderState, Round, RoundState
from league.pairing.formats.bracket import Bracket
from league.pairing.formats.field import Field, Pairing
from league.pairing.formats.knock_out import KnockOut
from league.pairing.formats.seats import SeatsHad, placed, seats_had
from league.pairing.plan import MOST_TABLES, DeckMode, Entrant, RoundPlan, plan
from league.rounds.context import RoundContext, RoundPart
from league.rounds.entrants import RoundEntrants
from league.rounds.planned_matches import PlannedMatches
from league.rounds.results import SeasonRounds
from league.rounds.timing import after_failures
from league.rounds.working import is_hopeless, reason_of
from records.errors import RefereeError
from records.match.session import table_of

MOST_ROUNDS_AT_A_TIME: Final = 500
"""The maximum number of concurrent rounds of an arena."""


class BracketRounds(RoundPart):
    """Computes the brackets of knock-out ladders."""

    def __init__(self, context: RoundContext, entrants: RoundEntrants) -> None:
        super().__init__(context)
        self._entrants = entrants

    def bracket(self, ladder_id: str, season: int | None = None) -> Bracket:
        """Return the bracket of a season, by default the current one. It has no stages before the first round.

        Raise `NoBracket`, `NoSuchLadder` or `NoSuchSeason`.
        """
        ladder = self._ladders.get(ladder_id)
        format_ = ladder.pairing_format()
        if not isinstance(format_, KnockOut):
            raise NoBracket(f"the ladder's format is {ladder.format}; only a knock_out has a bracket")
        found = self._ladders.season(ladder, ladder.season if season is None else season)
        numbers = self._ladders.rounds_of(found)
        rounds = self._rounds(ladder, numbers)
        if not rounds:
            return Bracket((), None, 0)
        # The entrants of the last round were present then, whatever happened to them since.
        is_over = found.ended is not None or found.walkovers is not None
        here = rounds[-1].entrants if is_over else self._entrants.entrants(ladder)
        field = self.field(ladder, numbers.start, numbers.stop, here, found.number)
        if found.walkovers is not None:
            field = field._replace(walkovers=found.walkovers, refused={})
        return format_.bracket(field)

    def field(
        self,
        ladder: Ladder,
        first_round: int,
        number: int,
        here: Sequence[Entrant],
        season: int | None = None,
    ) -> Field:
        """Return the knock-out's field for round `number`, where `here` are the bots that can play it. The bracket
        contains the bots of the season's first round; later entries are not added."""
        table = table_of(ladder.game, ladder.seats, ladder.options)
        rounds = self._rounds(ladder, range(first_round, number))
        began = rounds[0].entrants if rounds else here
        # A bot that was absent when a round was opened is out for good, since others have advanced in its place.
        still = {entrant.id for entrant in here}.intersection(
            *({entrant.id for entrant in each.entrants} for each in rounds)
        )
        return Field(
            began,
            table.sides,
            1 + number - first_round,
            f"{ladder.secret} {number}",
            outcomes=self._store.outcomes(ladder.id, season or ladder.season),
            gone=frozenset(entrant.id for entrant in began if entrant.id not in still),
            refused=self._entrants.refused(ladder, began),
            walkovers=rounds[-1].walkovers if rounds else {},
        )

    def _rounds(self, ladder: Ladder, numbers: range) -> list[Round]:
        """Return these rounds without failed ones that count nothing."""
        found = self._store.rounds(ladder.id, numbers)
        return [each for each in found if each is not None and not each.came_to_nothing]


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

    @property
    def bots(self) -> set[Entrant]:
        """All bots of the round."""
        return {*self.out, *(bot for meeting in self.meetings for bot in meeting)}


class RoundOpener(RoundPart):
    def __init__(
        self,
        context: RoundContext,
        entrants: RoundEntrants,
        tables: PlannedMatches,
        brackets: BracketRounds,
        results: SeasonRounds,
    ) -> None:
        super().__init__(context)
        self._entrants, self._tables, self._brackets, self._results = entrants, tables, brackets, results
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
            self._context.check_open()
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
                new,
                sorted(states),
                MOST_ROUNDS_AT_A_TIME if ladder.format_class.overlaps_rounds else 1,
                revision=ladder.revision,
            )
            if opened.what == "opened":
                if new.state is RoundState.FAILED:
                    self._context.report_failed(ladder, new)
                    self._store.set_due(ROUNDS, ladder_id, now)
                    log.error("ladder %s round %s failed: %s", ladder_id, number, new.reason)
                else:
                    self._context.wake_opened(ladder_id, number, now)
                return new
            if opened.what == "exists":
                found = self._ladders.round(ladder_id, opened.number)
                if found.state is RoundState.FAILED:
                    self._context.report_failed(ladder, found)  # who opened it may have died before
                return found
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
        _, pairing, plan = self._next(ladder, number, self._seats_had(ladder, number))
        meetings = [group.bots for group in plan.groups] or [table.entrants for table in plan.tables]
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
            since=self._referee.recorded(),
        )
        try:
            had = self._seats_had(ladder, number)
            entrants, pairing, planned = self._next(ladder, number, had)
        except Exception as error:
            refused = isinstance(error, (LeagueError, RefereeError)) and not is_hopeless(error)
            if due is None or refused or self._store.is_away(error):
                raise
            if not is_hopeless(error):
                log.warning("ladder %s round %s can't be planned", ladder.id, number, exc_info=error)
            return new._replace(state=RoundState.FAILED, ended=now, reason=reason_of(error))
        once_only = ladder.decks is DeckMode.ONCE_ONLY
        return new._replace(
            entrants=entrants,
            excluded=pairing.excluded,
            planned=len(planned.tables),
            meetings=None if once_only else _numbered(pairing.meetings, entrants),
            walkovers=pairing.walkovers,
            reasons=pairing.reasons,
            out=None if once_only else _sitting_out(pairing, entrants),
            seats_had=had,
        )

    def _next(
        self, ladder: Ladder, number: int, had: SeatsHad
    ) -> tuple[tuple[Entrant, ...], Pairing, RoundPlan]:
        """Return the entrants, the pairing and the tables of the round with this number."""
        entrants = self._entrants.entrants(ladder)
        if ladder.format_class.overlaps_rounds:
            entrants = self._free(ladder, entrants)
        if ladder.format_class.has_bracket:
            field = self._brackets.field(ladder, ladder.season_first, number, entrants)
        else:
            field = self._field(ladder, entrants, number)
        field = field._replace(seats_had=had)
        with self._planning:
            pairing, planned = self._context.run_in_thread(lambda: _planned(ladder, entrants, number, field))
        return entrants, pairing, planned

    def _seats_had(self, ladder: Ladder, number: int) -> SeatsHad:
        """Return the seats that bots had in the season before this round. Rounds that came to nothing don't count."""
        if ladder.decks is not DeckMode.INDEPENDENT:
            return {}
        for before in range(number - 1, ladder.season_first - 1, -1):
            (past,) = self._store.rounds(ladder.id, [before])
            if past is not None and not past.came_to_nothing:
                tables = [table.entrants for table in self._tables.plan(ladder, past).tables]
                return seats_had(past.seats_had, tables, ladder.seats)
        return {}

    def _free(self, ladder: Ladder, entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
        """Return the entrants of an arena that can be seated now: those that are online and free.

        Rounds of an arena overlap, so that a slow match delays only its players. A bot is free if it sits at no table
        of a round under way whose group has not ended, and its match policy permits one more match. House bots are
        always online, and sit at one table at a time like all others, so that all bots play equally often.
        """
        bots = self._ladders.accounts.bots_by_ids([each.id for each in entrants if not each.house])
        remote = {bot.id: bot for bot in bots if bot is not None}
        online, playing = self._context.online([*remote]), self._context.running([*remote])
        gone = self._seated(ladder) | (remote.keys() - online)
        gone |= {bot for bot, each in remote.items() if playing.get(bot, 0) >= each.match_policy.max_matches}
        return tuple(each for each in entrants if each.id not in gone)

    def _seated(self, ladder: Ladder) -> set[str]:
        """Return the bots at tables of rounds under way whose groups have not ended."""
        found: set[str] = set()
        rounds = self._store.rounds(ladder.id, self._store.rounds_under_way(ladder.id))
        under_way = [each for each in rounds if each is not None]
        for round_, unsettled in zip(under_way, self._store.unsettled(under_way), strict=True):
            tables = self._tables.plan(ladder, round_).tables
            found |= {entrant.id for table in unsettled for entrant in tables[table].entrants}
        return found

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
            field = field._replace(
                round=field.round - ignored,
                outcomes=outcomes,
                rounds=self._results.rounds(ladder, range(ladder.season_first, number), outcomes),
                last_seated={bot: past.number for past, here in seated for bot in here},
                waited=waited,
                ratings=self._entrants.ratings(ladder, [entrant.id for entrant in entrants]),
                deals=ladder.group_deals,
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
    ladder: Ladder, entrants: tuple[Entrant, ...], number: int, field: Field
) -> tuple[Pairing, RoundPlan]:
    """Return the pairing of a round and its tables. With once-only decks the entrants alone determine the tables."""
    seed = f"{ladder.id} {number}"
    if ladder.decks is DeckMode.ONCE_ONLY:
        planned = plan(entrants, ladder.seats, ladder.repeats, seed, ladder.decks, ())
        if not planned.tables:
            raise NothingToPlay("once-only decks need two entries, one of them a house bot")
        return Pairing(()), planned
    pairing = ladder.pairing_format().pair(field)
    if pairing.over is not None:
        raise NothingToPlay(pairing.over)
    if ladder.decks is DeckMode.INDEPENDENT:
        pairing = pairing._replace(meetings=placed(pairing.meetings, field))
    planned = plan(entrants, ladder.seats, 1, seed, ladder.decks, pairing.meetings)
    if len(planned.tables) > MOST_TABLES:
        raise NothingToPlay(f"a round would have more than {MOST_TABLES} matches")
    return pairing, planned


def _numbered(
    meetings: Sequence[tuple[Entrant, ...]], entrants: Sequence[Entrant]
) -> tuple[tuple[int, ...], ...]:
    at = {entrant.id: number for number, entrant in enumerate(entrants)}
    return tuple(tuple(at[entrant.id] for entrant in meeting) for meeting in meetings)


def _sitting_out(pairing: Pairing, entrants: Sequence[Entrant]) -> tuple[int, ...]:
    """Return the indexes of the entrants that sit out. A bot that has left can have a bye in a bracket."""
    out = {entrant.id for entrant in pairing.out}
    return tuple(number for number, entrant in enumerate(entrants) if entrant.id in out)
