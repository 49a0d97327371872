"""The faults that a bot in a check meets (`league.fitness.checks`), on its own requests for the match of the check.

The hot routes ask `of` once a request, which costs them nothing: whether a bot is in a check comes with its token.
A fault hits whole requests, so it is met only where all moves of one are of the check's match; a poll that is
refused hands over later what it would have handed over, of other matches too.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from flask import Response

from api.problems import Problem
from api.services import services
from api.wire import answer
from league.accounts.tokens import Token
from league.fitness.checks import LEFT_MS
from league.fitness.model import Fault, FaultMet
from referee.errors import RefereeError
from referee.instants import ms_of, text_of
from referee.match.loaded_match import MoveResult
from referee.match.move_requests import MoveRequest

_BEFORE: Final = (Fault.MOVE_REFUSED,)
_AFTER: Final = (Fault.ANSWER_LOST, Fault.CONNECTION_LOST, Fault.ANSWER_CUT)
_WITH_A_TURN: Final = (Fault.POLL_REFUSED, Fault.POLL_CUT)

Said = dict[str, Any]

hold = time.sleep
"""How an answer is held back."""


class Faults:
    """Those of a bot that is in no check: none."""

    def before(self, moves: Sequence[MoveRequest]) -> None:
        """Before the moves are made. Raises `Problem` for a fault."""

    def moved(self, moves: Sequence[MoveRequest], results: Sequence[MoveResult | RefereeError]) -> None:
        """What became of the moves."""

    def answer(self, said: Said) -> Response:
        """The answer, or what comes in its place. Raises `Problem` for a fault."""
        return answer(said)


class _InCheck(Faults):
    """Those of one request of a bot in a check."""

    def __init__(self, match: str) -> None:
        self._match, self._store = match, services().checks.store
        self._fault: Fault | None = None

    def before(self, moves: Sequence[MoveRequest]) -> None:
        move = self._only(moves)
        if move is not None and self._take(_BEFORE, move) is not None:
            raise _refusal()

    def moved(self, moves: Sequence[MoveRequest], results: Sequence[MoveResult | RefereeError]) -> None:
        met = [
            FaultMet(move.turn, move.move, _became(result))
            for move, result in zip(moves, results, strict=True)
            if move.match == self._match and move.turn is not None
        ]
        if met:
            self._store.note(self._match, met)
        move = self._only(moves)
        if move is not None and met[-1].said == "made":
            self._fault = self._take(_AFTER, move)

    def answer(self, said: Said) -> Response:
        turns = [turn for turn in said.get("turns", ()) if turn["match"] == self._match]
        following = said.get("next")
        handed_over = [*turns, *([following] if following and following["match"] == self._match else [])]
        fault = self._fault
        if fault is None and handed_over:
            fault = self._store.take(
                self._match, _WITH_A_TURN, handed_over[0]["turn"], None, one_a_turn=False
            )
        if fault in (Fault.ANSWER_LOST, Fault.POLL_REFUSED):
            raise _refusal()
        if fault is not None:
            return _cut(answer(said), whole=fault is Fault.CONNECTION_LOST)
        if turns and self._with(Fault.TURN_REPEATED, turns[0]):
            said["turns"] = [*said["turns"], *turns]
        elif handed_over and handed_over[0]["deadline"] and self._with(Fault.NEAR_DEADLINE, handed_over[0]):
            _late(handed_over[0])
        return answer(said)

    def _only(self, moves: Sequence[MoveRequest]) -> MoveRequest | None:
        """The one move of the request, if it is for the match of the check and answers a turn."""
        if len(moves) == 1 and moves[0].match == self._match and moves[0].turn is not None:
            return moves[0]
        return None

    def _take(self, faults: Sequence[Fault], move: MoveRequest) -> Fault | None:
        assert move.turn is not None
        return self._store.take(self._match, faults, move.turn, move.move, one_a_turn=True)

    def _with(self, fault: Fault, turn: Said) -> bool:
        return self._store.take(self._match, (fault,), turn["turn"], None, one_a_turn=False) is not None


_NONE: Final = Faults()


def of(token: Token) -> Faults:
    """The faults of a request with this token."""
    return _NONE if token.check is None else _InCheck(token.check)


def _became(result: MoveResult | RefereeError) -> str:
    if isinstance(result, MoveResult):
        return "replayed" if result.replayed else "made"
    return result.code


def _refusal() -> Problem:
    return Problem("store_unavailable", "the store does not answer; nothing else is known")


def _cut(response: Response, *, whole: bool) -> Response:
    """The answer, with the connection ending in its middle, or before its first byte. The server takes the error for
    that of a client that has gone, and closes."""
    body = response.get_data()

    def sent() -> Iterator[bytes]:
        if not whole:
            yield body[: len(body) // 2]
        raise ConnectionResetError(errno.ECONNRESET, "cut by a check")

    headers = {"Content-Length": str(len(body))}
    return Response(sent(), response.status_code, headers, content_type=response.content_type)


def _late(turn: Said) -> None:
    """Hold a turn back until soon before its deadline."""
    now, deadline = ms_of(turn["now"]), ms_of(turn["deadline"])
    held = max(0, deadline - LEFT_MS - now)
    hold(held / 1000)
    turn["now"] = text_of(now + held)
