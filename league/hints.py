"""Hints for people: the best move of the open question, which a job computes from what the person's seat knows.

Only a table where one person plays against bots has hints. A match notes for which turns it gave one.

    kozyr:{hints}:match:ID    hash    turn: the last for which a hint was asked; answer: once it is there (JSON)
    kozyr:{hints}:person:ID   string  the match in which a person waits for a hint
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final, NamedTuple

import orjson

from records.match.loaded_match import LoadedMatch
from records.reviews.decisions import open_decision
from records.reviews.model import Advice
from redisio.connection import Redis
from referee.referee import Referee

MOST_HINTS: Final = 10
"""How many hints a match gives."""
WAITED_S: Final = 30
"""How long a person waits for a hint. A job that comes later computes none."""
LATE_S: Final = 5
"""After how long a hint is late: no worker is free."""
KEPT_S: Final = 3600

_TAG: Final = "kozyr:{hints}:"

Wake = Callable[[str, int], None]
"""Enqueues a job for a match and its turn. A call may be dropped while a job with the same arguments waits."""


class HintState(enum.StrEnum):
    """The states of a hint for the open question."""

    NONE = "none"
    """It may be asked for."""
    SPENT = "spent"
    """The match gives no more."""
    WAITING = "waiting"
    LATE = "late"
    """It has waited for `LATE_S`."""
    LOST = "lost"
    """No worker computed it. It may be asked for again."""
    ELSEWHERE = "elsewhere"
    """The person waits for a hint in another match."""
    READY = "ready"
    UNKNOWN = "unknown"
    """The judge has none for this position."""


class Hint(NamedTuple):
    """A hint for the open question of a match."""

    state: HintState
    turn: int
    left: int
    """How many more hints the match gives."""
    advice: Advice | None = None


class Hints:
    """Hints of running matches. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis, referee: Referee, wake: Wake) -> None:
        self._redis, self._referee, self._wake = redis, referee, wake

    def of(self, loaded: LoadedMatch, person: str) -> Hint | None:
        """Return the hint for the question that the match asks this person; `None` if it asks none with a choice, or
        has no hints."""
        if not self._asks(loaded, person):
            return None
        turn, left = loaded.progress.turn, MOST_HINTS - len(loaded.progress.hints)
        asked, answer, waits_in, ttl = self._read(loaded.id, person)
        if asked != turn and waits_in not in (None, loaded.id):
            return Hint(HintState.ELSEWHERE, turn, left)
        if asked != turn:
            return Hint(HintState.NONE if left > 0 else HintState.SPENT, turn, left)
        if answer is not None:
            found = orjson.loads(answer)
            advice = found and Advice(*found)
            return Hint(HintState.READY if advice else HintState.UNKNOWN, turn, left, advice)
        if waits_in != loaded.id:
            return Hint(HintState.LOST, turn, left)
        return Hint(HintState.LATE if ttl <= WAITED_S - LATE_S else HintState.WAITING, turn, left)

    def request(self, loaded: LoadedMatch, person: str) -> Hint | None:
        """Ask for the hint that `of` returns, unless it is there, waits, or can't be had now. Return it."""
        found = self.of(loaded, person)
        if found is None or found.state not in (HintState.NONE, HintState.LOST):
            return found
        waits, match = _person(person), _match(loaded.id)
        is_free = self._redis.one("SET", waits, loaded.id, "NX", "EX", WAITED_S)
        if not is_free and self._redis.one("GET", waits) not in (None, loaded.id.encode()):
            return found._replace(state=HintState.ELSEWHERE)
        self._redis.all(
            [
                ("SET", waits, loaded.id, "EX", WAITED_S),
                ("DEL", match),
                ("HSET", match, "turn", found.turn),
                ("EXPIRE", match, KEPT_S),
            ]
        )
        self._wake(loaded.id, found.turn)
        return found._replace(state=HintState.WAITING)

    def work(self, match: str, turn: int) -> None:
        """Compute a hint, note it in the match and store it. Does nothing if nobody waits for it any more."""
        from records.reviews.judge import advise  # large, and only workers compute hints

        loaded = self._referee.look(match)
        seat = loaded.progress.to_move
        sitting = None if seat is None else loaded.config.seats[seat]
        found = None if sitting is None else self.of(loaded, sitting.id)
        if seat is None or sitting is None or found is None or found.turn != turn:
            return
        if found.state not in (HintState.WAITING, HintState.LATE):
            return
        # The seed is the same in every match, so that the same view gets the same hint.
        advice = advise(open_decision(loaded, seat), "hint")
        if advice is not None and not self._referee.note_hint(match, turn):
            return
        answer = orjson.dumps(advice and [*advice])
        self._redis.all([("HSET", _match(match), "answer", answer), ("DEL", _person(sitting.id))])

    def _read(self, match: str, person: str) -> tuple[int | None, bytes | None, str | None, int]:
        """Return the turn and the answer of the last hint of a match, the match in which a person waits for one, and
        for how many seconds more."""
        waits = _person(person)
        commands = [("HMGET", _match(match), "turn", "answer"), ("GET", waits), ("TTL", waits)]
        (turn, answer), waits_in, ttl = self._redis.all(commands)
        return turn and int(turn), answer, waits_in and waits_in.decode(), ttl

    def _asks(self, loaded: LoadedMatch, person: str) -> bool:
        if not has_hints(loaded) or loaded.state is None:
            return False
        seat = loaded.config.seat_of(person)
        return seat is not None and loaded.asks(seat) and len(loaded.state.deal.legal) > 1


def has_hints(loaded: LoadedMatch) -> bool:
    """Return whether a match gives hints: one person plays against bots."""
    config = loaded.config
    others_are_bots = all(seat is not None and (seat.person or seat.house) for seat in config.seats)
    alone = config.has_person and not config.has_company
    return alone and others_are_bots and config.ladder is None and config.group is None


def _match(match: str) -> str:
    return f"{_TAG}match:{match}"


def _person(person: str) -> str:
    return f"{_TAG}person:{person}"
