"""A round is opened, once for each due instant: who plays it, and whom they meet by the ladder's format."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from league.errors import LeagueError, NothingToPlay, Overtaken, RoundRunning, WrongLadderState
from league.ladders.model import STARTS_ROUNDS, Ladder, LadderState, Round, RoundState
from league.ladders.service import Ladders
from league.ladders.store import ROUNDS, SCHEDULES
from league.pairing.formats.field import Field, Pairing
from league.pairing.plan import MOST_TABLES, DeckMode, Entrant, RoundPlan, plan, size
from league.rounds.arena import MOST_AT_A_TIME, ArenaRounds
from league.rounds.brackets import BracketRounds
from league.rounds.continuing import after_failures
from league.rounds.entrants import RoundEntrants
from league.rounds.failing import is_hopeless, reason_of
from league.rounds.permission import NewMatchGate
from league.rounds.wakes import Wakes
from referee.errors import RefereeError
from referee.match.session import table_of

LOOKED_BACK: Final = 100
"""A format looks for who sat out in this many rounds before; a Swiss tournament has no more."""

log = logging.getLogger(__name__)


class DryRun(NamedTuple):
    """What a round would be."""

    number: int
    meetings: Sequence[tuple[Entrant, ...]]
    """Who would play a group, or where decks are independent a match."""
    out: Sequence[Entrant]
    """Who would have none this time."""
    excluded: int
    planned: int
    """How many matches that makes."""


class RoundOpener:
    """See the module."""

    def __init__(
        self,
        ladders: Ladders,
        entrants: RoundEntrants,
        arenas: ArenaRounds,
        brackets: BracketRounds,
        permission: NewMatchGate,
        wakes: Wakes,
    ) -> None:
        self._ladders, self._store = ladders, ladders.store
        self._entrants, self._arenas, self._brackets = entrants, arenas, brackets
        self._permission, self._wakes = permission, wakes

    def start(self, ladder_id: str, due: int | None = None) -> Round:
        """A new round, by hand or for a due instant; for one that has had its round, that round.

        A round that was due and can't be planned is opened as failed, so that its owner sees why. Raises `RoundRunning`
        while another is under way, `NothingToPlay`, `WrongLadderState`, `NoSuchLadder`, and `ServicePaused` or
        `ServiceDraining`; one that was due is due again then, until the service runs. By hand, raises whatever the
        planning does.
        """
        self._ladders.get(ladder_id)
        try:
            self._permission.ask()
        except RefereeError:
            if due is not None:
                self._store.set_due(SCHEDULES, ladder_id, due)
            raise
        states = STARTS_ROUNDS if due is None else {LadderState.RUNNING}
        for _ in range(16):
            ladder = self._ladders.get(ladder_id)
            new = self._new(ladder, due)
            number, now = new.number, new.started
            # Before it is opened: dying in between leaves a look for nothing, not a round that nobody looks at. And
            # after it: there may have been that look meanwhile.
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
                    f"round {opened.number} is under way; the next can start when it is over",
                    round=opened.number,
                )
            if opened.what == "state":
                ladder = self._ladders.get(ladder_id)
                said = " or ".join(sorted(states))
                raise WrongLadderState(
                    f"the ladder is {ladder.state}; rounds start while it is {said}", state=ladder.state.value
                )
        raise Overtaken("other rounds were opened too many times meanwhile; send the request again")

    def dry_run(self, ladder_id: str) -> DryRun:
        """What the next round would be if it started now. Raises `NothingToPlay`, `NoSuchLadder`, and `RoundRunning`
        where it goes by what comes of the round under way."""
        ladder = self._ladders.get(ladder_id)
        number = self._store.last_round(ladder_id) + 1
        running = self._store.rounds_under_way(ladder_id)
        if running and ladder.format_class.uses_results and not ladder.format_class.overlaps_rounds:
            raise RoundRunning(
                f"whom the entries meet next goes by what comes of round {running[-1]}, which is under way",
                round=running[-1],
            )
        _, pairing, plan = self._next(ladder, number)
        meetings = [group.bots for group in plan.groups] or [table.entrants for table in plan.tables]
        if pairing is None:
            return DryRun(number, meetings, (), plan.excluded, len(plan.tables))
        return DryRun(number, meetings, pairing.out, pairing.excluded, len(plan.tables))

    def _new(self, ladder: Ladder, due: int | None) -> Round:
        """The ladder's next round, not yet opened; failed already if it was due and can't be planned."""
        number, now = self._store.last_round(ladder.id) + 1, self._store.now()
        # Asked for before the last round failed, perhaps.
        if due is not None and now < after_failures(self._store, ladder):
            raise NothingToPlay("the last round failed a short while ago; the next one is due later")
        new = Round(ladder.id, number, due, now, (), ladder.repeats, 0, 0, season=ladder.season)
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
        )

    def _next(self, ladder: Ladder, number: int) -> tuple[tuple[Entrant, ...], Pairing | None, RoundPlan]:
        """Who can play the round of this number, their meetings as `_paired`, and its tables."""
        entrants = self._entrants.of(ladder)
        if ladder.format_class.overlaps_rounds:
            entrants = self._arenas.free(ladder, entrants)
        pairing = self._paired(ladder, entrants, number)
        return entrants, pairing, self._checked(ladder, entrants, number, pairing)

    def _paired(self, ladder: Ladder, entrants: tuple[Entrant, ...], number: int) -> Pairing | None:
        """The meetings of this round by the ladder's format; `None` where they follow from the entrants alone."""
        if ladder.has_implicit_pairing:
            return None
        field = (
            self._brackets.field(ladder, ladder.season_first, number, entrants)
            if ladder.format_class.has_bracket
            else self._field(ladder, entrants, number)
        )
        pairing = ladder.pairing_format().pair(field)
        if pairing.over is not None:
            raise NothingToPlay(pairing.over)
        return pairing

    def _field(self, ladder: Ladder, entrants: tuple[Entrant, ...], number: int) -> Field:
        """What the formats but knock-out go by."""
        game = table_of(ladder.game, ladder.seats, ladder.options)
        entries = self._ladders.entries(ladder.id)
        first = min(entries, key=lambda each: each.entered, default=None)
        # Chance that nobody else can reckon: names at tables may be hidden.
        seed = f"{ladder.secret} {number}"
        field = Field(entrants, game.sides, 1 + number - ladder.season_first, seed, first=first and first.bot)
        if ladder.format_class.uses_results:
            before, ignored = self._before(ladder, number)
            seated = [
                (of, {of.entrants[at].id for each in of.meetings or () for at in each}) for of in before
            ]
            waited: Counter[str] = Counter()
            for of, here in seated:
                waited.update(each.id for each in of.entrants)
                for bot in here:
                    waited[bot] = 0
            outcomes = self._store.outcomes(ladder.id, ladder.season)
            played = Counter(player.id for outcome in outcomes for player in outcome.players)
            field = field._replace(
                round=field.round - ignored,
                outcomes=outcomes,
                unplayed=Counter(bot for _, here in seated for bot in here) - played,
                sat_out=Counter(
                    each.id for of, here in seated for each in of.entrants if each.id not in here
                ),
                last_seated={bot: of.number for of, here in seated for bot in here},
                waited=waited,
                ratings=self._entrants.ratings(ladder, [entrant.id for entrant in entrants]),
                deals=ladder.deals * (ladder.seats if ladder.decks is DeckMode.ROTATED else 1),
            )
        return field

    def _before(self, ladder: Ladder, number: int) -> tuple[list[Round], int]:
        """The last `LOOKED_BACK` rounds of the season before the one of this number, and how many that came to nothing
        are ignored among them."""
        found: list[Round] = []
        ignored, top = 0, number
        while top > ladder.season_first and len(found) < LOOKED_BACK:
            since = max(ladder.season_first, top - LOOKED_BACK)
            rounds = [of for of in self._store.rounds(ladder.id, range(since, top)) if of is not None]
            counting = [of for of in rounds if not of.came_to_nothing]
            ignored += len(rounds) - len(counting)
            found, top = counting + found, since
        return found, ignored

    def _checked(
        self, ladder: Ladder, entrants: tuple[Entrant, ...], number: int, pairing: Pairing | None
    ) -> RoundPlan:
        if pairing is not None:
            seed = f"{ladder.id} {number}"
            planned = plan(entrants, ladder.seats, 1, number, seed, ladder.decks, pairing.meetings)
            if len(planned.tables) > MOST_TABLES:
                raise NothingToPlay(f"a round would have more than {MOST_TABLES} matches")
            return planned
        if size(len(entrants), ladder.seats, 1, ladder.decks) == 0:
            raise NothingToPlay(
                f"a round needs at least {ladder.seats} entries that can play; there are {len(entrants)}"
            )
        planned = plan(entrants, ladder.seats, ladder.repeats, number, f"{ladder.id} {number}", ladder.decks)
        if not planned.tables and ladder.decks is DeckMode.ONCE_ONLY:
            raise NothingToPlay(
                "once-only decks need two entries, and a house bot among them to play against"
            )
        if not planned.tables:
            raise NothingToPlay("all possible tables would seat two bots of one owner together")
        return planned


def _numbered(
    meetings: Sequence[tuple[Entrant, ...]], entrants: Sequence[Entrant]
) -> tuple[tuple[int, ...], ...]:
    at = {entrant.id: number for number, entrant in enumerate(entrants)}
    return tuple(tuple(at[entrant.id] for entrant in meeting) for meeting in meetings)
