"""How a bot behaves, as its owner is told."""

from __future__ import annotations

from typing import Final

from api.schemas.common import Json, Number, Strict, instant, listed, nullable, obj, ref, text, whole
from league.accounts.model import Bot
from league.fitness.model import ThinkingSeries, ThinkingTimes
from league.fitness.statistics import DAY_S, KEPT_DAYS, SUMS, PastStatistics, clock_of
from referee.instants import text_of


class StatisticsQuery(Strict):
    """How far back."""

    days = Number(
        1,
        KEPT_DAYS,
        load_default=7,
        metadata={"description": "The number of days (UTC), including today"},
    )


def statistics_view(bot: Bot, past: PastStatistics) -> Json:
    """What a bot did, as its owner sees it."""
    figures = past.figures
    ordered = sorted(figures.times.items(), key=lambda one: (one[0] is None, one[0] or ()))
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
            "since": instant("The beginning of the first day that is counted"),
            "matches": whole("Matches that began and are over"),
            "moves": whole("Moves that the bot made in them"),
            "replayed_moves": whole("Moves that were sent again after they had been made"),
            "timeouts": whole("Turns that ran out of time, where the referee made the safe move"),
            "forfeits": whole("Matches in which it lost its seat by running out of time"),
            "no_shows": whole("Matches to which it did not come, though they waited for as long as they do"),
            "resigned": whole("Matches in which it resigned"),
            "refused": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 1},
                "description": "Moves that were refused, by the code of their problem",
            },
            "thinking": listed(ref("Thinking"), "How long its moves took, by game and clock"),
        }
    ),
    "Thinking": obj(
        {
            "game": nullable(text("The game's id; null: of games and clocks beyond the first 16 of a day")),
            "clock": nullable(
                obj(
                    {
                        "move_ms": whole("For each decision"),
                        "bank_ms": whole("For what goes beyond"),
                        "increment_ms": whole("What each decision adds to the bank"),
                    },
                    "The clock",
                )
            ),
            "moves": whole("Moves of the bot's own that answered a question"),
            "p50_ms": whole("The median. All percentiles are too large by less than a sixteenth"),
            "p90_ms": whole("The 90th percentile"),
            "p99_ms": whole("The 99th percentile"),
            "max_ms": whole("The longest, exactly"),
        },
        "From the turn to the last byte of the move, including the network, as `ms` in records",
    ),
}
