"""How a round of a ladder is run: opened once, worked on by whoever has its lease, counted match by match.

Everything here may be done twice, by two workers at once, or be broken off anywhere:

* a round is opened once for each due instant, and a ladder has one round at a time;
* who its entrants are is written when it is opened; its tables follow from that (`league.pairing`), and the ids of its
  matches from ladder, round and table, so that a match created twice is created once;
* only the worker with the lease deals with tables, each once: it puts the match among the open ones, then creates it.
  A worker that takes over looks through the open ones for those never created or finished unnoticed;
* a match is counted when it is taken from the open ones, in the same script that adds to the sums.

Where decks are not independent a table belongs to a duplicate group: its match counts when the group is over, and what
stands for it among the open ones is the id of its first attempt.

Matches among house bots alone are played whole by the worker; those with remote bots are created, no more at
a time for each bot than it accepts, and the round goes on when some are over.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from engine.game import Game
from league.accepts import Occasion
from league.accounts import Bot
from league.errors import NothingToPlay, NotRerunnable, Overtaken, RoundRunning, WrongLadderState
from league.formats import REPEATED
from league.formats.field import Field, Pairing
from league.ladders import (
    ROUNDS,
    SCHEDULES,
    STARTS_ROUNDS,
    Counted,
    Ladder,
    Ladders,
    LadderState,
    Result,
    Round,
)
from league.outcomes import outcome_of, played_of
from league.pairing import MOST_TABLES, Decks, Entrant, Plan, plan, size
from league.ratings import Rating
from referee.errors import RefereeError
from referee.group import Group, GroupKind, GroupStatus
from referee.groups import Groups
from referee.ids import derived_match_id, random_text
from referee.record import preset_of
from referee.referee import Live, Referee
from referee.service import Service, admit
from referee.table import Ending, Seat, Status, places, table_of

LEASE_MS: Final = 15_000
"""How long a worker that says nothing more keeps a round."""
LOOK_MS: Final = 5_000
"""How often a round that waits for its matches is looked at anyway."""
AT_A_TIME: Final = 8
"""How many tables are dealt with in one step."""
LOOKED_BACK: Final = 100
"""Into so many rounds before a format looks for who sat out; a Swiss tournament has no more."""
LONG_MATCHES: Final = 4
"""How many house matches that were too long for one job a round has under way at most."""

Wake = Callable[[str, int, int], None]
"""Have a round worked on soon: ladder, number, epoch. A wake-up for the same three may be left out while one waits."""
StartDue = Callable[[str, int], None]
"""Have a round started for a due instant: ladder, instant. The same."""

log = logging.getLogger(__name__)


class DryRun(NamedTuple):
    """What a round would be."""

    number: int
    meetings: Sequence[tuple[Entrant, ...]]
    """Who would play a group, or where decks are independent a match."""
    out: Sequence[Entrant]
    """Who would have none this time."""
    left_out: int
    planned: int
    """How many matches that makes."""


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
        running: Callable[[Sequence[str]], Mapping[str, int]] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        service: Service | None = None,
        ratings: Callable[[str, Sequence[str]], Mapping[str, Rating]] = lambda preset, bots: {},
    ) -> None:
        """Rounds start, and go on, while the `service` runs. `running` tells in how many matches each of these bots
        plays now, those of this ladder among them, if somebody keeps count; without it a round minds its own."""
        self.ladders = ladders
        self.store = ladders.store
        self.referee = referee
        self.groups = groups
        self._wake = wake
        self._start_due = start_due
        self._running = running
        self._monotonic = monotonic
        self._service = service
        self._ratings = ratings
        self._plans: OrderedDict[tuple[str, int], Plan] = OrderedDict()

    # 1. Opening

    def start(self, ladder_id: str, due: int | None = None) -> Round:
        """A new round, by hand or for a due instant; for one that has had its round, that round.

        Raises `RoundRunning` while another is under way, `NothingToPlay`, `WrongLadderState`, `NoSuchLadder`, and
        `ServicePaused` or `ServiceDraining`; one that was due is due again then, until the service runs.
        """
        ladder = self.ladders.get(ladder_id)
        try:
            self._admit()
        except RefereeError:
            if due is not None:
                self.store.set_due(SCHEDULES, ladder_id, due)
            raise
        states = STARTS_ROUNDS if due is None else {LadderState.RUNNING}
        for _ in range(16):
            entrants = self._entrants(ladder)
            number = self.store.last_round(ladder_id) + 1
            pairing = self._paired(ladder, entrants, number)
            planned = self._checked(ladder, entrants, number, pairing)
            now = self.store.now()
            new = Round(
                ladder_id,
                number,
                due,
                now,
                entrants,
                ladder.repeats,
                planned.left_out if pairing is None else pairing.left_out,
                len(planned.tables),
                meetings=pairing and _numbered(pairing.meetings, entrants),
            )
            # Before it is opened: dying in between leaves a look for nothing, not a round that nobody looks at.
            self.store.set_due(ROUNDS, ladder_id, now)
            opened = self.store.open_round(new, sorted(states))
            if opened.what == "opened":
                self._wake(ladder_id, number, 0)
                return new
            if opened.what == "exists":
                return self.ladders.round(ladder_id, opened.number)
            if opened.what == "running":
                raise RoundRunning(
                    f"round {opened.number} is under way; the next can start when it is over",
                    round=opened.number,
                )
            if opened.what == "state":
                ladder = self.ladders.get(ladder_id)
                said = " or ".join(sorted(states))
                raise WrongLadderState(
                    f"the ladder is {ladder.state}; rounds start while it is {said}", state=ladder.state.value
                )
        raise Overtaken("other rounds were opened too many times meanwhile; send the request again")

    def dry_run(self, ladder_id: str) -> DryRun:
        """What the next round would be if it started now. Raises `NothingToPlay`, `NoSuchLadder`."""
        ladder = self.ladders.get(ladder_id)
        entrants, number = self._entrants(ladder), self.store.last_round(ladder_id) + 1
        pairing = self._paired(ladder, entrants, number)
        plan = self._checked(ladder, entrants, number, pairing)
        meetings = [group.bots for group in plan.groups] or [table.entrants for table in plan.tables]
        if pairing is None:
            return DryRun(number, meetings, (), plan.left_out, len(plan.tables))
        return DryRun(number, meetings, pairing.out, pairing.left_out, len(plan.tables))

    # 2. Working

    def work(self, ladder_id: str, number: int, budget_s: float = 1.5) -> bool:
        """Work on a round for about so long. Returns whether there is more to do at once.

        Does nothing, and returns false, while another worker has the lease, while the service does not run, and when
        the round is done.
        """
        if not self._admits():
            return False
        worker = random_text(16)
        lease = self.store.take_lease(ladder_id, number, worker, LEASE_MS)
        if not lease.held:
            return False
        try:
            more = self._work(ladder_id, number, worker, lease.clean, self._monotonic() + budget_s)
        except Exception:
            # What was half done is for the next one to find, who need not wait for the lease to run out.
            self.store.give_lease(ladder_id, number, worker, clean=False)
            raise
        self.store.give_lease(ladder_id, number, worker, clean=True)
        return more

    def epoch(self, ladder_id: str, number: int) -> int:
        """For `Wake`."""
        (found,) = self.store.rounds(ladder_id, [number])
        return found.epoch if found is not None else 0

    # 3. Counting

    def on_readable(self, lives: Sequence[Live]) -> None:
        """Count matches that may be read; those of no ladder, and those counted already, change nothing."""
        self._note(lives)
        for live in lives:
            self._count(live)

    def on_ended(self, live: Live) -> None:
        """Make room for others where a match of a group is over before its group is."""
        ladder_id, number = live.setup.ladder, live.setup.round
        if ladder_id is None or number is None or live.setup.group is None:
            return
        self.store.hold(ladder_id, number, self._ticket(live))
        self._wake(ladder_id, number, self.epoch(ladder_id, number))

    def _count(self, live: Live) -> None:
        ladder_id, number = live.setup.ladder, live.setup.round
        if ladder_id is None or number is None or live.head.status is not Status.FINISHED:
            return
        result = result_of(live, self._ticket(live))
        counted = self.store.count(ladder_id, number, result)
        if live.void and result.played:
            self.store.take_back(ladder_id, number, result)
        if counted.done:
            self._done(ladder_id)
        elif counted.new and counted.wants_more and not (counted.leased and _among_house_bots(live)):
            # A worker that is at it makes the next house match anyway; room for a remote bot it may have missed.
            self._wake(ladder_id, number, counted.epoch)

    def rerun(self, match: str) -> Live:
        """A ladder's match that is void is played again: the same seats in the same round, as another match in its
        place. Twice is once. Raises `NotRerunnable`, `NoSuchMatch`, `WrongLadderState`, and `ServicePaused` or
        `ServiceDraining`."""
        live = self.referee.look(match)
        ladder_id, number = live.setup.ladder, live.setup.round
        if ladder_id is None or number is None:
            raise NotRerunnable("it is no match of a ladder: whoever wants it again makes another one")
        if live.setup.group is not None:
            raise NotRerunnable("a match of a duplicate group is not played again by itself")
        if not live.void:
            raise NotRerunnable("the match counts: it is to be voided first")
        self._admit()
        ladder, of = self.ladders.get(ladder_id), self.ladders.round(ladder_id, number)
        if ladder.state is LadderState.CLOSED:
            raise WrongLadderState("the ladder is closed", state=ladder.state.value)
        # It may have been voided this very moment.
        self._count(live)
        table = self._table_of(ladder, of, match)
        entrants, able = self._plan(ladder, of).tables[table].entrants, self._able(ladder, of)
        gone = [entrant.name for entrant in entrants if entrant.id not in able]
        if gone:
            raise NotRerunnable(f"{' and '.join(gone)} can't be seated any more")
        again = derived_match_id("rerun", ladder.secret, match)
        return self._create(ladder, of, self.store.rerun(ladder_id, number, match, again, table), entrants)

    # 4. Time

    def tick(self, most: int = 100) -> int:
        """Start what is due and look after rounds that nobody works on; safe to do by several at once. Returns
        the number of ladders that were looked at."""
        now, scheduled = self.store.due(SCHEDULES, most if self._admits() else 0)
        for ladder_id, due in scheduled:
            self._scheduled(ladder_id, due, now)
        now, waiting = self.store.due(ROUNDS, most)
        for ladder_id, due in waiting:
            self._waiting(ladder_id, due, now)
        return len(scheduled) + len(waiting)

    # Inside

    def _admit(self) -> None:
        if self._service is not None:
            admit(self._service)

    def _admits(self) -> bool:
        try:
            self._admit()
        except RefereeError:
            return False
        return True

    def _scheduled(self, ladder_id: str, due: int, now: int) -> None:
        ladder = self.store.ladder(ladder_id)
        following: int | None = None
        if ladder is not None and ladder.schedule is not None and ladder.state is LadderState.RUNNING:
            # However many starts were missed, this is the one that they become; the next lies in the future.
            self._start_due(ladder_id, due)
            (following,) = ladder.schedule.after(now)
        self.store.move_due(SCHEDULES, ladder_id, due, following)

    def _waiting(self, ladder_id: str, due: int, now: int) -> None:
        number = self.store.running_round(ladder_id)
        if number is None:
            if self.store.ladder(ladder_id) is not None:
                self.ladders.close_if_done(ladder_id)
            self.store.move_due(ROUNDS, ladder_id, due, None)
            return
        self._wake(ladder_id, number, self.epoch(ladder_id, number))
        self.store.move_due(ROUNDS, ladder_id, due, now + LOOK_MS)

    def _work(self, ladder_id: str, number: int, worker: str, clean: bool, until: float) -> bool:
        ladder = self.ladders.get(ladder_id)
        of = self.ladders.round(ladder_id, number)
        plan = self._plan(ladder, of)
        if not clean:
            self._recover(ladder, of, plan, until)
        able = self._able(ladder, of)
        opened = self.store.open_matches(ladder_id, number)
        busy: Counter[str] = Counter()
        long_matches = 0
        for table in opened.values():
            entrants = plan.tables[table].entrants
            busy.update(entrant.id for entrant in entrants if not entrant.house)
            long_matches += _house_only(entrants)
        for bot, matches in self._elsewhere(able).items():
            busy[bot] = max(busy[bot], matches)
        at_play = {plan.tables[table].group for table in opened.values()} - {None}
        made = self.store.made(ladder_id, number, of.planned)
        pending = (table for table in range(of.planned) if not made[table])
        for batch in _batches(self._possible(ladder, pending, plan, able, busy, at_play), AT_A_TIME):
            chosen = {table: self._ticket_of(ladder, of, plan, table, able, made) for table in batch}
            fresh = self.store.make(of, worker, LEASE_MS, chosen)
            if fresh is None:
                log.warning("ladder %s round %s: the lease was lost", ladder_id, number)
                return False
            for table in fresh:
                made[table] = True
                ticket = chosen[table]
                if ticket is not None:
                    long_matches += self._play(ladder, of, plan, table, ticket, until)
            if self._monotonic() >= until or long_matches >= LONG_MATCHES:
                break
        if self.store.running_round(ladder_id) != number:
            self._done(ladder_id)
            return False
        made = self.store.made(ladder_id, number, of.planned)
        left = (table for table in range(of.planned) if not made[table])
        more = long_matches < LONG_MATCHES and any(
            True for _ in self._possible(ladder, left, plan, able, busy, at_play)
        )
        self.store.set_due(ROUNDS, ladder_id, self.store.now() + (LEASE_MS if more else LOOK_MS))
        return more

    def _possible(
        self,
        ladder: Ladder,
        pending: Iterable[int],
        plan: Plan,
        able: Mapping[str, Bot],
        busy: Counter[str],
        at_play: set[int | None],
    ) -> Iterable[int]:
        """Of these tables those whose bots have room for one more match, which is taken from it, and those to be
        dropped. A remote bot sits at one table of a group at a time."""
        for table in pending:
            entrants, group, _ = plan.tables[table]
            remote = [entrant.id for entrant in entrants if not entrant.house]
            if not _accepted(entrants, able, ladder):
                yield table
            elif group not in at_play and all(busy[bot] < able[bot].accepts.at_most for bot in remote):
                busy.update(remote)
                if group is not None and remote:
                    at_play.add(group)
                yield table

    def _ticket_of(
        self, ladder: Ladder, of: Round, plan: Plan, table: int, able: Mapping[str, Bot], made: Sequence[bool]
    ) -> str | None:
        """What stands for a table's match among the open ones, or `None` if it is not to be played: one whose bots
        can't be seated, all of a group with such a bot, and what is left of a group that was aborted or is void. A
        group that was begun is played on: whoever is gone forfeits."""
        entrants, group, slot = plan.tables[table]
        if group is None:
            if not _accepted(entrants, able, ladder):
                return None
            return derived_match_id("ladder", ladder.secret, ladder.id, of.number, table)
        begun = any(made[other] for other in plan.groups[group].tables)
        if begun:
            known = self.groups.store.group(_group_id(ladder, of, group))
            if known is None or self.groups.store.statuses([known.id]) != [GroupStatus.RUNNING]:
                return None
        elif not all(
            _accepted(plan.tables[other].entrants, able, ladder) for other in plan.groups[group].tables
        ):
            return None
        return self._group(ladder, of, plan, group).match_id(slot, 0)

    def _ticket(self, live: Live) -> str:
        """What stands for a match among the open ones of its round: in a group its first attempt."""
        of = live.setup.group
        return live.id if of is None else self.groups.get(of.id).match_id(of.slot, 0)

    def _group(self, ladder: Ladder, of: Round, plan: Plan, number: int) -> Group:
        planned = plan.groups[number]
        return self.groups.add(
            Group(
                id=_group_id(ladder, of, number),
                kind=GroupKind(ladder.decks),
                game=ladder.game,
                options=ladder.options,
                bots=tuple(_seat(entrant) for entrant in planned.bots),
                tables=planned.seatings,
                entropy=tuple(entrant.entropy for entrant in planned.bots),
                clock=ladder.clock,
                dealer=None,
                secret=secrets.token_bytes(32),
                created=self.store.now(),
                rated=ladder.rated,
                ladder=ladder.id,
                round=of.number,
            )
        )

    def _play(self, ladder: Ladder, of: Round, plan: Plan, table: int, ticket: str, until: float) -> bool:
        """Create the match of a table and, if it is one among house bots, play it. Returns whether it goes on by
        itself."""
        entrants, group, slot = plan.tables[table]
        if group is not None:
            match = self.groups.seat(self._group(ladder, of, plan, group), slot)
        else:
            match = self._create(ladder, of, ticket, entrants).id
        live = self.referee.look(match)
        if not live.finished and _house_only(entrants):
            more = self.referee.go_on(match, max(0.05, until - self._monotonic()))
            live = self.referee.look(match)
            if more and not live.finished:
                return True
        if live.finished and group is None:
            self._count_here(live)
        return False

    def _create(self, ladder: Ladder, of: Round, match: str, entrants: tuple[Entrant, ...]) -> Live:
        return self.referee.create(
            ladder.game,
            [_seat(entrant) for entrant in entrants],
            ladder.options,
            deals=ladder.deals,
            clock=ladder.clock,
            entropy=[entrant.entropy for entrant in entrants],
            rated=ladder.rated,
            ladder=ladder.id,
            round=of.number,
            match_id=match,
        )

    def _recover(self, ladder: Ladder, of: Round, plan: Plan, until: float) -> None:
        """Put right what a worker before us left half done: matches never created, ends unnoticed."""
        opened = self.store.open_matches(ladder.id, of.number)
        for batch in _batches(opened, 100):
            for match, live in zip(batch, self.referee.look_at(batch), strict=True):
                if live is None:
                    self._play(ladder, of, plan, opened[match], match, until)
                elif live.finished and live.setup.group is None:
                    self._count_here(live)

    def _count_here(self, live: Live) -> None:
        """Count a match in the worker itself, which goes on anyway."""
        ladder_id, number = live.setup.ladder, live.setup.round
        assert ladder_id is not None
        assert number is not None
        counted: Counted = self.store.count(ladder_id, number, result_of(live, live.id))
        if counted.done:
            self._done(ladder_id)

    def _done(self, ladder_id: str) -> None:
        ladder = self.store.ladder(ladder_id)
        if ladder is not None and ladder.state is LadderState.CLOSING:
            self.ladders.close_if_done(ladder_id)

    def _table_of(self, ladder: Ladder, of: Round, match: str) -> int:
        """The table at which a match of the round was played."""
        before = {again: first for first, again in self.store.reruns(ladder.id, of.number).items()}
        while match in before:
            match = before[match]
        for table in range(of.planned):
            if derived_match_id("ladder", ladder.secret, ladder.id, of.number, table) == match:
                return table
        raise NotRerunnable("the round has no table of this match")

    def _note(self, lives: Sequence[Live]) -> None:
        """Keep what a group came to, where the format of its ladder goes by that; before the round can be done."""
        setup = lives[0].setup
        ladder = None if setup.ladder is None else self.store.ladder(setup.ladder)
        if ladder is None or ladder.format in REPEATED:
            return
        played = [each for each in map(played_of, lives) if each is not None]
        outcome = outcome_of(played) if played else None
        if outcome is not None:
            self.store.put_outcome(ladder.id, outcome)
        else:
            self.store.drop_outcome(ladder.id, setup.id if setup.group is None else setup.group.id)

    def _paired(self, ladder: Ladder, entrants: tuple[Entrant, ...], number: int) -> Pairing | None:
        """The meetings of this round by the ladder's format; `None` where they follow from the entrants alone."""
        if ladder.format == "round_robin" and not ladder.parameters:
            return None
        game = _table(ladder)
        field = Field(entrants, game.sides, number, f"{ladder.id} {number}")
        if ladder.format not in REPEATED:
            before = self.store.rounds(ladder.id, range(max(1, number - LOOKED_BACK), number))
            seated = [
                (of, {of.entrants[at].id for each in of.meetings or () for at in each}) for of in before if of
            ]
            # Seeds: a knock-out's bracket is of those with whom it began, whoever came later.
            first = before[0] if before and ladder.format == "knock_out" else None
            field = field._replace(
                entrants=entrants if first is None else first.entrants,
                outcomes=self.store.outcomes(ladder.id),
                sat_out=Counter(
                    each.id for of, here in seated for each in of.entrants if each.id not in here
                ),
                last_seated={bot: of.number for of, here in seated for bot in here},
                ratings=self._ratings(preset_of(game), [entrant.id for entrant in entrants]),
                deals=ladder.deals * (ladder.seats if ladder.decks is Decks.ROTATED else 1),
            )
            if first is not None:
                here = {entrant.id for entrant in entrants}
                field = field._replace(
                    gone=frozenset(each.id for each in first.entrants if each.id not in here)
                )
        pairing = ladder.pairs_by().pair(field)
        if pairing.over is not None:
            raise NothingToPlay(pairing.over)
        return pairing

    def _checked(
        self, ladder: Ladder, entrants: tuple[Entrant, ...], number: int, pairing: Pairing | None
    ) -> Plan:
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
        if not planned.tables and ladder.decks is Decks.ONCE_ONLY:
            raise NothingToPlay(
                "once-only decks need two entries, and a house bot among them to play against"
            )
        if not planned.tables:
            raise NothingToPlay("all possible tables would seat two bots of one owner together")
        return planned

    def _entrants(self, ladder: Ladder) -> tuple[Entrant, ...]:
        """Who can play, by name; the best seed first where the format is not a round robin: who entered first, or in
        tournaments who is rated highest."""
        entries = self.ladders.entries(ladder.id)
        bots = self._willing(ladder, [entry.bot for entry in entries])
        found = [
            Entrant(bot.id, bot.full_name, bot.owner, bot.version, bot.house, entry.entropy)
            for entry in entries
            if (bot := bots.get(entry.bot)) is not None
        ]
        if ladder.format != "round_robin":
            entered = {entry.bot: entry.entered for entry in entries}
            found.sort(key=lambda each: entered[each.id])
        if ladder.format in ("swiss", "knock_out"):
            ratings = self._ratings(preset_of(_table(ladder)), [each.id for each in found])
            found.sort(key=lambda each: -ratings.get(each.id, Rating()).mu)
        return tuple(found)

    def _able(self, ladder: Ladder, of: Round) -> dict[str, Bot]:
        """The round's entrants that can be seated now."""
        withdrawn = {entry.bot for entry in self.store.entries(ladder.id) if entry.withdrawn is not None}
        return self._willing(ladder, [entrant.id for entrant in of.entrants if entrant.id not in withdrawn])

    def _willing(self, ladder: Ladder, bots: Sequence[str]) -> dict[str, Bot]:
        """By id, in this order, those of these bots that are there and accept what the ladder plays."""
        accounts = self.ladders.accounts
        found = [bot for bot in accounts.bots_by_ids(bots) if bot is not None]
        gone = accounts.unavailable(found)
        remote = [bot.id for bot in found if not bot.house]
        gone |= {bot for bot, health in self.ladders.fitness.of(remote).items() if health.suspended}
        return {
            bot.id: bot
            for bot in found
            if bot.id not in gone and bot.accepts.refuses(ladder.game, ladder.clock, Occasion.LADDER) is None
        }

    def _elsewhere(self, able: Mapping[str, Bot]) -> Mapping[str, int]:
        return {} if self._running is None else self._running(list(able))

    def _plan(self, ladder: Ladder, of: Round) -> Plan:
        key = (ladder.id, of.number)
        found = self._plans.get(key)
        if found is None:
            found = plan(
                of.entrants,
                ladder.seats,
                of.repeats,
                of.number,
                f"{ladder.id} {of.number}",
                ladder.decks,
                None
                if of.meetings is None
                else [tuple(of.entrants[at] for at in each) for each in of.meetings],
            )
            self._plans[key] = found
            if len(self._plans) > 8:
                self._plans.popitem(last=False)
        return found


def _table(ladder: Ladder) -> Game:
    return table_of(ladder.game, ladder.seats, tuple(sorted(ladder.options.items())))


def _numbered(
    meetings: Sequence[tuple[Entrant, ...]], entrants: Sequence[Entrant]
) -> tuple[tuple[int, ...], ...]:
    at = {entrant.id: number for number, entrant in enumerate(entrants)}
    return tuple(tuple(at[entrant.id] for entrant in meeting) for meeting in meetings)


def result_of(live: Live, ticket: str) -> Result:
    """What a match that is over adds to its ladder's sums: nothing if it was aborted or is void. `ticket` stands for it
    among the open matches of its round.

    Deals count that were dealt. A partner is no opponent: the cross table has other sides only.
    """
    head, setup = live.head, live.setup
    if head.ending in (Ending.ABORTED, Ending.VOID):
        return Result(ticket, False, True, {}, {})
    deals = sum(line.startswith("- ") for line in live.log.splitlines())
    order = places(head.scores, head.forfeits)
    sides = setup.table().sides
    sums: dict[str, dict[str, int]] = {}
    cross: dict[str, dict[str, dict[str, int]]] = {}
    seated = [(number, seat.id) for number, seat in enumerate(setup.seats) if seat is not None]
    compared = None if setup.group is None else setup.group.compared
    for number, bot in seated:
        if compared not in (None, number):
            continue
        grown = {"matches": 1, "deals": deals, "points": head.scores[number]}
        rank = {"wins": int(order[number] == 1), "forfeits": int(number in head.forfeits)}
        sums[bot] = {**grown, **rank}
        cross[bot] = {opponent: dict(grown) for other, opponent in seated if sides[other] != sides[number]}
    return Result(ticket, True, False, sums, cross)


def _group_id(ladder: Ladder, of: Round, number: int) -> str:
    return "g" + derived_match_id("ladder group", ladder.secret, ladder.id, of.number, number)[2:]


def _seat(entrant: Entrant) -> Seat:
    return Seat(entrant.name, entrant.id, entrant.version, entrant.house)


def _accepted(entrants: Sequence[Entrant], able: Mapping[str, Bot], ladder: Ladder) -> bool:
    """Whether all of these are there, and each accepts the others' owners."""
    owners = {entrant.name.partition("/")[0] for entrant in entrants}
    return all(
        (bot := able.get(entrant.id)) is not None
        and bot.accepts.refuses(ladder.game, ladder.clock, Occasion.LADDER, owners - {bot.owner_name}) is None
        for entrant in entrants
    )


def _among_house_bots(live: Live) -> bool:
    return all(seat is not None and seat.house for seat in live.setup.seats)


def _house_only(entrants: tuple[Entrant, ...]) -> bool:
    return all(entrant.house for entrant in entrants)


def _batches(things: Iterable, most: int) -> Iterable[list]:  # type: ignore[type-arg]  # of whatever is in it
    batch = []
    for thing in things:
        batch.append(thing)
        if len(batch) == most:
            yield batch
            batch = []
    if batch:
        yield batch
