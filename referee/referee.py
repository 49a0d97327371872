"""The referee: the one way in which a match changes, and the one way in which it is looked at.

Every change is a step of a `referee.match.session.MatchSession` committed whole by the store against the version that
was read; a writer that was overtaken reads again and decides again. Every look that finds time up settles that first,
so nothing depends on who looks.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from engine.match import MatchState, checked_deals
from referee.after_commit import AfterCommit, Hook
from referee.errors import (
    AlreadySeated,
    Busy,
    MatchNotRunning,
    MatchOver,
    MatchUnreadable,
    NoSuchMatch,
    NotJoinable,
    NotYourMatch,
    NotYourTurn,
    RecordNotReady,
    RefereeError,
    SeatTaken,
    StaleTurn,
)
from referee.groups.model import GroupGate, GroupStore, Phase
from referee.ids import new_match_id
from referee.match import events, move_requests, shuffle
from referee.match.clock import ClockRule
from referee.match.log import Entry, parse_log
from referee.match.move_requests import MoveRequest
from referee.match.new_match import NewMatch, drafted, game_named
from referee.match.players import Players, Thinkers
from referee.match.record import Record
from referee.match.session import (
    Ending,
    GroupSeating,
    MatchConfig,
    MatchProgress,
    MatchSession,
    Seat,
    Status,
    match_of,
    replay,
    resume,
)
from referee.storage.store import (
    VOID,
    Allowance,
    Annotation,
    Commit,
    MatchStore,
    OutboxKind,
    Snapshot,
    is_void,
)
from referee.timings import RefereeTimings

ATTEMPTS: Final = 64
"""How often a writer that was overtaken tries again."""
AT_ONCE: Final = 400
"""How many moves house bots make between two looks at the time."""


class MoveResult(NamedTuple):
    """What became of a move."""

    match: str
    seat: int
    entry: Entry
    replayed: bool
    live: LoadedMatch | None
    """The match right after a move that was made now; `None` for one that was replayed."""


class LoadedMatch(NamedTuple):
    """A match as the referee sees it. What anybody else may see of it is built by `referee.match.views`."""

    now: int
    version: int
    config: MatchConfig
    progress: MatchProgress
    asked: int | None
    deadline: int | None
    secret: bytes
    log: str
    state: MatchState | None
    """The state of the deal in progress; `None` before the start and after the end."""
    annotations: tuple[Annotation, ...] = ()
    """What was said of it after its end."""

    @property
    def id(self) -> str:
        """The match's id."""
        return self.config.id

    @property
    def finished(self) -> bool:
        """Whether the match is over."""
        return self.progress.status is Status.FINISHED

    @property
    def void(self) -> bool:
        """Whether the match is over and does not count, by its ending or by what was said of it since."""
        return is_void(self.progress, self.annotations)

    def asks(self, seat: int) -> bool:
        """Whether the bot on this seat is asked now. A forfeited seat's questions are the referee's own."""
        return self.state is not None and self.progress.to_move == seat and seat not in self.progress.forfeits


Changed = Callable[[Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]], None]
"""Takes matches as they are after commits that put entries of these kinds into their outboxes."""
Refused = RefereeError
_PlannedMove = tuple[Commit, Callable[[LoadedMatch], "MoveResult | Refused | None"]]


class Referee:
    """See the module. Safe to share between greenlets and threads; several processes may each have one."""

    def __init__(
        self,
        store: MatchStore,
        players: Players,
        times: RefereeTimings | None = None,
        rng: Random | None = None,
        new_secret: Callable[[], bytes] | None = None,
        changed: Changed | None = None,
        thinkers: Thinkers | None = None,
        groups: GroupStore | None = None,
    ) -> None:
        """`players` are asked inside a commit, `thinkers` by `go_on` alone. `changed` is called after commits that
        put something into the outbox, so that indexes need not wait for the deadline loop; what it does must be safe to
        do twice, and what it raises is logged and counted by `after`, no more.
        `groups` is needed for matches of duplicate groups."""
        self.store = store
        self.groups = groups
        self.gate = None if groups is None else GroupGate(groups)
        self.players = players
        self.thinkers: Thinkers = thinkers or {}
        self.times = times or RefereeTimings()
        self._rng = rng or Random()
        self._new_secret = new_secret or (lambda: secrets.token_bytes(32))
        self.changed = changed
        self.after = AfterCommit()
        self._states: OrderedDict[str, tuple[int, str, MatchState]] = OrderedDict()

    # 1. From creation to start

    def create(
        self,
        game: str,
        seats: Sequence[Seat | None],
        options: Mapping[str, Any],
        *,
        deals: int | None = None,
        dealer: int | None = None,
        clock: ClockRule | None = None,
        entropy: Sequence[str | None] | None = None,
        rated: bool = False,
        ladder: str | None = None,
        round: int | None = None,  # noqa: A002 -- the field's name in the match
        season: int | None = None,
        match_id: str | None = None,
        secret: bytes | None = None,
        group: GroupSeating | None = None,
        present: bool = False,
    ) -> LoadedMatch:
        """A new match. It starts by itself when every seat is taken and every remote seat has shown up
        (`present`: at once, as if they had). `match_id` makes it at most once: an existing match is returned as it is.

        Raises `BadTable` for a game, seats, options, deals or a dealer that do not fit, and for the same bot twice.
        """
        (made,) = self.create_all(
            [
                NewMatch(
                    game,
                    seats,
                    options,
                    checked_deals(game_named(game), deals),
                    dealer,
                    clock,
                    entropy,
                    rated,
                    ladder,
                    round,
                    season,
                    match_id,
                    secret,
                    group,
                    present,
                )
            ]
        )
        return made

    def create_all(self, new: Sequence[NewMatch], until: float | None = None) -> list[LoadedMatch]:
        """New matches as `create` makes them, in a number of round trips that does not grow with theirs.

        With `until`, an instant of `time.monotonic()`, matches among house bots that answer at once are played before
        they are stored, and made and over in one commit (docs/adr/0013); what is not over by then is stored as far as
        it was played, and goes on as any match does. Raises `BadTable` before anything is made.
        """
        drafts = [drafted(each, each.id or new_match_id(), each.secret or self._new_secret()) for each in new]
        played = [None if until is None else self._played(draft, until) for draft in drafts]
        ids = [draft.config.id for draft in drafts]
        drafts = [
            draft._replace(now=now, config=draft.config.made_at(now))
            for draft, now in zip(drafts, self.store.times(ids), strict=True)
        ]
        self._decide_dealt(drafts)
        made = self._commit(
            [self._seated(draft, played=table) for draft, table in zip(drafts, played, strict=True)]
        )
        found = {live.id: live for live in made if live is not None}
        existing = [ident for ident in ids if ident not in found]
        found |= {live.id: live for live in self.look_at(existing) if live is not None} if existing else {}
        for ident in ids:
            if ident not in found:
                raise self._missing(ident)
        return [found[ident] for ident in ids]

    def join(
        self,
        match: str,
        seat: Seat,
        number: int | None = None,
        entropy: str | None = None,
        admit: Callable[[MatchConfig], None] = lambda _: None,
    ) -> LoadedMatch:
        """Take an open seat, `number` or the first, if `admit` raises nothing about the match as it is then. Raises
        `NotJoinable`, `SeatTaken`, `AlreadySeated`."""

        def step(snapshot: Snapshot) -> Commit:
            config = snapshot.config
            if config.seat_of(seat.id) is not None:
                raise AlreadySeated(f"{seat.bot} has seat {config.seat_of(seat.id)} of this match already")
            free = [index for index, sitting in enumerate(config.seats) if sitting is None]
            if snapshot.progress.status is not Status.OPEN:
                raise NotJoinable(
                    f"the match is {snapshot.progress.status}, it has no open seat", open_seats=free
                )
            at = free[0] if number is None else number
            if at not in free:
                raise SeatTaken(f"seat {at} is not open", open_seats=free)
            admit(config)
            seats, texts = list(config.seats), list(config.entropy)
            seats[at], texts[at] = seat, entropy
            changed = config._replace(seats=tuple(seats), entropy=tuple(texts))
            return self._seated(snapshot._replace(config=changed))

        return self._change(match, step)

    def show_up(self, match: str, bot_id: str) -> LoadedMatch:
        """The bot is there; the match starts when it is the last one. Changes nothing otherwise."""

        def step(snapshot: Snapshot) -> Commit | None:
            seat, progress = snapshot.config.seat_of(bot_id), snapshot.progress
            if seat is None or progress.status is not Status.WAITING or seat in progress.shown:
                return None
            return self._seated(
                snapshot._replace(progress=progress._replace(shown=tuple(sorted((*progress.shown, seat))))),
                keep=True,
            )

        return self._change(match, step)

    # 2. Moves

    def move(self, bot_id: str, request: MoveRequest, arrived: float | None = None) -> MoveResult:
        """One move. Raises what `moves` returns as a refusal."""
        (result,) = self.moves(bot_id, [request], arrived)
        if isinstance(result, RefereeError):
            raise result
        return result

    def moves(
        self,
        bot_id: str,
        requests: Sequence[MoveRequest],
        arrived: float | None = None,
        seen: Sequence[Snapshot | None] | None = None,
    ) -> list[MoveResult | Refused]:
        """Moves of one bot in any number of matches: two round trips for all of them, unless somebody overtakes.

        `arrived` is `time.monotonic()` when the last byte was read; the time until the commit is ours and costs
        the bot nothing. `seen` are the snapshots if the caller has read them in a trip of its own. Each move is
        made exactly once: its key is (match, seat, turn), a free move's (match, seat, deal, move), and what was
        made already is answered as it was, `replayed`.
        """
        arrived = time.monotonic() if arrived is None else arrived
        results: list[MoveResult | Refused | None] = [None] * len(requests)
        self._attempt(bot_id, requests, results, arrived, seen)

        def again() -> bool:
            self._attempt(bot_id, requests, results, arrived)
            return True

        for _ in range(ATTEMPTS - 1):
            if None not in results:
                break
            made = any(isinstance(result, MoveResult) for result in results)
            if not self.after.run(Hook.OTHER_MOVES, again, False, committed=made):
                break
        busy = Busy("the match changed under this move too many times; send it again")
        return [busy if result is None else result for result in results]

    def resign(self, match: str, bot_id: str) -> LoadedMatch:
        """The seat gives up: forfeited in a running match, which others may play on. A match of no ladder that has not
        started is aborted; one of a ladder is forfeited too, and begins when the others are there, or at once where
        nobody is left to play. Resigning twice is resigning once. Raises `NotYourMatch`."""

        def step(snapshot: Snapshot) -> Commit | None:
            seat = self._seat(snapshot.config, bot_id)
            if snapshot.finished or seat in snapshot.progress.forfeits:
                return None
            if snapshot.progress.status is not Status.RUNNING:
                return self._gone(snapshot, seat)
            table = self._open(snapshot)
            table.forfeit([seat], Ending.RESIGNED)
            return self._after(snapshot, table, asked_before=snapshot.progress.to_move)

        return self._change(match, step)

    def void(self, match: str, reason: str) -> LoadedMatch:
        """The match does not count: one that is not over ends so, now; of one that is over it is said beside its
        record, which stays. Voiding twice is voiding once, and the first reason stays."""

        def step(snapshot: Snapshot) -> Commit | None:
            return None if snapshot.finished else self._aborted(snapshot, Ending.VOID)

        live = self._change(match, step)
        live = live._replace(annotations=self.store.annotate(match, VOID, reason) or ())
        self._feed([(live, (OutboxKind.INDEX,))])
        return live

    def abort(self, match: str) -> LoadedMatch | None:
        """A match that has not started is over; any other stays as it is. `None` for an id that no match has."""

        def step(snapshot: Snapshot) -> Commit | None:
            started = snapshot.finished or snapshot.progress.status is Status.RUNNING
            return None if started else self._aborted(snapshot)

        try:
            return self._change(match, step)
        except NoSuchMatch:
            return None

    # 3. Time and house bots

    def settle(self, match: str) -> LoadedMatch | None:
        """Do what time demands of the match now, if anything: a timeout, an abort, or the next job for house
        bots. Safe to call from anywhere, any number of times."""
        while True:
            (snapshot,) = self.store.read([match])
            if snapshot is None:
                return None
            commit = self._overdue(snapshot, self.times.settle_ms)
            if commit is None:
                return self._live(snapshot)
            live = self._commit_one(commit)
            if live is not None:
                return live

    def go_on(self, match: str, budget_s: float, batch: int = AT_ONCE) -> bool:
        """Ask the house bots of a match on for about `budget_s` seconds, committing in batches. Returns whether
        there is more to ask. One that thinks does so before its move is committed, on what was read; whoever is faster
        wins, and its thoughts are dropped."""
        until = time.monotonic() + budget_s
        while True:
            (snapshot,) = self.store.read([match])
            if snapshot is None or snapshot.progress.status is not Status.RUNNING:
                return False
            seat = snapshot.progress.to_move
            if seat is None or not (snapshot.config.is_house(seat) or seat in snapshot.progress.forfeits):
                return False
            table = self._open(snapshot)
            if seat not in snapshot.progress.forfeits:
                self._think(snapshot, table, seat)
            table.carry_on(batch)
            if not (table.lines or table.closed):
                return False  # a bot is asked that thinks, and not here
            more = time.monotonic() < until
            live = self._commit_one(self._after(snapshot, table, None, carry_on=False, relay=not more))
            if live is not None and not (more and table.unfinished):
                return table.unfinished

    # 4. Looking

    def look(self, match: str, seen: Snapshot | None = None) -> LoadedMatch:
        """The match as it stands, what is overdue settled first. Raises `NoSuchMatch`, `MatchUnreadable`."""
        snapshot = seen
        if snapshot is None:
            (snapshot,) = self.store.read([match])
        if snapshot is None:
            raise self._missing(match)
        if snapshot.is_overdue(self.times.settle_ms):
            live = self.settle(match)
            assert live is not None
            return live
        return self._live(snapshot)

    def look_at(self, matches: Sequence[str]) -> list[LoadedMatch | None]:
        """Several matches in one round trip, as `look`; `None` for an id that no match has, and for an unreadable
        match."""
        found = self.store.read(matches)
        return [
            None if snapshot is None else self.look(match, snapshot)
            for match, snapshot in zip(matches, found, strict=True)
        ]

    def events(self, live: LoadedMatch, viewer: int | None, after: int, most: int) -> list[dict[str, Any]]:
        """At most `most` events with numbers above `after`, as the seat `viewer` may know them (`None`: as
        everybody may)."""
        return [event for event in self._all_events(live, viewer) if event["n"] > after][:most]

    def record(self, live: LoadedMatch) -> Record:
        """What the match leaves behind. Raises `RecordNotReady` before its end, `GroupRunning` before its group's."""
        (found,) = self.records([live])
        return found

    def records(self, lives: Sequence[LoadedMatch]) -> list[Record]:
        """The same of several, in one round trip."""
        grouped = [live.config for live in lives if live.config.group is not None]
        if grouped:
            self._gate().check(grouped)
        for live in lives:
            if not live.finished:
                raise RecordNotReady(
                    f"match {live.id} is {live.progress.status}; its record can be read when it is over"
                )
        return [Record(live.config, live.progress, live.secret, live.log) for live in lives]

    def is_masked(self, live: LoadedMatch) -> bool:
        """Whether the match belongs to a duplicate group that is not over, and so to its seats alone."""
        return live.config.group is not None and self._gate().is_masked(live.config)

    def check_open(self, live: LoadedMatch) -> None:
        """Raises `GroupRunning` for a match that is masked."""
        if live.config.group is not None:
            self._gate().check([live.config])

    # Inside: steps

    def _attempt(
        self,
        bot_id: str,
        requests: Sequence[MoveRequest],
        results: list[MoveResult | Refused | None],
        arrived: float,
        seen: Sequence[Snapshot | None] | None = None,
    ) -> None:
        """Try the moves that have no result yet, and write theirs; those that were overtaken have none still."""
        todo = [index for index, result in enumerate(results) if result is None]
        snapshots = seen if seen is not None else self.store.read([requests[index].match for index in todo])
        plans: list[tuple[int, _PlannedMove]] = []
        age = int((time.monotonic() - arrived) * 1000)
        for index, snapshot in zip(todo, snapshots, strict=True):
            try:
                plan = self._plan(bot_id, requests[index], snapshot, age)
            except RefereeError as refusal:
                results[index] = refusal
                continue
            if isinstance(plan, MoveResult):
                results[index] = plan
            else:
                plans.append((index, plan))
        made = self._commit([commit for _, (commit, _) in plans])
        for (index, (_, finish)), live in zip(plans, made, strict=True):
            results[index] = finish(live) if live is not None else None

    def _seated(self, snapshot: Snapshot, keep: bool = False, played: MatchSession | None = None) -> Commit:
        """The commit of a match whose seats or presence changed: it waits on, or it starts."""
        if None in snapshot.config.seats:
            return self._waiting(snapshot, Status.OPEN, self.times.open_ms)
        if _starts(snapshot):
            return self._started(snapshot, played)
        return self._waiting(snapshot, Status.WAITING, Allowance.KEEP if keep else self.times.start_ms)

    def _played(self, draft: Snapshot, until: float) -> MatchSession | None:
        """A match that nobody has stored yet, played as far as time allows, at least `AT_ONCE` moves; `None` for one of
        which not every seat answers at once."""
        seats = draft.config.seats
        if not all(seat is not None and seat.house and seat.name in self.players for seat in seats):
            return None
        table = self._open(_dealing(draft))
        while True:
            table.carry_on(AT_ONCE)
            if not table.unfinished or time.monotonic() >= until:
                return table
            table.unfinished = False

    def _decide_dealt(self, drafts: Sequence[Snapshot]) -> None:
        """See to it in one round trip that the groups of those that start know that their decks are seen."""
        groups = {
            draft.config.group.id for draft in drafts if draft.config.group is not None and _starts(draft)
        }
        if groups:
            self._gate().dealt(sorted(groups))

    def _waiting(self, snapshot: Snapshot, status: Status, allowance: int | Allowance) -> Commit:
        return Commit(
            snapshot.config.id,
            snapshot.version,
            snapshot.config,
            True,
            snapshot.progress._replace(status=status),
            snapshot.secret,
            "",
            "",
            (),
            allowance,
            (OutboxKind.INDEX,),
        )

    def _gate(self) -> GroupGate:
        assert self.gate is not None, "who hosts groups has a store for them"
        return self.gate

    def _gone(self, snapshot: Snapshot, seat: int) -> Commit:
        """A seat resigns before the start. In a ladder, where nobody chooses whom to meet, and in a group whose deck
        was seen the others play on without it."""
        if snapshot.config.ladder is None and not self._must_be_played(snapshot.config):
            return self._aborted(snapshot)
        progress, sides = snapshot.progress, snapshot.config.table().sides
        forfeits = tuple(sorted({*progress.forfeits, seat}))
        left = snapshot._replace(
            progress=progress._replace(shown=tuple(sorted({*progress.shown, seat})), forfeits=forfeits)
        )
        if len({side for number, side in enumerate(sides) if number not in forfeits}) > 1:
            return self._seated(left, keep=True)
        # Nobody is left to play against: there is nobody to wait for either.
        return self._started(left._replace(progress=left.progress._replace(shown=tuple(range(len(sides))))))

    def _no_show(self, snapshot: Snapshot) -> Commit:
        """Not every seat has come in time."""
        if None in snapshot.config.seats or not self._must_be_played(snapshot.config):
            return self._aborted(snapshot)
        return self._started(snapshot)

    def _must_be_played(self, config: MatchConfig) -> bool:
        """Whether somebody has seen the deck of the match's group. If not, nobody will from now on."""
        if config.group is None:
            return False
        (phase,) = self._gate().store.decide([config.group.id], Phase.ABORTED)
        return phase is Phase.DEALT

    def _started(self, snapshot: Snapshot, played: MatchSession | None = None) -> Commit:
        """The commit of the first deal, or of all that was `played` before the match was stored. Seats that resigned or
        have not shown up are forfeited with it."""
        config = snapshot.config
        if config.group is not None and not self._gate().dealt([config.group.id])[0]:
            return self._aborted(snapshot)
        progress = snapshot.progress
        absent = [
            number
            for number, seat in enumerate(config.seats)
            if number in progress.forfeits or not (seat is None or seat.house or number in progress.shown)
        ]
        if played is not None:
            table, snapshot = (
                played,
                snapshot._replace(progress=played.progress._replace(started=snapshot.now)),
            )
        else:
            snapshot = _dealing(snapshot)
            table = self._open(snapshot)
        if absent:
            resigned = set(absent) <= set(progress.forfeits)
            table.begin_without(absent, Ending.RESIGNED if resigned else Ending.FORFEIT)
        commit = self._after(snapshot, table, None, config_changed=True, carry_on=played is None)
        return commit._replace(outbox=tuple(dict.fromkeys((OutboxKind.INDEX, *commit.outbox))))

    def _aborted(self, snapshot: Snapshot, ending: Ending = Ending.ABORTED) -> Commit:
        """The commit that ends a match where it stands."""
        progress = snapshot.progress._replace(
            status=Status.FINISHED, ending=ending, ended=snapshot.now, to_move=None
        )
        if progress.started is None:
            progress = progress._replace(forfeits=())  # what never began nobody has lost
        past = self.store.past(snapshot.config.id) if snapshot.progress.number > 1 else []
        return Commit(
            snapshot.config.id,
            snapshot.version,
            snapshot.config,
            False,
            progress,
            snapshot.secret,
            "".join([*past, snapshot.log]),
            "",
            (),
            Allowance.NONE,
            (OutboxKind.INDEX,),
            finished=True,
        )

    def _plan(
        self, bot_id: str, request: MoveRequest, snapshot: Snapshot | None, age: int
    ) -> MoveResult | _PlannedMove:
        if snapshot is None:
            raise self._missing(request.match)
        seat = self._seat(snapshot.config, bot_id)
        made = move_requests.made_before(request, seat, snapshot, lambda: self._logs(snapshot))
        if made is not None:
            return MoveResult(request.match, seat, made, True, None)
        progress = snapshot.progress
        if snapshot.finished:
            raise MatchOver("the match is over", ending=progress.ending)
        if progress.status is not Status.RUNNING:
            raise MatchNotRunning(f"the match is {progress.status}")
        arrived = snapshot.now - age
        if seat in progress.forfeits:
            raise NotYourTurn(
                "your seat is forfeited; the referee plays safe moves for it", turn=progress.turn
            )
        mine = seat == progress.to_move and (request.turn == progress.turn or request.deal == progress.number)
        if snapshot.is_time_up(arrived) if mine else snapshot.is_overdue(self.times.settle_ms):
            commit = self._overdue(snapshot, 0)
            assert commit is not None
            return commit, self._too_late(request) if mine and request.turn is not None else _again
        table = self._open(snapshot)
        move_requests.check(request, seat, snapshot, table, lambda: self._logs(snapshot))
        taken = max(0, arrived - snapshot.asked) if snapshot.asked is not None else 0
        if mine and snapshot.asked is not None and snapshot.deadline is not None:
            # What passed since time was up, while service time stood and nobody's could be, is not the bot's.
            taken = min(taken, snapshot.deadline + snapshot.config.clock.grace_ms - snapshot.asked)
        entry = table.move(seat, request.move, taken)

        def finish(live: LoadedMatch) -> MoveResult:
            return MoveResult(request.match, seat, entry, False, live)

        return self._after(snapshot, table, None if entry.answers else progress.to_move), finish

    def _too_late(self, request: MoveRequest) -> Callable[[LoadedMatch], Refused]:
        def finish(live: LoadedMatch) -> Refused:
            return StaleTurn(
                f"time was up for turn {request.turn}; the referee has played the safe move",
                turn=live.progress.turn,
            )

        return finish

    def _logs(self, seen: Snapshot | LoadedMatch) -> list[str]:
        """The logs of all deals as far as they were seen, the one in progress last."""
        if seen.finished:
            return events.deals_of(seen.log)
        wanted = seen.progress.number - 1
        past = self.store.past(seen.config.id)[:wanted] if wanted else []
        if len(past) < wanted:
            # The match has ended since, and its closed deals are with the whole of it now.
            (snapshot,) = self.store.read([seen.config.id])
            past = events.deals_of(snapshot.log)[:wanted] if snapshot is not None else []
        return [*past, seen.log]

    def _timeout(self, snapshot: Snapshot) -> Commit:
        table = self._open(snapshot)
        table.time_out()
        return self._after(snapshot, table, None)

    def _overdue(self, snapshot: Snapshot, margin: int) -> Commit | None:
        """What time demands of the match, as a commit."""
        if not snapshot.is_overdue(margin):
            return None
        if snapshot.progress.status is not Status.RUNNING:
            return self._no_show(snapshot)
        seat = snapshot.progress.to_move
        if seat is not None and (snapshot.config.is_house(seat) or seat in snapshot.progress.forfeits):
            table = self._open(snapshot)
            table.unfinished = True
            return self._after(snapshot, table, None, carry_on=False)
        return self._timeout(snapshot)

    def _open(self, snapshot: Snapshot) -> MatchSession:
        config = snapshot.config
        state = self._state(snapshot)

        def deck(number: int) -> Sequence[int]:
            return config.deck(snapshot.secret, number)

        return MatchSession(config, snapshot.progress, state, snapshot.log, deck, self.players, self._rng)

    def _after(
        self,
        snapshot: Snapshot,
        table: MatchSession,
        asked_before: int | None,
        *,
        config_changed: bool = False,
        carry_on: bool = True,
        relay: bool = True,
    ) -> Commit:
        """The commit of a step. `asked_before` is the seat that was being asked, where the step answered no
        question: if its answer is still to come, its clock runs on."""
        if carry_on:
            table.carry_on()
        progress = table.result()._replace(started=snapshot.progress.started)
        allowance: int | Allowance = Allowance.NONE
        outbox: tuple[OutboxKind, ...] = ()
        log = table.current_log
        if table.ending:
            progress = progress._replace(ended=snapshot.now, to_move=None)
            past = self.store.past(snapshot.config.id) if snapshot.progress.number > 1 else []
            log = "".join([*past, *table.closed, *table.lines])
            outbox = (OutboxKind.INDEX,)
        elif table.unfinished:
            allowance = self.times.house_ms
            outbox = (OutboxKind.HOUSE,) if relay else ()
        elif asked_before is not None and table.still_asked and progress.to_move == asked_before:
            allowance = Allowance.KEEP
        else:
            allowance = table.allowance() or Allowance.NONE
        return Commit(
            snapshot.config.id,
            snapshot.version,
            snapshot.config,
            config_changed,
            progress,
            snapshot.secret,
            log,
            "".join(table.lines),
            tuple(table.closed),
            allowance,
            outbox,
            bool(table.ending),
            table.state,
        )

    def _think(self, snapshot: Snapshot, table: MatchSession, seat: int) -> None:
        """The move of the house bot that is asked, if it is one that thinks."""
        sitting = snapshot.config.seats[seat]
        thinker = self.thinkers.get(sitting.name) if sitting is not None else None
        if thinker is None:
            return
        match, progress = table.match, snapshot.progress
        begun = MatchState(progress.number, progress.dealer, progress.scores, None, False)
        history = [event.view(seat) for event in events.of_deal(match, begun, snapshot.log)[0]]
        seen = match.view(table.state, seat)
        began = time.monotonic()
        text = thinker.think(match.game, seen, seen["legal_moves"], history, self._rng)
        table.house_move(seat, text, int((time.monotonic() - began) * 1000))

    # Inside: commits

    def _change(self, match: str, step: Callable[[Snapshot], Commit | None]) -> LoadedMatch:
        for _ in range(ATTEMPTS):
            (snapshot,) = self.store.read([match])
            if snapshot is None:
                raise self._missing(match)
            if snapshot.is_overdue(self.times.settle_ms):
                self.settle(match)
                continue
            commit = step(snapshot)
            if commit is None:
                return self._live(snapshot)
            live = self._commit_one(commit)
            if live is not None:
                return live
        raise Busy("the match changed too many times meanwhile; send the request again")

    def _commit_one(self, commit: Commit) -> LoadedMatch | None:
        (live,) = self._commit([commit])
        return live

    def _commit(self, commits: Sequence[Commit]) -> list[LoadedMatch | None]:
        if not commits:
            return []
        results: list[LoadedMatch | None] = []
        changed = []
        for commit, made in zip(commits, self.store.commit(commits), strict=True):
            if made is None:
                results.append(None)
                continue
            snapshot = Snapshot(
                made.now,
                made.version,
                commit.config,
                commit.progress,
                made.asked,
                made.deadline,
                commit.secret,
                commit.log,
                commit.finished,
            )
            if commit.state is not None and not commit.finished:
                self._remember(commit.match, commit.progress.number, commit.log, commit.state)
            if commit.progress.status is not Status.RUNNING:
                self._states.pop(commit.match, None)
            live = LoadedMatch(
                *snapshot[:8], commit.state if commit.progress.status is Status.RUNNING else None
            )
            results.append(live)
            if commit.outbox:
                changed.append((live, commit.outbox))
        self._feed(changed)
        return results

    def _feed(self, changed: Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]) -> None:
        feed = self.changed
        if feed is not None and changed:
            self.after.run(Hook.FEED, lambda: feed(changed), None)

    # Inside: states

    def _live(self, snapshot: Snapshot) -> LoadedMatch:
        state = None
        if snapshot.progress.status is Status.RUNNING:
            state = self._state(snapshot)
        else:
            self._states.pop(snapshot.config.id, None)
        return LoadedMatch(*snapshot[:8], state, snapshot.annotations)

    def _state(self, snapshot: Snapshot) -> MatchState:
        """The state after the snapshot's log, from what is remembered of it where possible."""
        progress, log = snapshot.progress, snapshot.log
        match = match_of(snapshot.config, progress.first_dealer or 0)
        known = self._states.get(snapshot.config.id)
        if known is not None and known[0] == progress.number and log.startswith(known[1]):
            state = replay(match, known[2], parse_log(log[len(known[1]) :]))
        else:
            state = resume(match, progress, log)
        if log:  # before its first deck a match may be somebody's idea that is never committed
            self._remember(snapshot.config.id, progress.number, log, state)
        return state

    def _remember(self, match: str, number: int, log: str, state: MatchState) -> None:
        self._states.pop(match, None)
        self._states[match] = (number, log, state)
        if len(self._states) > 4096:
            self._states.popitem(last=False)

    def _all_events(self, live: LoadedMatch, viewer: int | None) -> Iterator[dict[str, Any]]:
        if live.progress.started is None:
            return
        match = match_of(live.config, live.progress.first_dealer or 0)
        number, state = 1, match.begin()
        yield from events.numbered([events.started(match)], number, viewer)
        for log in self._logs(live):
            found, state = events.of_deal(match, state, log)
            yield from events.numbered(found, number + 1, viewer)
            number += len(found)
        if live.finished:
            yield from events.numbered([events.over(live.progress)], number + 1, viewer)

    def _missing(self, match: str) -> RefereeError:
        """Why a match that the store did not hand out is not there."""
        if match in self.store.unreadable:
            return MatchUnreadable(f"match {match} is stored in a form that this release can't read")
        return NoSuchMatch(f"there is no match {match}")

    @staticmethod
    def _seat(config: MatchConfig, bot_id: str) -> int:
        seat = config.seat_of(bot_id)
        if seat is None:
            raise NotYourMatch("you have no seat in this match")
        return seat


def _starts(snapshot: Snapshot) -> bool:
    """Whether every seat is taken and every remote one has shown up."""
    shown = snapshot.progress.shown
    return all(
        seat is not None and (seat.house or n in shown) for n, seat in enumerate(snapshot.config.seats)
    )


def _dealing(snapshot: Snapshot) -> Snapshot:
    """The match as it stands with its first deal."""
    config, dealer = snapshot.config, snapshot.config.dealer
    if dealer is None:
        dealer = shuffle.first_dealer(snapshot.secret, config.entropy, len(config.seats))
    progress = snapshot.progress._replace(
        status=Status.RUNNING, dealer=dealer, first_dealer=dealer, started=snapshot.now, forfeits=()
    )
    return snapshot._replace(progress=progress)


def _again(live: LoadedMatch) -> None:
    """The referee had something to do first; the request is looked at again."""
