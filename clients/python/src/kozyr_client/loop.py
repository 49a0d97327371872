"""The state of the loop of `play`, without I/O: open turns, chosen moves, and the matches to wait for."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

from kozyr_client.errors import MoveRefused
from kozyr_client.facts import facts_field
from kozyr_client.turns import Finished, Json, Turn

OnIllegal = Literal["raise", "first"]

MOST_NOTE: Final = 200
"""The longest note on a move, in characters. The client cuts longer ones."""
MOST_MOVES: Final = 256
"""The highest number of moves in a request. The service's limits may lower it."""
NEAR_DEADLINE_S: Final = 0.5
"""A move that is ready with less time left than this gives a warning."""
MOVE_WAIT_S: Final = 1.0
"""How long a request with moves waits for news at most. Its response shows that the moves arrived."""
LEAST_MARGIN_S: Final = 0.5
"""The shortest time in which a response is expected."""
MOST_MARGIN_S: Final = 10.0
"""The longest time in which a response to moves is expected."""
POLL_MARGIN_S: Final = 5.0
"""The same for a response that brings no results: 25 s of waiting and these 5 s leave time in the default clock."""
REMEMBERED: Final = 2000
"""The number of finished matches to remember, so that none is reported twice."""

log = logging.getLogger("kozyr.client")


def note_field(note: str) -> Json:
    """Return the note as a field of a move, cut to what the service accepts, so that no note costs a move."""
    text = "".join(each if each.isprintable() else " " for each in note)[:MOST_NOTE]
    return {"note": text} if text else {}


class ChosenMove(NamedTuple):
    """A chosen move that has no result yet."""

    turn: Turn
    move: str
    fell_back: bool = False

    @property
    def is_free(self) -> bool:
        """Whether this is a free move, which answers no turn."""
        return self.move in self.turn.free_moves

    def body(self) -> Json:
        """Return the move in its JSON form."""
        turn = self.turn
        key = {"deal": turn["deal"]} if self.is_free else {"turn": turn.number}
        return {
            "match": turn.match,
            **key,
            "move": self.move,
            **note_field(turn.note),
            **facts_field(turn.facts),
        }


class TurnsRequest(NamedTuple):
    """A request to `/v1/turns`."""

    moves: list[ChosenMove]
    body: Json
    number: int
    """The number of this request in its loop, from 1."""
    resets: int
    """The number of cursor resets before this request."""
    margin_s: float
    """How long the response may take, in addition to the wait, before the request counts as lost."""


class SettledTurn(NamedTuple):
    """The last turn of a match with a result."""

    turn: int
    requests: int
    """The number of requests by then. The response to an earlier request is out of date for this turn."""


_OVER: Final = 1 << 62
"""The turn number that stands for the end of the match."""


class LoopState:
    """The turns received and the moves to send.

    `known` holds a turn under its match from its arrival until its move has a result. Meanwhile the turn is either in
    `open` (no move yet), with a running `choose`, in `ready` (its move is chosen), or in a request.
    """

    def __init__(self, on_illegal: OnIllegal, clock: Callable[[], float]) -> None:
        self.on_illegal = on_illegal
        self.most_moves = MOST_MOVES
        self.open: list[Turn] = []
        self.ready: list[ChosenMove] = []
        self.known: dict[str, Turn] = {}
        self._clock = clock
        self._since: str | None = None
        self._resets = 0
        self._requests = 0
        self._settled: dict[str, SettledTurn] = {}
        self._made: dict[str, tuple[int, str]] = {}
        self._over: dict[str, None] = {}
        self._budgets: dict[str, float] = {}
        """The seconds that the last turn of each running match had."""
        self.leaving = False
        """Whether the bot begins no new match."""

    def next_turn(self) -> Turn | None:
        """Take the most urgent open turn, or return `None`.

        A turn that has expired here is dropped and polled for again, because the service may have credited time.
        """
        while self.open:
            turn = min(self.open, key=lambda turn: turn.seconds_left)
            self.open.remove(turn)
            if not turn.has_run_out:
                return turn
            warn_late(turn)
            self._drop_and_reset(turn)
        return None

    def choose(self, turn: Turn, move: object) -> None:
        """Queue the move chosen for a turn, unless the turn is over by now.

        Raise `MoveRefused` for an illegal move and `TypeError` for a move that is not a string.
        """
        if not isinstance(move, str):
            raise TypeError(f"choose returned {move!r} in turn {turn.number} of {turn.match}: not a string")
        if self.is_known(turn):
            if 0 < turn.seconds_left < NEAR_DEADLINE_S:
                log.warning(
                    "turn %s of match %s was answered %.2f s before its deadline",
                    turn.number,
                    turn.match,
                    turn.seconds_left,
                )
            chosen = ChosenMove(turn, move)
            possible = turn.may_allow(move) or chosen.is_free
            self.ready.append(chosen if possible else self._fallback(chosen, None))

    def next_request(self, wait: float) -> TurnsRequest:
        """Return the next request, with as many ready moves as it may hold.

        Its `wait` is 0 while there are more moves to send or turns to choose for. Otherwise it is so short that a lost
        response is noticed while the clocks leave time: at most a third of the time of a turn.
        """
        moves, self.ready = self.ready[: self.most_moves], self.ready[self.most_moves :]
        waits = [wait, _share(self._shortest_s, 3)]
        if moves:
            waits += [MOVE_WAIT_S, *(_share(each.turn.budget_s - each.turn.bank_s, 5) for each in moves)]
        body: Json = {
            "moves": [chosen.body() for chosen in moves],
            "wait": 0 if self.ready or self.open else min(waits),
        }
        if self._since is not None:
            body["since"] = self._since
        if self.leaving:
            body["leaving"] = True
        self._requests += 1
        margin = min((_patience_s(each.turn) for each in moves), default=self.margin_s)
        margin = min(MOST_MARGIN_S, max(LEAST_MARGIN_S, margin))
        return TurnsRequest(moves, body, self._requests, self._resets, margin)

    @property
    def margin_s(self) -> float:
        """How long the response to a request without moves may take, in addition to its wait."""
        return max(LEAST_MARGIN_S, min(POLL_MARGIN_S, self._shortest_s / 3))

    @property
    def _shortest_s(self) -> float:
        """The shortest time that the running matches gave for their last turns."""
        return min(self._budgets.values(), default=math.inf)

    def resend(self, request: TurnsRequest) -> None:
        """Queue the moves of a failed request again."""
        self.ready = [*request.moves, *self.ready]

    def reset(self) -> None:
        """Drop the cursor, so that the next request lists all open turns."""
        self._since = None
        self._resets += 1

    def apply(self, request: TurnsRequest, answer: Json) -> tuple[list[Finished], bool]:
        """Apply the response to a request.

        Return the newly finished matches, and whether to pause because the next request repeats a move. Raise
        `MoveRefused`, after applying the rest of the response.
        """
        # A cursor from before the last reset would skip turns.
        if request.resets == self._resets:
            self._since = answer.get("since")
        results = answer.get("results") or []
        unanswered = request.moves[len(results) :]
        self.ready += unanswered
        must_pause = bool(unanswered)
        refusal: MoveRefused | None = None
        for chosen, result in zip(request.moves, results, strict=False):
            try:
                must_pause |= self._apply_result(chosen, result)
            except MoveRefused as error:
                refusal = refusal or error
        for turn in answer.get("turns") or []:
            must_pause |= self._add_turn(turn, request)
        over = self._add_finished(answer.get("finished") or [])
        if refusal is not None:
            raise refusal
        return over, must_pause

    def _apply_result(self, chosen: ChosenMove, result: Json) -> bool:
        turn, move, _ = chosen
        problem = result.get("problem")
        if problem is None:
            self._mark_settled(turn)
            if not chosen.is_free:
                self._made[turn.match] = (turn.number, move)
            return False
        if not self.is_known(turn):
            return False
        if problem.get("retryable"):
            self.ready.append(chosen)
            return True
        code = str(problem.get("code", ""))
        if code == "free_move_with_turn":  # the match did not list it
            turn.free_moves.append(move)
            self.ready.append(chosen)
            return False
        if code in ("illegal_move", "not_a_move") and not turn.legal_moves and self.on_illegal == "first":
            log.warning("%s; its time runs out", MoveRefused(turn, move, problem))
            self._mark_settled(turn)
            return False
        if code in ("illegal_move", "not_a_move"):
            del self.known[turn.match]  # for good, if there is no fallback
            self.ready.append(self._fallback(chosen, problem))
            self.known[turn.match] = turn
            return False
        if turn.has_run_out and code in ("stale_turn", "match_over"):
            warn_late(turn)
        else:
            # A match may end while its bot chooses a move, for example when the opponent resigns.
            report = log.info if code == "match_over" else log.warning
            report(
                "turn %s of match %s is not open: %s", turn.number, turn.match, problem.get("detail", code)
            )
        self._mark_settled(turn)
        self.reset()
        return False

    def _mark_settled(self, turn: Turn) -> None:
        if self.is_known(turn):
            del self.known[turn.match]
        before = self._settled.get(turn.match)
        if before is None or before.turn != _OVER:
            self._settled[turn.match] = SettledTurn(turn.number, self._requests)

    def _fallback(self, chosen: ChosenMove, problem: Json | None) -> ChosenMove:
        error = MoveRefused(chosen.turn, chosen.move, problem)
        if self.on_illegal == "raise" or chosen.fell_back or not error.legal_moves:
            raise error
        log.warning("%s; sending %s instead", error, error.legal_moves[0])
        return ChosenMove(chosen.turn, error.legal_moves[0], True)

    def _add_turn(self, data: Json, request: TurnsRequest) -> bool:
        """Add a turn. Return whether it already had a result, which calls for a pause."""
        turn = Turn(data, self._clock)
        self._budgets[turn.match] = turn.budget_s
        known, settled = self.known.get(turn.match), self._settled.get(turn.match)
        if known is not None and known.number >= turn.number:
            # A duplicate, or an older turn. If the known turn is the wrong one, the result of its move will show it.
            return False
        if settled is not None and settled.turn >= turn.number and settled.requests >= request.number:
            # This response is out of date, and its cursor would skip the turn.
            self.reset()
            return False
        if known is not None:
            if known.has_run_out:
                warn_late(known)
            self._drop(known)
        self.known[turn.match] = turn
        number, move = self._made.get(turn.match, (0, ""))
        if number == turn.number and turn.may_allow(move):
            # The service lost the move, for example by restoring a backup. Send the same move again.
            self.ready.append(ChosenMove(turn, move))
            return True
        self.open.append(turn)
        return settled is not None and settled.turn == turn.number

    def _add_finished(self, listed: list[Json]) -> list[Finished]:
        news = []
        for data in listed:
            finished = Finished(data)
            self._budgets.pop(finished.match, None)
            known = self.known.get(finished.match)
            if known is not None:
                if known.has_run_out:
                    warn_late(known)
                self._drop(known)
            if finished.match not in self._over:
                self._over[finished.match] = None
                self._made.pop(finished.match, None)
                self._settled[finished.match] = SettledTurn(_OVER, self._requests)
                news.append(finished)
        for match in list(self._over)[:-REMEMBERED]:
            del self._over[match]
            self._settled.pop(match, None)
        return news

    def is_known(self, turn: Turn) -> bool:
        """Return whether the turn still has no result."""
        return self.known.get(turn.match) is turn

    def _drop_and_reset(self, turn: Turn) -> None:
        self._drop(turn)
        self.reset()

    def _drop(self, turn: Turn) -> None:
        if self.is_known(turn):
            del self.known[turn.match]
        self.open = [other for other in self.open if other is not turn]
        self.ready = [chosen for chosen in self.ready if chosen.turn is not turn]


def warn_late(turn: Turn) -> None:
    """Log that a turn ran out of time. Without logging configuration the warning goes to stderr."""
    log.warning(
        "turn %s of match %s was late by %.2f s; the service played the safe move and counted a strike",
        turn.number,
        turn.match,
        -turn.seconds_left,
    )


def _share(seconds: float, parts: int) -> float:
    """Return this part of a time in whole milliseconds, so that all clients send the same number."""
    return math.inf if math.isinf(seconds) else max(0, round(seconds * 1000)) // parts / 1000


def _patience_s(turn: Turn) -> float:
    """Return how long the response to the move of a turn may take: half of what is left before the bank is used, then
    an eighth of what is left."""
    free = turn.seconds_left - turn.bank_s
    return free / 2 if free > 0 else turn.seconds_left / 8


class LoopGoal:
    """The condition that ends a loop, and the matches that it has seen finish."""

    def __init__(self, until_finished: str | Iterable[str] | None, matches: int | None) -> None:
        ids = [until_finished] if isinstance(until_finished, str) else until_finished
        self.missing = None if ids is None else set(ids)
        self.matches = matches
        self.finished: list[Finished] = []
        self._begun = False

    @property
    def reached(self) -> bool:
        """Whether the loop may end."""
        if self.missing is not None:
            return not self.missing
        return self.matches is not None and len(self.finished) >= self.matches

    def add_polled(self, over: list[Finished]) -> list[Finished]:
        """Return the matches of a poll to report. Of the first poll, these are only the awaited ones."""
        news = [each for each in over if self._begun or each.match in (self.missing or ())]
        self._begun = True
        return [each for each in news if self._count(each)]

    def add_view(self, view: Json) -> list[Finished]:
        """Return the match of this view if it is awaited and finished."""
        if view["status"] != "finished" or view["id"] not in (self.missing or ()):
            return []
        fields = ("seat", "ending", "scores", "places", "forfeits", "ended")
        finished = Finished({"match": view["id"], **{name: view.get(name) for name in fields}})
        self._count(finished)
        return [finished]

    def _count(self, finished: Finished) -> bool:
        if self.missing is not None:
            if finished.match not in self.missing:
                return not any(finished.match == each.match for each in self.finished)
            self.missing.discard(finished.match)
        if self.missing is not None or self.matches is not None:
            self.finished.append(finished)
        return True
