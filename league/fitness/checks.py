"""Checks: a match of a bot against house bots in which the service puts faults in the bot's way, each once, and judges
what the bot makes of them. Nothing of it is rated, and nobody else meets a fault.

A check has the id of its match. Faults are taken from what is left to try by the requests that can meet them
(`api.moves.faults`), and noted with every move that the bot sends; when the match is over, what was met and the match
itself decide (`judged`), whoever looks first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Final

from engine.quoting import quoted
from engine.registry import GAMES
from league.accounts.eligibility import refusal
from league.accounts.model import HOUSE, Bot
from league.accounts.policy import IneligibleReason
from league.accounts.service import Accounts, wall_clock
from league.errors import NoSuchCheck, Overtaken
from league.fitness.model import CheckVerdict, ConformanceCheck, Fault
from league.fitness.store import CheckStore
from referee.ids import is_match_id, new_match_id
from referee.match.clock import ClockRule
from referee.match.loaded_match import LoadedMatch
from referee.match.log import BY_PLAYER, BY_TIMEOUT, parse_log
from referee.match.session import Ending, Seat, Status
from referee.referee import Referee

CLOCK: Final = ClockRule(move_ms=3_000, bank_ms=0)
"""Of the match of a check."""
LEFT_MS: Final = 1_500
"""How long before its deadline a turn is handed over that is handed over late."""
MOST_ILLEGAL: Final = 3
_OPPONENT: Final = "greedy"
_ATTEMPTS: Final = 16


_NO_MOVE: Final = frozenset({"illegal_move", "not_a_move", "free_move_with_turn"})
"""Refusals after which another move for the turn is right."""


class ConformanceChecks:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(
        self, store: CheckStore, accounts: Accounts, referee: Referee, now: Callable[[], int] = wall_clock
    ) -> None:
        self.store = store
        self._accounts, self._referee, self._now = accounts, referee, now

    def begin(self, bot: Bot, game: str) -> tuple[ConformanceCheck, LoadedMatch]:
        """A new check and its match, or those that the bot is in. Whatever clock the bot accepts, it has asked for this
        one. Raises `BotUnavailable`."""
        if not bot.match_policy.game(game):
            raise refusal(bot, IneligibleReason.GAME, game)
        for _ in range(_ATTEMPTS):
            before = self.store.current(bot.id)
            if before is not None:
                found = self._settled(before)
                if found is not None and found[0].verdict is None:
                    return found
                before = self.store.current(bot.id)
            check = ConformanceCheck(new_match_id(), bot.id, bot.version, game, self._now())
            if self.store.begin(check, before):
                return check, self._match(check)
        raise Overtaken(
            "other checks of this bot have begun too many times meanwhile; send the request again"
        )

    def look(self, match: str) -> tuple[ConformanceCheck, LoadedMatch]:
        """The check with this match, decided if that is over, and the match. Raises `NoSuchCheck`."""
        found = self._settled(match) if is_match_id(match) else None
        if found is None:
            raise NoSuchCheck(f"there is no check {quoted(match)}; checks are kept for 30 days")
        return found

    def _settled(self, match: str) -> tuple[ConformanceCheck, LoadedMatch] | None:
        check = self.store.check(match)
        if check is None:
            return None
        live = self._match(check)
        if live.finished and check.verdict is None:
            # What the bot had sent before the match was over is all noted by now, or was never answered.
            check = self.store.check(match) or check
            verdict = CheckVerdict(live.progress.ended or self._now(), judged(check, live))
            check = check._replace(verdict=self.store.decide(check, verdict))
        return check, live

    def _match(self, check: ConformanceCheck) -> LoadedMatch:
        """The match of a check; made now, if whoever began the check died before it was."""
        (live,) = self._referee.look_at([check.match])
        if live is not None:
            return live
        game, bot = GAMES[check.game], self._accounts.bot_by_id(check.bot)
        house = self._accounts.bot(HOUSE, _OPPONENT)
        opponents = [Seat(house.full_name, house.id, house.version, True)] * (min(game.seat_counts) - 1)
        return self._referee.create(
            check.game,
            [Seat(bot.full_name, bot.id, check.version), *opponents],
            {},
            clock=CLOCK,
            match_id=check.match,
        )


def judged(check: ConformanceCheck, live: LoadedMatch) -> list[str]:
    """The reasons for which a bot has not passed, in words; the match is over."""
    assert live.progress.status is Status.FINISHED
    seat = live.config.seat_of(check.bot)
    assert seat is not None, "a check is a match of its bot"
    if live.progress.ending is Ending.ABORTED:
        return [
            "the match did not start: the bot has not asked for its turns in time (`GET /v1/turns`), or has resigned"
        ]
    if live.void:
        return ["the match was voided by whoever runs the service; ask for another check"]
    late = {one.turn for one in check.faults_met if one.said == Fault.NEAR_DEADLINE}
    answers = [entry for entry in parse_log(live.log) if entry.seat == seat and entry.answers]
    reasons = [
        f"turn {entry.turn} was not answered in time"
        + (f": it was handed over {LEFT_MS} ms before its deadline" if entry.turn in late else "")
        for entry in answers
        if entry.by == BY_TIMEOUT
    ]
    if live.progress.ending is Ending.RESIGNED:
        reasons.append("the bot has resigned")
    elif seat in live.progress.forfeits:
        reasons.append("the seat was forfeited, for too many turns that were not answered in time")
    reasons += [
        *_second_moves(check),
        *_not_repeated(check, {entry.turn for entry in answers if entry.by == BY_PLAYER}),
    ]
    illegal = sum(one.said in _NO_MOVE for one in check.sent)
    if illegal > MOST_ILLEGAL:
        reasons.append(f"{illegal} moves were not legal; at most {MOST_ILLEGAL} may be")
    faults_left = [fault.value for fault in check.faults_left if fault is not Fault.TURN_REPEATED]
    if faults_left and not reasons:
        reasons.append(
            f"the match was over before all was tried ({', '.join(faults_left)}); ask for another check"
        )
    return reasons


def _second_moves(check: ConformanceCheck) -> list[str]:
    """Turns to which the bot sent another move than the first that could be made."""
    refused = {(one.turn, one.move) for one in check.sent if one.said in _NO_MOVE}
    moves: defaultdict[int, list[str]] = defaultdict(list)
    for one in check.met:
        if one.move is None or (one.turn, one.move) in refused:
            continue
        if one.move not in moves[one.turn]:
            moves[one.turn].append(one.move)
    faults = defaultdict(list)
    for one in check.faults_met:
        faults[one.turn].append(one.said)
    return [
        f"to turn {turn} the bot sent {' and then '.join(map(repr, sent))}"
        + (f" (after {', '.join(faults[turn])})" if faults[turn] else "")
        + ": a move may have been made though its answer was lost, so the same is to be sent again"
        for turn, sent in moves.items()
        if len(sent) > 1
    ]


def _not_repeated(check: ConformanceCheck, answered: set[int]) -> list[str]:
    """Moves that were refused with a 503, so not made, and not sent again."""
    return [
        f"the move of turn {one.turn} was refused with a 503 and `retryable`, and was not sent again"
        for one in check.faults_met
        if one.said == Fault.MOVE_REFUSED and one.turn not in answered
    ]
