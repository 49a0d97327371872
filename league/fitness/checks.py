"""Conformance checks: a match against house bots with faults in the bot's way, each once, and a verdict on how it
copes.

Checks are not rated, and other bots meet no faults. A check has the id of its match. Requests take the faults that
suit them (`api.moves.faults`), and every move that the bot sends is logged. After the match, `judged` derives the
verdict from the log and the match, for whichever request comes first.

Conformance checks in Redis. They share the hash tag of the accounts, so that a token look-up finds a bot's running
check.

    kozyr:{accounts}:checking         hash  bot id -> match of its running check
    kozyr:{accounts}:check:MATCH      hash  doc (JSON), todo (faults separated by spaces), turn (the last with
                                            a fault at its move), verdict (JSON); kept for 30 days
    kozyr:{accounts}:check-met:MATCH  list  log of moves and faults: [turn, move, result] (JSON), the earliest first
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson

from engine.quoting import quoted
from engine.registry import GAMES
from league.accounts.eligibility import refusal
from league.accounts.model import HOUSE, Bot, IneligibleReason
from league.accounts.redis import CHECKING, TAG
from league.accounts.service import Accounts, wall_clock
from league.errors import NoSuchCheck, Overtaken
from league.fitness.health import health_key, played_key
from league.fitness.model import IN_A_ROW, CheckVerdict, ConformanceCheck, Fault, FaultMet, Passed
from records.decoding import decoded, decoded_row
from records.ids import is_match_id, new_match_id
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.log import BY_PLAYER, BY_TIMEOUT, parse_log
from records.match.session import Ending, Seat, Status
from redisio.connection import Redis
from redisio.scripts import Script
from referee.referee import Referee
from referee.storage.redis_grants import renew_grants

CLOCK: Final = ClockRule(move_ms=3_000, bank_ms=0)
"""The clock of a check's match."""
LEFT_MS: Final = 1_500
"""How long before its deadline a late turn is sent."""
MOST_ILLEGAL: Final = 3
_OPPONENT: Final = "greedy"
_ATTEMPTS: Final = 16


_NO_MOVE: Final = frozenset({"illegal_move", "not_a_move", "free_move_with_turn"})
"""Refusals after which another move for the turn is right."""


class ConformanceChecks:
    """Conformance checks. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisCheckStore,
        accounts: Accounts,
        referee: Referee,
        now: Callable[[], int] = wall_clock,
    ) -> None:
        self.store = store
        self._accounts, self._referee, self._now = accounts, referee, now

    def begin(self, bot: Bot, game: str) -> tuple[ConformanceCheck, LoadedMatch]:
        """Begin a check and its match, or return those under way. The check's clock overrides the bot's policy. Raise
        `BotUnavailable`."""
        if not bot.match_policy.game(game):
            raise refusal(bot, IneligibleReason.GAME, game)
        for _ in range(_ATTEMPTS):
            before = self.store.current(bot.id)
            if before is not None:
                found = self._settled(before)
                if found is not None and found[0].verdict is None:
                    return found
                before = self.store.current(bot.id)
            check = ConformanceCheck(
                new_match_id(), bot.id, bot.version, game, self._now(), since=self._referee.recorded()
            )
            if self.store.begin(check, before):
                return check, self._match(check)
        raise Overtaken("too many checks of this bot began at the same time; retry the request")

    def look(self, match: str) -> tuple[ConformanceCheck, LoadedMatch]:
        """Return a check and its match. Decide the check if the match has ended. Raise `NoSuchCheck`."""
        found = self._settled(match) if is_match_id(match) else None
        if found is None:
            raise NoSuchCheck(f"there is no check {quoted(match)}; checks are kept for 30 days")
        return found

    def _settled(self, match: str) -> tuple[ConformanceCheck, LoadedMatch] | None:
        check = self.store.check(match)
        if check is None:
            return None
        loaded = self._match(check)
        if loaded.finished and check.verdict is None:
            # Everything that the bot sent before the end is logged by now, or had no response.
            check = self.store.check(match) or check
            verdict = CheckVerdict(loaded.progress.ended or self._now(), judged(check, loaded))
            check = check._replace(verdict=self.store.decide(check, verdict))
        return check, loaded

    def _match(self, check: ConformanceCheck) -> LoadedMatch:
        """Return the match of a check. Create it if the process that began the check died before."""
        (loaded,) = self._referee.look_at([check.match], check.since)
        if loaded is not None:
            return loaded
        game, bot = GAMES[check.game], self._accounts.bot_by_id(check.bot)
        house = self._accounts.bot(HOUSE, _OPPONENT)
        opponents = [Seat(house.full_name, house.id, house.version, True)] * (min(game.seat_counts) - 1)
        return self._referee.create(
            check.game,
            [Seat(bot.full_name, bot.id, check.version), *opponents],
            {},
            clock=CLOCK,
            match_id=check.match,
            since=check.since,
        )


def judged(check: ConformanceCheck, loaded: LoadedMatch) -> list[str]:
    """Return in words why a bot has not passed. The match has ended."""
    assert loaded.progress.status is Status.FINISHED
    seat = loaded.config.seat_of(check.bot)
    assert seat is not None, "a check is a match of its bot"
    if loaded.progress.ending is Ending.ABORTED:
        return [
            "the match did not start: the bot did not poll for its turns in time (`GET /v1/turns`), or it resigned"
        ]
    if loaded.void:
        return ["an operator voided the match; start another check"]
    late = {event.turn for event in check.faults_met if event.outcome == Fault.NEAR_DEADLINE}
    answers = [entry for entry in parse_log(loaded.log) if entry.seat == seat and entry.answers]
    reasons = [
        f"turn {entry.turn} timed out"
        + (f": it was sent {LEFT_MS} ms before its deadline" if entry.turn in late else "")
        for entry in answers
        if entry.by == BY_TIMEOUT
    ]
    if loaded.progress.ending is Ending.RESIGNED:
        reasons.append("the bot resigned")
    elif seat in loaded.progress.forfeits:
        reasons.append("the seat was forfeited after too many timeouts")
    reasons += [
        *_second_moves(check),
        *_not_repeated(check, {entry.turn for entry in answers if entry.by == BY_PLAYER}),
    ]
    illegal = sum(event.outcome in _NO_MOVE for event in check.sent)
    if illegal > MOST_ILLEGAL:
        reasons.append(f"{illegal} moves were illegal; at most {MOST_ILLEGAL} are allowed")
    faults_left = [fault.value for fault in check.faults_left if fault is not Fault.TURN_REPEATED]
    if faults_left and not reasons:
        reasons.append(
            f"the match ended before all faults were tried ({', '.join(faults_left)}); start another check"
        )
    return reasons


def _second_moves(check: ConformanceCheck) -> list[str]:
    """Return the turns to which the bot sent another move after one that may have been made."""
    refused = {(event.turn, event.move) for event in check.sent if event.outcome in _NO_MOVE}
    moves: defaultdict[int, list[str]] = defaultdict(list)
    for event in check.met:
        if event.move is None or (event.turn, event.move) in refused:
            continue
        if event.move not in moves[event.turn]:
            moves[event.turn].append(event.move)
    faults = defaultdict(list)
    for event in check.faults_met:
        faults[event.turn].append(event.outcome)
    return [
        f"to turn {turn} the bot sent {' and then '.join(map(repr, sent))}"
        + (f" (after {', '.join(faults[turn])})" if faults[turn] else "")
        + ": a move may have been made although its response was lost, so the bot must repeat the same move"
        for turn, sent in moves.items()
        if len(sent) > 1
    ]


def _not_repeated(check: ConformanceCheck, answered: set[int]) -> list[str]:
    """Return the moves that were refused with a 503, so not made, and not sent again."""
    return [
        f"the move of turn {event.turn} was refused with a retryable 503, and the bot did not repeat it"
        for event in check.faults_met
        if event.outcome == Fault.MOVE_REFUSED and event.turn not in answered
    ]


BEGIN: Final = Script("league.fitness", "check_begin.lua")
TAKE: Final = Script("league.fitness", "check_take.lua")
DECIDE: Final = Script("league.fitness", "bad_in_a_row.lua", "check_decide.lua")

_KEPT_S: Final = 30 * 86_400
_MOST_MET: Final = 5000


class RedisCheckStore:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def current(self, bot: str) -> str | None:
        """Return the match of a bot's running check."""
        raw = self._redis.one("HGET", CHECKING, bot)
        return None if raw is None else str(raw.decode())

    def begin(self, check: ConformanceCheck, before: str | None) -> bool:
        """Begin a check. Return false, without effect, if the bot's running check is not `before`."""
        names = ("bot", "version", "game", "created", "since")
        doc = orjson.dumps({name: getattr(check, name) for name in names})
        keys, todo = (CHECKING, _check(check.match)), " ".join(check.faults_left)
        call = BEGIN.call(keys, check.bot, before or "", check.match, doc, todo, _KEPT_S)
        begun = bool(self._redis.one(*call))
        renew_grants(self._redis)
        return begun

    def check(self, match: str) -> ConformanceCheck | None:
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
