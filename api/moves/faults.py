"""Inject the faults of a conformance check (`league.fitness.checks`) into the bot's requests for the check's match.

A bot's token names its check, so a bot outside a check costs no look-up. A fault hits a whole request. It is injected
only if every move of the request belongs to the match of the check. A refused poll delivers its turns later, turns of
other matches included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from api.problems import STORE_UNAVAILABLE, Problem
from league.fitness.checks import LEFT_MS
from league.fitness.model import Fault, FaultMet
from records.errors import RefereeError
from records.instants import ms_of, text_of
from records.match.loaded_match import MoveResult
from records.match.move_requests import MoveRequest

if TYPE_CHECKING:
    from api.http.replies import HttpReply
    from league.accounts.tokens import Token
    from league.fitness.checks import RedisCheckStore

_BEFORE: Final = (Fault.MOVE_REFUSED,)
_AFTER: Final = (Fault.ANSWER_LOST, Fault.CONNECTION_LOST, Fault.ANSWER_CUT)
_WITH_A_TURN: Final = (Fault.POLL_REFUSED, Fault.POLL_CUT)

Body = dict[str, Any]

hold = time.sleep
"""Delays a response; replaced in tests."""


class Faults:
    """The faults of one request of a bot in a check."""

    def __init__(self, match: str, store: RedisCheckStore) -> None:
        self._match, self._store = match, store
        self._fault: Fault | None = None

    def before(self, moves: Sequence[MoveRequest]) -> None:
        """Raise `Problem` to refuse the request before its moves are made."""
        move = self._only(moves)
        if move is not None and self._take(_BEFORE, move) is not None:
            raise _refusal()

    def moved(self, moves: Sequence[MoveRequest], results: Sequence[MoveResult | RefereeError]) -> None:
        """Record the results of the moves."""
        met = [
            FaultMet(move.turn, move.move, _outcome(result))
            for move, result in zip(moves, results, strict=True)
            if move.match == self._match and move.turn is not None
        ]
        if met:
            self._store.note(self._match, met)
        move = self._only(moves)
        if move is not None and _outcome(results[0]) == "made":
            self._fault = self._take(_AFTER, move)

    def answer(self, body: Body, write: Callable[[Body], HttpReply]) -> HttpReply:
        """Return the response with this body, or a broken one. Raise `Problem` to refuse the request."""
        turns = [turn for turn in body.get("turns", ()) if turn["match"] == self._match]
        following = body.get("next")
        delivered = [*turns, *([following] if following and following["match"] == self._match else [])]
        fault = self._fault
        if fault is None and delivered:
            fault = self._store.take(self._match, _WITH_A_TURN, delivered[0]["turn"], None, one_a_turn=False)
        if fault in (Fault.ANSWER_LOST, Fault.POLL_REFUSED):
            raise _refusal()
        if fault is not None:
            whole = write(body)
            return whole._replace(cut_at=0 if fault is Fault.CONNECTION_LOST else len(whole.body) // 2)
        if turns and self._with(Fault.TURN_REPEATED, turns[0]):
            body["turns"] = [*body["turns"], *turns]
        elif delivered and delivered[0]["deadline"] and self._with(Fault.NEAR_DEADLINE, delivered[0]):
            _delay(delivered[0])
        return write(body)

    def _only(self, moves: Sequence[MoveRequest]) -> MoveRequest | None:
        """Return the only move of the request, if it answers a turn in the match of the check."""
        if len(moves) == 1 and moves[0].match == self._match and moves[0].turn is not None:
            return moves[0]
        return None

    def _take(self, faults: Sequence[Fault], move: MoveRequest) -> Fault | None:
        assert move.turn is not None
        return self._store.take(self._match, faults, move.turn, move.move, one_a_turn=True)

    def _with(self, fault: Fault, turn: Body) -> bool:
        return self._store.take(self._match, (fault,), turn["turn"], None, one_a_turn=False) is not None


def faults_for(token: Token, store: RedisCheckStore) -> Faults | None:
    """Return the faults of one request with this token; `None` outside a check."""
    return None if token.check is None else Faults(token.check, store)


def _outcome(result: MoveResult | RefereeError) -> str:
    if isinstance(result, MoveResult):
        return "replayed" if result.replayed else "made"
    return result.code


def _refusal() -> Problem:
    return Problem("store_unavailable", STORE_UNAVAILABLE)


def _delay(turn: Body) -> None:
    """Delay a turn until `LEFT_MS` before its deadline."""
    now, deadline = ms_of(turn["now"]), ms_of(turn["deadline"])
    delay = max(0, deadline - LEFT_MS - now)
    hold(delay / 1000)
    turn["now"] = text_of(now + delay)
