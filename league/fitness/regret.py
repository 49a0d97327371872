"""Regret per critical decision: what the moves of bots lose in positions with exact values.

Jobs solve the endings of the matches that wait in a list (`league.fitness.statistics`). The figures are stored with the
bot's statistics and, unlike those, everybody may see them: they follow from public records.

A match stays in the list until it is counted, and is counted once however often it is solved. A job moves the one that
it takes to the end of the list, so a match that kills its worker holds up no other.

kozyr:{statistics:BOT}:lost  zset  `MATCH DEAL MOVE REGRET` of lost matches with their worst move, by their end (ms)
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.game import Refusal
from league.budgets import IDLE_BUDGET_S
from league.fitness.model import DAY_S, KEPT_DAYS, DayStatistics
from league.fitness.statistics import WAITING, BotStatistics, remote_bots
from records.errors import RefereeError
from records.match.loaded_match import LoadedMatch
from records.match.session import is_won, places
from records.results.group_statistics import Estimate, GroupStatistics, per_deal
from redisio.connection import Redis
from redisio.scripts import Command
from referee.object_store import ArchiveAway
from referee.referee import Referee

if TYPE_CHECKING:
    from records.reviews.exact import ExactMove  # large, and only workers solve endings

NUMBERS: Final = len(GroupStatistics._fields)
"""How many sums each game has: those of `GroupStatistics`, with matches as groups, critical decisions as deals, and
regret as points."""
_MOST_LOST: Final = 50
"""How many lost matches of a bot are kept."""

log = logging.getLogger(__name__)


Exact = Callable[[Mapping[str, Any], Container[int]], Iterable["ExactMove"]]
"""Returns the moves of these seats of a record that have exact values (`records.reviews.exact.exact_moves`)."""


class GameRegret(NamedTuple):
    """The regret of a bot in a game: its mean per critical decision, with an interval over matches."""

    game: str
    estimate: Estimate


class LostMatch(NamedTuple):
    """A lost match, and the place and the regret of the bot's worst move in it."""

    match: str
    deal: int
    move: int
    regret: int


class BotRegret:
    """Counts the regret of bots. Safe to share between greenlets and threads."""

    def __init__(
        self,
        redis: Redis,
        statistics: BotStatistics,
        referee: Referee,
        exact: Exact,
        wake: Callable[[], object],
    ) -> None:
        """`wake` enqueues a job that calls `work`."""
        self._redis, self._statistics, self._referee = redis, statistics, referee
        self._exact, self._wake = exact, wake

    def tick(self) -> None:
        """Enqueue a job if matches wait."""
        if self._redis.one("LINDEX", WAITING, 0) is not None:
            self._wake()

    def work(self, budget_s: float = IDLE_BUDGET_S) -> bool:
        """Count matches for about `budget_s` seconds, one at least. Return whether more wait."""
        until = time.monotonic() + budget_s
        while (match := self._redis.one("LMOVE", WAITING, WAITING, "LEFT", "RIGHT")) is not None:
            try:
                self._count(match.decode())
            except ArchiveAway as error:
                log.warning("the regret of match %s waits for the archive: %s", match, error)
                return False
            except (Refusal, RefereeError):
                log.exception("the regret of match %s is not counted", match)
            self._redis.one("LREM", WAITING, 1, match)
            if time.monotonic() >= until:
                return True
        return False

    def of(self, bot: str, days: int) -> list[GameRegret]:
        """Return the bot's regret of the last `days` days by game."""
        numbers = self._statistics.of(bot, days).figures.regret
        found = []
        for game in sorted({name.partition(":")[0] for name in numbers}):
            sums = GroupStatistics(*(numbers[f"{game}:{place}"] for place in range(NUMBERS)))
            estimate = per_deal(sums)
            if estimate is not None:
                found.append(GameRegret(game, estimate))
        return found

    def losses(self, bot: str) -> list[LostMatch]:
        """Return the bot's last lost matches in which a move has lost points, the largest regret first."""
        found = [raw.decode().split(" ") for raw in self._redis.one("ZREVRANGE", _lost(bot), 0, -1)]
        lost = [LostMatch(match, int(deal), int(move), int(regret)) for match, deal, move, regret in found]
        return sorted(lost, key=lambda each: -each.regret)

    def _count(self, match: str) -> None:
        loaded = self._referee.look(match)
        record, bots = self._referee.record(loaded).to_json(), remote_bots(loaded.config)
        moves: dict[str, list[ExactMove]] = {}
        for move in self._exact(record, bots):
            if move.critical:
                moves.setdefault(bots[move.seat], []).append(move)
        self._redis.all([command for bot, found in moves.items() for command in _keeping(loaded, bot, found)])
        game = loaded.config.game
        self._statistics.add_regret(
            match, {bot: _figures(game, [each.regret for each in found]) for bot, found in moves.items()}
        )


def _keeping(loaded: LoadedMatch, bot: str, moves: Sequence[ExactMove]) -> list[Command]:
    """Return the commands that keep a match which the bot has lost, with its worst move. They may be repeated."""
    worst, progress = max(moves, key=lambda each: each.regret), loaded.progress
    if not worst.regret or is_won(places(progress.scores, progress.forfeits)[worst.seat]):
        return []
    lost = f"{loaded.id} {worst.deal} {worst.move} {worst.regret}"
    return [
        ("ZADD", _lost(bot), progress.ended or 0, lost),
        ("ZREMRANGEBYRANK", _lost(bot), 0, -1 - _MOST_LOST),
        ("EXPIRE", _lost(bot), KEPT_DAYS * DAY_S),
    ]


def _lost(bot: str) -> str:
    return f"kozyr:{{statistics:{bot}}}:lost"


def _figures(game: str, regrets: Sequence[int]) -> DayStatistics:
    sums = GroupStatistics.of([(len(regrets), sum(regrets))])
    return DayStatistics(regret=Counter({f"{game}:{place}": int(each) for place, each in enumerate(sums)}))
