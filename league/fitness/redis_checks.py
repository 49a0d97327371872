"""Conformance checks in Redis. They share the hash tag of the accounts, so that a token look-up finds a bot's running
check.

    kozyr:{accounts}:checking         hash  bot id -> match of its running check
    kozyr:{accounts}:check:MATCH      hash  doc (JSON), todo (faults separated by spaces), turn (the last with
                                            a fault at its move), verdict (JSON); kept for 30 days
    kozyr:{accounts}:check-met:MATCH  list  log of moves and faults: [turn, move, result] (JSON), the earliest first
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson

from league.accounts.redis import CHECKING, TAG
from league.fitness.model import IN_A_ROW, CheckVerdict, ConformanceCheck, Fault, FaultMet, Passed
from league.fitness.redis_health import health_key, played_key
from redisio.connection import Redis
from redisio.scripts import Script
from referee.decoding import decoded, decoded_row
from referee.storage.redis_grants import renew_grants

BEGIN: Final = Script("league.fitness", "check_begin.lua")
TAKE: Final = Script("league.fitness", "check_take.lua")
DECIDE: Final = Script("league.fitness", "bad_in_a_row.lua", "check_decide.lua")

_KEPT_S: Final = 30 * 86_400
_MOST_MET: Final = 5000


class RedisCheckStore:
    """The store of conformance checks."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def current(self, bot: str) -> str | None:
        """Return the match of a bot's running check."""
        raw = self._redis.one("HGET", CHECKING, bot)
        return None if raw is None else str(raw.decode())

    def begin(self, check: ConformanceCheck, before: str | None) -> bool:
        """Begin a check. Return false, without effect, if the bot's running check is not `before`."""
        doc = orjson.dumps(
            {
                "bot": check.bot,
                "version": check.version,
                "game": check.game,
                "created": check.created,
                "since": check.since,
            }
        )
        keys, todo = (CHECKING, _check(check.match)), " ".join(check.faults_left)
        call = BEGIN.call(keys, check.bot, before or "", check.match, doc, todo, _KEPT_S)
        begun = bool(self._redis.one(*call))
        renew_grants(self._redis)
        return begun

    def check(self, match: str) -> ConformanceCheck | None:
        """Return the check with this match."""
        (doc, todo, verdict), met = self._redis.run(
            [("HMGET", _check(match), "doc", "todo", "verdict"), ("LRANGE", _met(match), 0, -1)]
        )
        if doc is None:
            return None
        begun = decoded(
            ConformanceCheck,
            {"match": match, **orjson.loads(doc), "faults_left": (), "met": (), "verdict": None},
        )
        return begun._replace(
            faults_left=tuple(Fault(fault) for fault in todo.decode().split()),
            met=tuple(_met_of(orjson.loads(raw)) for raw in met),
            verdict=None if verdict is None else decoded(CheckVerdict, orjson.loads(verdict)),
        )

    def take(
        self, match: str, faults: Sequence[Fault], turn: int, move: str | None, *, one_a_turn: bool
    ) -> Fault | None:
        """Take the first of these faults that is left, and log it at this turn. With `one_a_turn`, return `None` if
        this turn had such a fault."""
        keys = _check(match), _met(match)
        call = TAKE.call(keys, " ".join(faults), turn, move or "", int(one_a_turn), _KEPT_S)
        raw = self._redis.one(*call)
        return None if raw is None else Fault(raw.decode())

    def note(self, match: str, met: Sequence[FaultMet]) -> None:
        """Entries beyond `_MOST_MET` are dropped."""
        key = _met(match)
        notes = [orjson.dumps([event.turn, event.move or "", event.outcome]) for event in met]
        self._redis.run([("RPUSH", key, *notes), ("LTRIM", key, 0, _MOST_MET - 1), ("EXPIRE", key, _KEPT_S)])

    def decide(self, check: ConformanceCheck, verdict: CheckVerdict) -> CheckVerdict:
        """End a check. Return its verdict: this one, unless one is stored. A pass forgives the bot's matches that ended
        no later than the check's, and ends a suspension that later ones don't justify."""
        document = orjson.dumps(verdict._asdict())
        keys = (CHECKING, _check(check.match), health_key(check.bot), played_key(check.bot))
        passed = Passed(check.match, check.version, verdict.ended)
        noted = orjson.dumps(passed._asdict()) if verdict.passed else b""
        decide = DECIDE.call(keys, check.bot, check.match, document, noted, verdict.ended, IN_A_ROW)
        raw = self._redis.one(*decide)
        return verdict if raw is None else decoded(CheckVerdict, orjson.loads(raw))


def _check(match: str) -> str:
    return f"{TAG}check:{match}"


def _met(match: str) -> str:
    return f"{TAG}check-met:{match}"


def _met_of(row: list[Any]) -> FaultMet:
    met = decoded_row(FaultMet, row)
    return met._replace(move=met.move or None)
