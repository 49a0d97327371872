"""Requested moves, compared with a snapshot: was the move made before, and does it fit the open question?

The functions are pure, except that they read the logs of earlier deals when they need them. The key of a move is
(match, seat, turn), of a free move (match, seat, deal, move).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.registry import GAMES
from records.errors import FreeMoveWithTurn, MatchOver, NotAMoveText, NotYourTurn, StaleTurn
from records.match.loaded_match import LoadedMatch
from records.match.log import BY_PLAYER, Entry, find_answer, find_free_move, parse_log
from records.match.session import MatchSession

MOST_THOUGHTS: Final = 8192
"""The longest thoughts on a move, in bytes of UTF-8."""
MOST_COUNT: Final = 10**9
"""The highest number of tokens, and of millionths of a dollar, of a move."""
USAGE: Final = ("input_tokens", "output_tokens", "cost_micro_usd")


class MoveFacts(NamedTuple):
    """What a bot reports about a move beside the move itself. `None` is unknown.

    No turn, event or record contains it, and nobody verifies it. Thoughts are private until everybody may read the
    match.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_micro_usd: int | None = None
    mended: tuple[str, ...] = ()
    """The mendings with which its client read the move (`records.words.reading`)."""
    thoughts: str = ""

    @property
    def usage(self) -> dict[str, int]:
        """The known figures by name."""
        return {name: value for name in USAGE if (value := getattr(self, name)) is not None}


Logs = Callable[[], list[str]]
"""Returns the logs of all deals so far, the one in progress last."""


class MoveRequest(NamedTuple):
    """A requested move. Exactly one of `turn` and `deal` is given; `deal` marks a free move."""

    match: str
    move: str
    turn: int | None = None
    deal: int | None = None
    note: str = ""
    """The bot's own note. It does not identify the move: a repeated move keeps its first note."""
    facts: MoveFacts | None = None
    """What the bot reports beside the move. The referee ignores it."""


def made_before(request: MoveRequest, seat: int, snapshot: LoadedMatch, logs: Logs) -> Entry | None:
    """Return the log entry of this move if an earlier request made it, or `None`.

    Raises `StaleTurn` or `MatchOver` if another move or the referee answered the turn.
    """
    progress, deal, turn = snapshot.progress, request.deal, request.turn
    entry: Entry | None = None
    if deal is not None and request.move in _free_texts(snapshot):
        part = ""
        if deal == progress.number and not snapshot.finished:
            part = snapshot.log
        elif 0 < deal <= progress.number:
            part = "".join(logs()[deal - 1 : deal])
        entry = find_free_move(part, seat, request.move) or _find_text(part, seat, request.move)
    if entry is None and turn is not None and (0 < turn < progress.turn or snapshot.finished):
        entry = find_answer(snapshot.log, seat, turn)
        if entry is None and progress.number > 1:
            entry = find_answer("".join(logs()), seat, turn)
        if entry is not None and (entry.by != BY_PLAYER or entry.move != request.move):
            who = "the referee" if entry.by != BY_PLAYER else "another move"
            if snapshot.finished:
                raise MatchOver(f"turn {turn} was answered by {who}: {entry.move}; the match is over")
            raise StaleTurn(f"turn {turn} was answered by {who}: {entry.move}", turn=progress.turn)
    return entry


def check(request: MoveRequest, seat: int, snapshot: LoadedMatch, session: MatchSession, logs: Logs) -> None:
    """Check that a move fits the open question, whether it is legal or not.

    Raises `NotAMoveText`, `StaleTurn`, `NotYourTurn` or `FreeMoveWithTurn`.
    """
    progress = snapshot.progress
    if request.deal is not None:
        free = _free_texts(snapshot)
        if request.move not in free:
            raise NotAMoveText(
                f"only a free move ({', '.join(free) or 'this game has none'}) is sent with `deal`"
            )
        if request.deal != progress.number:
            raise StaleTurn(
                f"deal {progress.number} is being played, not deal {request.deal}", turn=progress.turn
            )
    elif request.turn != progress.turn:
        why = _why_stale(request.turn or 0, seat, snapshot, logs)
        raise StaleTurn(
            f"turn {request.turn or 0} {why}; turn {progress.turn} is being asked", turn=progress.turn
        )
    elif request.move in _free_texts(snapshot) and request.move in session.match.free_texts(
        session.state, seat
    ):
        raise FreeMoveWithTurn(
            f"{request.move} is a free move and answers no question: "
            f'send it with "deal": {progress.number} instead of `turn`, then answer the turn',
            deal=progress.number,
            turn=progress.turn,
        )
    elif seat != progress.to_move:
        raise NotYourTurn(
            f"turn {progress.turn} is asked of seat {progress.to_move}, not of yours ({seat})"
            "; a free move off turn is sent with `deal`",
            turn=progress.turn,
        )


def _free_texts(snapshot: LoadedMatch) -> frozenset[str]:
    return GAMES[snapshot.config.game].free_move_texts


def _why_stale(turn: int, seat: int, snapshot: LoadedMatch, logs: Logs) -> str:
    if turn > snapshot.progress.turn:
        return "has not come yet"
    log = "".join(logs())
    if turn > 0 and not any(find_answer(log, each, turn) for each in range(len(snapshot.config.seats))):
        return "was withdrawn, because a free move changed what may be answered"
    return f"was asked of another seat than yours ({seat})"


def _find_text(log: str, seat: int, move: str) -> Entry | None:
    """Return the seat's answer with this text in a part of the log: an `exchange` that answered a question."""
    for entry in parse_log(log):
        if entry.seat == seat and entry.move == move and entry.by == BY_PLAYER:
            return entry
    return None
