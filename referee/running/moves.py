"""Moves of remote bots: checked, made once and committed in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from engine.match import MatchState
from referee.after_commit import Hook
from referee.errors import Busy, MatchNotRunning, MatchOver, NotYourTurn, RefereeError, StaleTurn
from referee.ids import is_match_id
from referee.match import move_requests
from referee.match.loaded_match import LoadedMatch, MoveResult
from referee.match.move_requests import MoveRequest
from referee.match.session import Status
from referee.match.snapshot import Snapshot
from referee.running import steps
from referee.running.life_cycle import own_seat
from referee.running.sessions import Sessions
from referee.running.timeouts import ATTEMPTS, TimeoutApplier
from referee.running.writer import MatchWriter
from referee.storage.store import Commit, Committed, PendingReply, ReadPipeline
from referee.timings import RefereeTimings


class KnownBot(NamedTuple):
    """The bot of a token that was looked up before this request."""

    id: str
    asked_at: float
    """The `time.monotonic()` before that look-up was sent."""


_Finish = Callable[[LoadedMatch], MoveResult | RefereeError | None]
"""Turns the committed match into the result; `None` if the move has to be decided again."""


class _Draft(NamedTuple):
    """A move that was decided on a remembered match."""

    commit: Commit
    finish: _Finish
    reply: PendingReply[Committed | Snapshot | None]


class BegunMove:
    """A move whose first round trip is under way: it reads the match, or makes the move on the remembered match."""

    __slots__ = ("_pending", "_reply", "draft", "is_likely", "needs_look_up", "refusal")

    def __init__(
        self,
        draft: _Draft | None,
        read: PendingReply[Snapshot | None] | None,
        *,
        is_likely: bool = False,
        needs_look_up: bool = False,
    ) -> None:
        """Without draft and read, there can be no such match."""
        self.draft = draft
        self._pending = read if draft is None else draft.reply
        self._reply: Committed | Snapshot | None = None
        self.refusal: RefereeError | None = None
        """Why the move must not be made after the first round trip, unless that has made it."""
        self.is_likely = is_likely
        """Whether the first round trip will probably make the move."""
        self.needs_look_up = needs_look_up
        """Whether the next move can be made so only if the token is looked up again."""

    @property
    def reply(self) -> Committed | Snapshot | None:
        """What the first round trip returned: the commit of the move, or a snapshot of its match. Raises what the
        store raised for this match."""
        if self._pending is not None:
            self._reply = self._pending.answer
            self._pending = None
        return self._reply

    @property
    def is_made(self) -> bool:
        """Whether the first round trip made the move."""
        try:
            return isinstance(self.reply, Committed)
        except Exception:
            return False  # `snapshot` raises it again; it must not cost other moves their results

    @property
    def snapshot(self) -> Snapshot | None:
        """The match of a move that was not made, `None` if there is no such match."""
        reply = self.reply
        assert not isinstance(reply, Committed)
        return reply


class Moves:
    """Makes the moves of remote bots."""

    def __init__(
        self,
        writer: MatchWriter,
        sessions: Sessions,
        timeouts: TimeoutApplier,
        *,
        timings: RefereeTimings,
        monotonic: Callable[[], float],
    ) -> None:
        self._writer = writer
        self._sessions = sessions
        self._timeouts = timeouts
        self._timings = timings
        self._monotonic = monotonic

    def begin(
        self, pipeline: ReadPipeline, request: MoveRequest, arrived: float, known: KnownBot | None
    ) -> BegunMove:
        """Begin a move in a caller's pipeline (`Referee.begin`)."""
        if not is_match_id(request.match):
            return BegunMove(None, None)
        store = self._writer.store
        planned = None if known is None else self._plan_on_memory(request, arrived, known.id)
        if known is None or planned is None:
            return BegunMove(None, store.ask(pipeline, request.match))
        commit, finish, sent = planned
        reply = store.ask_commit(pipeline, commit, known.asked_at, sent)
        if reply is None:
            return BegunMove(None, store.ask(pipeline, request.match), needs_look_up=True)
        is_likely = not self._writer.recent.has_failed(request.match)
        return BegunMove(_Draft(commit, finish, reply), None, is_likely=is_likely)

    def _plan_on_memory(
        self, request: MoveRequest, arrived: float, bot_id: str
    ) -> tuple[Commit, _Finish, int] | None:
        """Return the commit of a move on the remembered match, its end, and the service time of the match.

        Return `None` for all that is not the plain answer to the open question: it is decided on a fresh snapshot.
        """
        recalled = self._writer.recent.recall(request.match)
        if recalled is None or request.turn != recalled[0].progress.turn:
            return None
        snapshot, state = recalled
        seat = snapshot.config.seat_of(bot_id)
        at = snapshot.now - self._age(arrived)
        if seat is None or seat != snapshot.progress.to_move or snapshot.is_time_up(at):
            return None
        try:
            _check_may_move(snapshot, seat)
            commit, finish = self._move(request, seat, snapshot, at, state)
        except RefereeError:
            return None
        if commit.finished:  # rare, and the writer may have to read the logs of earlier deals first
            return None
        return commit, finish, snapshot.now

    def make(
        self,
        bot_id: str,
        requests: Sequence[MoveRequest],
        arrived: float | None,
        begun: Sequence[BegunMove] | None,
    ) -> list[MoveResult | RefereeError]:
        arrived_at = self._monotonic() if arrived is None else arrived
        results: list[MoveResult | RefereeError | None] = [None] * len(requests)
        if begun is not None:
            self._take_made(begun, results)
        busy = Busy("the match changed under this move too many times; send it again")
        failures: dict[int, Exception] = {}
        for _ in range(ATTEMPTS):
            open_ones = [at for at, result in enumerate(results) if result is None and at not in failures]
            if not open_ones:
                break
            attempt = partial(
                self._attempt, bot_id, requests, open_ones, results, failures, arrived_at, begun
            )
            if not self._run(attempt, results):
                busy = _may_be_made()
                break
            begun = None  # later attempts read the matches again
        for at, failure in failures.items():
            results[at] = _may_be_made()
            self._run(partial(_raise, failure), results)
        return [busy if result is None else result for result in results]

    def _run(self, call: Callable[[], bool], results: Sequence[MoveResult | RefereeError | None]) -> bool:
        """Return what `call` returns. If it raises after a move was made, whose response must not get lost, return
        false."""
        made = any(isinstance(result, MoveResult) for result in results)
        return self._writer.after.run(Hook.OTHER_MOVES, call, False, committed=made)

    def _take_made(self, begun: Sequence[BegunMove], results: list[MoveResult | RefereeError | None]) -> None:
        """Fill in the results of the moves that the first round trip made, and the refusals of others."""
        made: list[tuple[int, _Draft, Committed]] = []
        for index, move in enumerate(begun):
            if move.draft is not None:
                self._writer.recent.note_attempt(move.draft.commit.match, made=move.is_made)
            if move.draft is not None and move.is_made and isinstance(move.reply, Committed):
                made.append((index, move.draft, move.reply))
            else:
                results[index] = move.refusal
        loaded_matches = self._writer.take_results(
            [draft.commit for _, draft, _ in made], [each for _, _, each in made]
        )
        for (index, draft, _), loaded in zip(made, loaded_matches, strict=True):
            assert isinstance(loaded, LoadedMatch)
            results[index] = draft.finish(loaded)

    def _attempt(
        self,
        bot_id: str,
        requests: Sequence[MoveRequest],
        open_ones: Sequence[int],
        results: list[MoveResult | RefereeError | None],
        failures: dict[int, Exception],
        arrived: float,
        begun: Sequence[BegunMove] | None,
    ) -> bool:
        """Try the open moves and fill in their results, and their failures where a part of the store failed. Overtaken
        moves still have neither afterwards.

        The moves are decided on what their first round trip read, or without one, on a read of this attempt. Return
        true.
        """
        snapshots = self._snapshots(requests, open_ones, failures, begun)
        age = self._age(arrived)
        planned: list[tuple[int, Commit, _Finish]] = []
        replays: list[tuple[int, MoveResult]] = []
        for index, snapshot in snapshots:
            try:
                plan = self._plan_on_snapshot(bot_id, requests[index], snapshot, age)
            except RefereeError as refusal:
                results[index] = refusal
                continue
            if isinstance(plan, MoveResult):
                replays.append((index, plan))
            else:
                planned.append((index, *plan))
        for (index, replay), failure in zip(replays, self._confirm(replays), strict=True):
            _note(index, failure or replay, results, failures)
        made = self._writer.commit_each([commit for _, commit, _ in planned])
        for (index, _, finish), loaded in zip(planned, made, strict=True):
            _note(index, finish(loaded) if isinstance(loaded, LoadedMatch) else loaded, results, failures)
        return True

    def _snapshots(
        self,
        requests: Sequence[MoveRequest],
        open_ones: Sequence[int],
        failures: dict[int, Exception],
        begun: Sequence[BegunMove] | None,
    ) -> list[tuple[int, Snapshot | None]]:
        """Return the matches of the open moves. Fill in the failures of those whose first round trip failed."""
        if begun is None:
            matches = [requests[index].match for index in open_ones]
            return list(zip(open_ones, self._writer.store.read(matches), strict=True))
        snapshots: list[tuple[int, Snapshot | None]] = []
        for index in open_ones:
            try:
                snapshots.append((index, begun[index].snapshot))
            except Exception as failure:
                failures[index] = failure
        return snapshots

    def _confirm(self, replays: Sequence[tuple[int, MoveResult]]) -> list[Exception | None]:
        return self._writer.store.confirm([result.match for _, result in replays]) if replays else []

    def _age(self, arrived: float) -> int:
        """Return how long ago a request arrived, in ms."""
        return int((self._monotonic() - arrived) * 1000)

    def _plan_on_snapshot(
        self, bot_id: str, request: MoveRequest, snapshot: Snapshot | None, age: int
    ) -> MoveResult | tuple[Commit, _Finish]:
        """Return the commit of a move that arrived `age` ms ago, or the result that it got before. Raises refusals."""
        if snapshot is None:
            raise self._writer.missing(request.match)
        seat = own_seat(snapshot.config, bot_id)
        entry = move_requests.made_before(request, seat, snapshot, lambda: self._writer.logs(snapshot))
        if entry is not None:
            return MoveResult(match=request.match, seat=seat, entry=entry, replayed=True, loaded=None)
        _check_may_move(snapshot, seat)
        progress, arrived = snapshot.progress, snapshot.now - age
        mine = seat == progress.to_move and (request.turn == progress.turn or request.deal == progress.number)
        if snapshot.is_time_up(arrived) if mine else snapshot.is_overdue(self._timings.settle_ms):
            commit = self._timeouts.overdue(snapshot, 0)
            assert commit is not None
            return commit, _too_late(request) if mine and request.turn is not None else _decide_again
        return self._move(request, seat, snapshot, arrived)

    def _move(
        self,
        request: MoveRequest,
        seat: int,
        snapshot: Snapshot,
        arrived: int,
        state: MatchState | None = None,
    ) -> tuple[Commit, _Finish]:
        session = self._sessions.open(snapshot, state)
        move_requests.check(request, seat, snapshot, session, lambda: self._writer.logs(snapshot))
        mine = seat == snapshot.progress.to_move
        taken = _time_taken(snapshot, arrived, mine=mine)
        entry = session.move(seat, request.move, taken, note=request.note)

        def finish(loaded_match: LoadedMatch) -> MoveResult:
            return MoveResult(
                match=request.match, seat=seat, entry=entry, replayed=False, loaded=loaded_match
            )

        return steps.moved(snapshot, session, self._timings, answers=bool(entry.answers)), finish


def _note(
    index: int,
    outcome: MoveResult | Exception | None,
    results: list[MoveResult | RefereeError | None],
    failures: dict[int, Exception],
) -> None:
    """Fill in what became of a move: its result, a refusal, the failure of the store, or nothing yet."""
    if isinstance(outcome, Exception) and not isinstance(outcome, RefereeError):
        failures[index] = outcome
    else:
        results[index] = outcome


def _may_be_made() -> Busy:
    return Busy("the store failed during this move, which may have been made; send it again")


def _raise(error: Exception) -> bool:
    raise error


def _check_may_move(snapshot: Snapshot, seat: int) -> None:
    """Raise `MatchOver`, `MatchNotRunning` or `NotYourTurn` where the seat may not move at all."""
    progress = snapshot.progress
    if snapshot.finished:
        raise MatchOver("the match is over", ending=progress.ending)
    if progress.status is not Status.RUNNING:
        raise MatchNotRunning(f"the match is {progress.status}")
    if seat in progress.forfeits:
        raise NotYourTurn("your seat is forfeited; the referee plays safe moves for it", turn=progress.turn)


def _time_taken(snapshot: Snapshot, arrived: int, *, mine: bool) -> int:
    """Return the ms between the question and the arrival of its answer."""
    asked = snapshot.asked
    if asked is None:
        return 0
    taken = max(0, arrived - asked)
    if mine and snapshot.deadline is not None:
        # While service time stands still no turn times out, so an answer may come after deadline and grace.
        # The bot isn't charged for that delay.
        taken = min(taken, snapshot.deadline + snapshot.config.clock.grace_ms - asked)
    return taken


def _too_late(request: MoveRequest) -> _Finish:
    def finish(loaded: LoadedMatch) -> RefereeError:
        return StaleTurn(
            f"time was up for turn {request.turn}; the referee has played the safe move",
            turn=loaded.progress.turn,
        )

    return finish


def _decide_again(loaded: LoadedMatch) -> None:
    """Return no result: a deadline came first, and the move is decided on the new state."""
