"""Exact values of positions of finished matches, on demand.

A small position is solved at once. A larger one is solved by a job, for one owner one at a time. A job that is lost
leaves nothing behind for longer than `WAITS_S`; then the position can be requested again.

    kozyr:{studies}:position:ID  string  empty while a job is to solve it; else the solution (JSON), `null` if it is out
                                         of reach. ID derives from the match, the place and the tried moves
    kozyr:{studies}:owner:OWNER  string  the ID of the position that a job is to solve for an owner
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import orjson

from bots.solver import HiddenCards, Unsolvable
from league.errors import TooManyReviews
from records.endings.study import SolvedPosition, Study, study_of
from records.match.loaded_match import LoadedMatch
from records.match.session import match_of
from redisio.connection import Redis
from referee.referee import Referee

AT_ONCE_NODES: Final = 250
"""How many nodes are searched during a request: up to 20 ms with the rules in Python."""
JOB_NODES: Final = 30_000
"""How many nodes a job searches: up to two seconds with the rules in Python."""
MOST_MOVES: Final = 2_000
"""After how many moves of a deal a position can be studied. The page of a position has the table at every move."""
MOST_LINE: Final = 2_000
"""The longest line of tried moves, in characters."""
KEPT_S: Final = 3_600
WAITS_S: Final = 120


class StudyPlace(NamedTuple):
    """A position of a match, and the moves that were tried from there."""

    match: str
    deal: int
    move: int
    line: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        text = " ".join([self.match, str(self.deal), str(self.move), ",".join(self.line)])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def line_of(text: str) -> tuple[str, ...]:
    """Return the tried moves of a text that separates them by commas."""
    return tuple(text.split(",")) if text else ()


class StudyState(enum.StrEnum):
    """Whether a position has a solution."""

    SOLVED = "solved"
    OPEN = "open"
    """It is too large for a request; a job can try it."""
    WAITING = "waiting"
    """A job is to solve it."""
    TOO_LONG = "too_long"
    """A job did not settle it."""
    HIDDEN = "hidden"
    """A seat can't know all hands yet."""
    NO_SOLVER = "no_solver"
    """No solver plays this table."""
    OVER = "over"
    """The deal is over."""


class StudyResult(NamedTuple):
    """A position with its solution, if it has one."""

    study: Study
    state: StudyState
    solution: SolvedPosition | None = None


class Studies:
    """Solves positions of finished matches. Safe to share between greenlets and threads."""

    def __init__(
        self, redis: Redis, referee: Referee, wake: Callable[[str, int, int, Sequence[str], str], None]
    ) -> None:
        """`wake` enqueues a job that calls `work`."""
        self._redis, self._referee, self._wake = redis, referee, wake

    def position(self, loaded: LoadedMatch, place: StudyPlace) -> Study:
        """Return a position of a match whose record may be read, with the tried moves played.

        Raise `RecordNotReady`, `GroupRunning` or `EventsNotReady`, and `BadTable` for what is no play of this match.
        """
        self._referee.record(loaded)
        replays = self._referee.replays
        match = match_of(loaded.config, loaded.progress.first_dealer or 0)
        steps = replays.steps(loaded, replays.before_deal(loaded, place.deal))
        return study_of(match, steps, place.deal, place.move).tried(place.line)

    def find(self, loaded: LoadedMatch, place: StudyPlace) -> StudyResult:
        """Return the solution of a position that is small or that a job has solved. Raise what `position` raises."""
        study = self.position(loaded, place)
        if study.over:
            return StudyResult(study, StudyState.OVER)
        try:
            found = study.solved(AT_ONCE_NODES)
        except HiddenCards:
            return StudyResult(study, StudyState.HIDDEN)
        except Unsolvable:
            return StudyResult(study, StudyState.NO_SOLVER)
        if found is not None:
            return StudyResult(study, StudyState.SOLVED, found)
        kept = self._redis.one("GET", _position(place.id))
        if not kept:
            return StudyResult(study, StudyState.OPEN if kept is None else StudyState.WAITING)
        values = orjson.loads(kept)
        if values is None:
            return StudyResult(study, StudyState.TOO_LONG)
        return StudyResult(study, StudyState.SOLVED, SolvedPosition(*values))

    def request(self, loaded: LoadedMatch, place: StudyPlace, owner: str) -> StudyResult:
        """Let a job solve a position for an owner, if it is open, and return it. Raise `TooManyReviews` while another
        one waits, and what `position` raises."""
        found = self.find(loaded, place)
        if found.state is not StudyState.OPEN:
            return found
        if not self._redis.one("SET", _owner(owner), place.id, "NX", "EX", WAITS_S):
            raise TooManyReviews("another position that you asked for is being solved; retry in a moment")
        if self._redis.one("SET", _position(place.id), b"", "NX", "EX", WAITS_S):
            self._wake(place.match, place.deal, place.move, place.line, owner)
        else:  # somebody else asked for it a moment ago
            self._redis.one("DEL", _owner(owner))
        return found._replace(state=StudyState.WAITING)

    def work(self, place: StudyPlace, owner: str) -> None:
        """Solve a position, and keep the solution."""
        study = self.position(self._referee.look(place.match), place)
        try:
            found = study.solved(JOB_NODES)
        except Unsolvable:
            found = None
        text = orjson.dumps(found and [dict(found.values), dict(found.lines)])
        self._redis.one("SET", _position(place.id), text, "EX", KEPT_S)
        if self._redis.one("GET", _owner(owner)) == place.id.encode():
            self._redis.one("DEL", _owner(owner))


def _position(place: str) -> str:
    return f"kozyr:{{studies}}:position:{place}"


def _owner(owner: str) -> str:
    return f"kozyr:{{studies}}:owner:{owner}"
