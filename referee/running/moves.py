"""Moves of remote bots: checked, made once and committed in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from records.errors import MatchOver, NotYourTurn, RefereeError, StaleTurn
from records.ids import is_match_id
from records.match import move_requests
from records.match.loaded_match import LoadedMatch, MoveResult
from records.match.move_requests import MoveRequest
from records.match.session import MatchConfig, Status
from referee.after_commit import AfterCommitStep
from referee.errors import Busy, MatchNotRunning, NotYourMatch
from referee.running import steps
from referee.running.timeouts import ATTEMPTS, TimeoutApplier
from referee.storage.store import Commit, Committed, PendingReply, ReadPipeline


class KnownBot(NamedTuple):
    """The bot of a token that was looked up before this request."""

    id: str
    asked_at: float
    """The `time.monotonic()` before that look-up was sent."""


_Finish = Callable[[LoadedMatch], MoveResult | RefereeError | None]
"""Turns the committed match into the result; `None` if the move has to be decided again."""


class _Draft(NamedTuple):
    """A decision that has to be committed."""

    commit: Commit
    finish: _Finish
    is_move: bool = False
    """Whether it is the move itself, and not an expired deadline."""


class BegunMove:
    """A move of a request. Its first round trip makes it on the remembered match, or reads the match."""

    __slots__ = ("_reply", "arrived", "draft", "failure", "needs_look_up", "pending", "request", "result")

    def __init__(self, request: MoveRequest, arrived: float) -> None:
        self.request, self.arrived = request, arrived
        self.draft: _Draft | None = None
        """The decision on the remembered match, which the first round trip commits."""
        self.pending: PendingReply[Any] | None = None
        """The commit of the move, or a snapshot of its match."""
        self.result: MoveResult | RefereeError | None = None
        """What became of the move. A refusal set before `Moves.make` stands."""
        self.failure: Exception | None = None
        """What the store raised for this move."""
        self.needs_look_up = False
        """Whether the next move can be made in one round trip only if the token is looked up again."""
        self._reply: Committed | LoadedMatch | None = None

    @property
    def reply(self) -> Committed | LoadedMatch | None:
        """What the first round trip returned. Raises what the store raised for this match."""
        if self._reply is None and self.pending is not None:
            self._reply = self.pending.answer
        return self._reply

    def take_snapshot(self) -> LoadedMatch | None:
        """Return the match that the first round trip read, once. Raises what the store raised for it."""
        reply = self.reply
        self._reply = self.pending = None
        assert not isinstance(reply, Committed)
        return reply

    @property
    def is_made(self) -> bool:
        """Whether the first round trip made the move."""
        try:
            return self.draft is not None and isinstance(self.reply, Committed)
        except Exception:
            return False  # `reply` raises it again; it must not cost other moves their results


class Moves:
    """Makes the moves of remote bots. Each move is begun in a pipeline of its caller, and then made."""

    def __init__(self, timeouts: TimeoutApplier) -> None:
        self._timeouts, self._writer, self._sessions = timeouts, timeouts.writer, timeouts.sessions
        self._timings, self._monotonic = self._sessions.timings, self._sessions.monotonic

    def begin(
        self,
        request: MoveRequest,
        arrived: float | None = None,
        pipeline: ReadPipeline | None = None,
        known: KnownBot | None = None,
    ) -> BegunMove:
        """Begin a move, for `make`.

        `arrived` is the monotonic instant at which the last byte was read, by default now; the bot isn't charged for
        the time from there to the commit. A `pipeline`, which the caller sends before `make`, reads the match. For a
        `known` bot it makes the move, if this process made the last commit of the match: then the move takes one round
        trip.
        """
        begun = BegunMove(request, self._monotonic() if arrived is None else arrived)
        store = self._writer.store
        if not is_match_id(request.match):
            begun.result = self._writer.missing(request.match)
        elif pipeline is not None:
            if known is not None and (planned := self._on_memory(begun, known.id)) is not None:
                draft, sent = planned
                begun.pending = store.ask_commit(pipeline, draft.commit, known.asked_at, sent)
                if begun.pending is not None:
                    begun.draft = draft
                    return begun
                begun.needs_look_up = True
            begun.pending = store.ask(pipeline, request.match)
        return begun

    def _on_memory(self, move: BegunMove, bot_id: str) -> tuple[_Draft, int] | None:
        """Return the decision on the remembered match, and the service time of the match.

        Return `None` for all that is not the plain answer to the open question: it is decided on a fresh snapshot.
        """
        snapshot = self._sessions.known.recall(move.request.match)
        if snapshot is None or move.request.turn != snapshot.progress.turn:
            return None
        try:
            draft = self._decide(bot_id, move, snapshot)
        except RefereeError:
            return None
        # The last move of a match is rare, and the writer may have to read the logs of earlier deals first.
        if isinstance(draft, MoveResult) or not draft.is_move or draft.commit.finished:
            return None
        return draft, snapshot.now

    def move(self, bot_id: str, request: MoveRequest, arrived: float | None = None) -> MoveResult:
        """Make one move. Raises the error that `make` returns."""
        (result,) = self.make(bot_id, [self.begin(request, arrived)])
        if isinstance(result, RefereeError):
            raise result
        return result

    def make(self, bot_id: str, moves: Sequence[BegunMove]) -> list[MoveResult | RefereeError]:
        """Make moves of one bot in any number of matches, with one commit for all of them unless other writers overtake
        them. Those that the first round trip made need none.

        Each move is made exactly once. Its key is (match, seat, turn), a free move's (match, seat, deal, move). A
        repeated move gets its first result again, `replayed`.
        """
        self._take_made([move for move in moves if move.is_made])
        for _ in range(ATTEMPTS):
            open_ones = [move for move in moves if move.result is None and move.failure is None]
            if not open_ones:
                break
            if not self._run(partial(self._attempt, bot_id, open_ones), moves):
                for move in open_ones:
                    move.result = move.result or _may_be_made()
        for move in moves:
            if move.failure is not None:
                move.result = _may_be_made()
                self._run(partial(_raise, move.failure), moves)
        return [move.result or _overtaken() for move in moves]

    def _run(self, call: Callable[[], bool], moves: Sequence[BegunMove]) -> bool:
        """Return what `call` returns. If it raises after a move was made, whose response must not get lost, return
        false."""
        made = any(isinstance(move.result, MoveResult) for move in moves)
        return self._writer.after_commit.run(AfterCommitStep.OTHER_MOVES, call, False, committed=made)

    def _take_made(self, moves: Sequence[BegunMove]) -> None:
        """Fill in the results of the moves that the first round trip made."""
        drafts = [move.draft for move in moves if move.draft is not None]
        replies = [move.reply for move in moves if isinstance(move.reply, Committed)]
        made = self._writer.take_results([draft.commit for draft in drafts], replies)
        for move, draft, loaded in zip(moves, drafts, made, strict=True):
            assert isinstance(loaded, LoadedMatch)
            move.result = draft.finish(loaded)

    def _attempt(self, bot_id: str, moves: Sequence[BegunMove]) -> bool:
        """Try these moves and fill in their results, and their failures where a part of the store failed. Overtaken
        moves still have neither afterwards.

        Decide on what the first round trip read, later on a read of this attempt. Return true.
        """
        drafts: list[tuple[BegunMove, _Draft]] = []
        replays: list[tuple[BegunMove, MoveResult]] = []
        for move, snapshot in self._snapshots(moves):
            try:
                decision = self._decide(bot_id, move, snapshot)
            except RefereeError as refusal:
                move.result = refusal
                continue
            if isinstance(decision, MoveResult):
                replays.append((move, decision))
            else:
                drafts.append((move, decision))
        if replays:
            failures = self._writer.store.confirm([replay.match for _, replay in replays])
            for (move, replay), failure in zip(replays, failures, strict=True):
                _note(move, failure or replay)
        made = self._writer.commit_each([draft.commit for _, draft in drafts])
        for (move, draft), loaded in zip(drafts, made, strict=True):
            _note(move, draft.finish(loaded) if isinstance(loaded, LoadedMatch) else loaded)
        return True

    def _snapshots(self, moves: Sequence[BegunMove]) -> list[tuple[BegunMove, LoadedMatch | None]]:
        """Return the matches of these moves. Fill in the failures of those whose first round trip failed."""
        unread = [move for move in moves if move.pending is None]
        read = self._writer.store.read([move.request.match for move in unread]) if unread else []
        snapshots = list(zip(unread, read, strict=True))
        for move in moves:
            if move.pending is not None:
                try:
                    snapshots.append((move, move.take_snapshot()))
                except Exception as failure:
                    move.failure = failure
        return snapshots

    def _decide(self, bot_id: str, move: BegunMove, snapshot: LoadedMatch | None) -> MoveResult | _Draft:
        """Return the commit of a move on this snapshot, or the result that it got before. Raises refusals."""
        request = move.request
        if snapshot is None:
            raise self._writer.missing(request.match)
        seat = own_seat(snapshot.config, bot_id)
        entry = move_requests.made_before(request, seat, snapshot, lambda: self._writer.logs(snapshot))
        if entry is not None:
            return MoveResult(match=request.match, seat=seat, entry=entry, replayed=True, loaded=None)
        _check_may_move(snapshot, seat)
        progress = snapshot.progress
        arrived = snapshot.now - int((self._monotonic() - move.arrived) * 1000)
        mine = seat == progress.to_move and (request.turn == progress.turn or request.deal == progress.number)
        if snapshot.is_time_up(arrived) if mine else snapshot.is_overdue(self._timings.settle_ms):
            commit = self._timeouts.overdue(snapshot, 0)
            assert commit is not None
            return _Draft(commit, _too_late(request) if mine and request.turn is not None else _decide_again)
        session = self._sessions.open(snapshot)
        move_requests.check(request, seat, snapshot, session, lambda: self._writer.logs(snapshot))
        taken = _time_taken(snapshot, arrived, mine=mine)
        made = session.move(seat, request.move, taken, note=request.note)
        commit = steps.moved(snapshot, session, self._timings, answers=bool(made.answers))
        return _Draft(commit, partial(MoveResult, request.match, seat, made, False), is_move=True)


def own_seat(config: MatchConfig, bot_id: str) -> int:
    """Return the bot's seat in the match. Raises `NotYourMatch`."""
    seat = config.seat_of(bot_id)
    if seat is None:
        raise NotYourMatch("you have no seat in this match")
    return seat


def _note(move: BegunMove, outcome: MoveResult | Exception | None) -> None:
    """Fill in what became of a move: its result, a refusal, the failure of the store, or nothing yet."""
    if isinstance(outcome, Exception) and not isinstance(outcome, RefereeError):
        move.failure = outcome
    else:
        move.result = outcome


def _overtaken() -> Busy:
    return Busy("the match changed under this move too many times; send it again")


def _may_be_made() -> Busy:
    return Busy("the store failed during this move, which may have been made; send it again")


def _raise(error: Exception) -> bool:
    raise error


def _check_may_move(snapshot: LoadedMatch, seat: int) -> None:
    """Raise `MatchOver`, `MatchNotRunning` or `NotYourTurn` where the seat may not move at all."""
    progress = snapshot.progress
    if snapshot.finished:
        raise MatchOver("the match is over", ending=progress.ending)
    if progress.status is not Status.RUNNING:
        raise MatchNotRunning(f"the match is {progress.status}")
    if seat in progress.forfeits:
        raise NotYourTurn("your seat is forfeited; the referee plays safe moves for it", turn=progress.turn)


def _time_taken(snapshot: LoadedMatch, arrived: int, *, mine: bool) -> int:
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
