"""Exact values of positions of finished matches, on demand.

A small position is solved at once. A larger one is solved by a job, for one owner one at a time. A job that is lost
leaves nothing behind for longer than `WAITS_S`; then the position can be requested again.

    kozyr:{studies}:position:ID  string  empty while a job is to solve it; else the solution (JSON), `null` if it is out
                                         of reach. ID derives from the match, the place and the tried moves
    kozyr:{studies}:owner:NAME   string  the ID of the position that a job is to solve for an owner
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import orjson

from bots.solver import Unsolvable
from league.errors import TooManyReviews
from records.endings.solved import SolvedPosition
from records.endings.study import Study, study_of
from records.match.loaded_match import LoadedMatch
from records.match.session import match_of
from redisio.connection import Redis
from referee.referee import Referee

AT_ONCE_NODES: Final = 250
"""How many nodes are searched during a request: up to 20 ms with the rules in Python."""
JOB_NODES: Final = 50_000
"""How many nodes a job searches: up to two seconds."""
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


class StudyResult(NamedTuple):
    """What is known of a position."""

    solution: SolvedPosition | None = None
    waits: bool = False
    """Whether a job is to solve it."""
    too_long: bool = False
    """Whether a job did not settle it."""


class Studies:
    """Solves positions of finished matches. Safe to share between greenlets and threads."""

    def __init__(
        self, redis: Redis, referee: Referee, wake: Callable[[str, int, int, Sequence[str], str], None]
    ) -> None:
        """`wake` enqueues a job that calls `work`."""
        self._redis, self._referee, self._wake = redis, referee, wake

    def position(self, loaded: LoadedMatch, place: StudyPlace) -> Study:
        """Return a position of a match whose record may be read, with the tried moves played.

        Raise `RecordNotReady`, `GroupRunning` or `EventsNotReady`, and `Refusal` for what is no play of this match.
        """
        self._referee.record(loaded)
        replays = self._referee.replays
        match = match_of(loaded.config, loaded.progress.first_dealer or 0)
        steps = replays.steps(loaded, replays.before_deal(loaded, place.deal))
        return study_of(match, steps, place.deal, place.move).tried(place.line)

    def find(self, study: Study, place: StudyPlace) -> StudyResult:
        """Return the solution of a position that is small or that a job has solved. Raise `Unsolvable`."""
        found = study.solved(AT_ONCE_NODES)
        if found is not None:
            return StudyResult(found)
        kept = self._redis.one("GET", _position(place.id))
        if kept is None or not kept:
            return StudyResult(waits=kept is not None)
        values = orjson.loads(kept)
        return StudyResult(too_long=True) if values is None else StudyResult(SolvedPosition(*values))

    def request(self, place: StudyPlace, owner: str) -> None:
        """Let a job solve a position for an owner. Raise `TooManyReviews` while another one waits."""
        if not self._redis.one("SET", _owner(owner), place.id, "NX", "EX", WAITS_S):
            raise TooManyReviews("another position that you asked for is being solved; retry in a moment")
        if self._redis.one("SET", _position(place.id), b"", "NX", "EX", WAITS_S):
            self._wake(place.match, place.deal, place.move, place.line, owner)
        else:
            self._redis.one("DEL", _owner(owner))

    def work(self, place: StudyPlace, owner: str) -> None:
        """Solve a position, and keep the solution."""
        study = self.position(self._referee.look(place.match), place)
        try:
            found = study.solved(JOB_NODES)
        except Unsolvable:
            found = None
        text = orjson.dumps(found and [dict(found.values), dict(found.lines)])
        self._redis.run([("SET", _position(place.id), text, "EX", KEPT_S), ("DEL", _owner(owner))])


def _position(name: str) -> str:
    return f"kozyr:{{studies}}:position:{name}"


def _owner(name: str) -> str:
    return f"kozyr:{{studies}}:owner:{name}"
