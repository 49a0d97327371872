"""Bot statistics, for the bot's owner."""

from __future__ import annotations

from typing import Final

from api.schemas.common import Json, Number, Strict, instant, listed, nullable, obj, ref, text, whole
from league.accounts.model import Bot
from league.fitness.model import ThinkingSeries, ThinkingTimes
from league.fitness.statistics import DAY_S, KEPT_DAYS, SUMS, PastStatistics, clock_of
from referee.instants import text_of


class StatisticsQuery(Strict):
    """The period."""

    days = Number(
        1,
        KEPT_DAYS,
        load_default=7,
        metadata={"description": "The number of days (UTC), including today"},
    )


def statistics_view(bot: Bot, past: PastStatistics) -> Json:
    """Return a bot's statistics, as its owner sees them."""
    figures = past.figures
    ordered = sorted(figures.times.items(), key=lambda item: (item[0] is None, item[0] or ()))
    return {
        "bot": bot.full_name,
        "id": bot.id,
        "since": text_of(past.first_day * DAY_S * 1000),
        **{name: figures.sums[name] for name in SUMS},
        "refused": dict(sorted(figures.refused.items())),
        "thinking": [_thinking_view(series, times) for series, times in ordered],
    }


def _thinking_view(series: ThinkingSeries | None, times: ThinkingTimes) -> Json:
    return {
        "game": series and series.game,
        "clock": series and dict(clock_of(series)),
        "moves": times.moves,
        "p50_ms": times.percentile(50),
        "p90_ms": times.percentile(90),
        "p99_ms": times.percentile(99),
        "max_ms": times.max_ms,
    }


COMPONENTS: Final[dict[str, Json]] = {
    "BotStatistics": obj(
        {
            "bot": text("`owner/bot`"),
            "id": text("The bot's id"),
            "since": instant("The start of the first counted day"),
            "matches": whole("Matches that started and ended"),
            "moves": whole("Moves that the bot made in them"),
            "replayed_moves": whole("Repeated moves, which got their first result again"),
            "timeouts": whole("Turns that timed out, for which the referee made the safe move"),
            "forfeits": whole("Matches in which it forfeited its seat by timeouts"),
            "no_shows": whole("Matches for which it did not show up in time"),
            "resigned": whole("Matches in which it resigned"),
            "refused": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 1},
                "description": "Refused moves by problem code",
            },
            "thinking": listed(ref("Thinking"), "Thinking times by game and clock"),
        }
    ),
    "Thinking": obj(
        {
            "game": nullable(
                text("The game's id; null for pairs of game and clock beyond the first 16 of a day")
            ),
            "clock": nullable(
                obj(
                    {
                        "move_ms": whole("Time for each decision"),
                        "bank_ms": whole("Additional time for the match"),
                        "increment_ms": whole("Added to the bank by each decision"),
                    },
                    "The clock",
                )
            ),
            "moves": whole("Moves of the bot that answered a turn"),
            "p50_ms": whole("The median. All percentiles are too large by less than a sixteenth"),
            "p90_ms": whole("The 90th percentile"),
            "p99_ms": whole("The 99th percentile"),
            "max_ms": whole("The longest time, exact"),
        },
        "Time from the turn to the last byte of the move, including the network, as `ms` in records",
    ),
}
