"""Bot statistics, for the bot's owner."""

from __future__ import annotations

from typing import Any

from marshmallow import pre_dump

from api.schemas.common import Number, Strict, instant, mapping, number, text, whole
from api.schemas.responses import Listed, Nested, ResponseSchema
from league.accounts.model import Bot
from league.fitness.model import DAY_S, KEPT_DAYS, SUMS, ThinkingSeries, ThinkingTimes
from league.fitness.regret import GameRegret
from league.fitness.statistics import PastStatistics, clock_of


class StatisticsQuery(Strict):
    """The period."""

    days = Number(1, KEPT_DAYS, "The number of days (UTC), including today", load_default=7)


class ThinkingClockSchema(ResponseSchema):
    """The clock of a series of thinking times."""

    doc = "The clock"

    move_ms = whole("Time for each decision")
    bank_ms = whole("Additional time for the match")
    increment_ms = whole("Added to the bank by each decision")


class ThinkingSchema(ResponseSchema):
    """Thinking times with one game and clock. The model is a pair of the series and its times."""

    doc = "Time from the turn to the last byte of the move, including the network, as `ms` in records"

    game = text("The game's id; null for pairs of game and clock beyond the first 16 of a day", null=True)
    clock = Nested(ThinkingClockSchema, null=True, inline=True)
    moves = whole("Moves of the bot that answered a turn")
    p50_ms = whole("The median. All percentiles are too large by less than a sixteenth")
    p90_ms = whole("The 90th percentile")
    p99_ms = whole("The 99th percentile")
    max_ms = whole("The longest time, exact")

    @pre_dump
    def _combine(self, pair: tuple[ThinkingSeries | None, ThinkingTimes], **_: Any) -> dict[str, Any]:
        series, times = pair
        return {
            "game": series and series.game,
            "clock": series and clock_of(series),
            "moves": times.moves,
            **{f"p{percent}_ms": times.percentile(percent) for percent in (50, 90, 99)},
            "max_ms": times.max_ms,
        }


class GameRegretSchema(ResponseSchema):
    """The regret of a bot in a game."""

    game = text("The game's id")
    matches = whole("Matches with critical decisions of the bot")
    decisions = whole("Critical decisions: some legal move loses something, and no card is hidden")
    regret = number("Points that a critical decision lost on average")
    low = number("The lower end of its 95 % interval over matches, if there is one", null=True)
    high = number("The upper end of its 95 % interval", null=True)

    @pre_dump
    def _combine(self, found: GameRegret, **_: Any) -> dict[str, Any]:
        mean, low, high, decisions, matches = found.estimate
        return {
            "game": found.game,
            "matches": matches,
            "decisions": decisions,
            "regret": mean,
            "low": low,
            "high": high,
        }


class BotRegretSchema(ResponseSchema):
    """The regret of a bot by game."""

    bot = text("`owner/bot`")
    days = whole("The number of days (UTC), including today")
    games = Listed(GameRegretSchema, "By game; a game without critical decisions is left out")


class BotStatisticsSchema(ResponseSchema):
    """A bot's statistics, as its owner sees them."""

    bot = text("`owner/bot`")
    id = text("The bot's id")
    since = instant("The start of the first counted day")
    matches = whole("Matches that started and ended")
    moves = whole("Moves that the bot made in them")
    replayed_moves = whole("Repeated moves, which got their first result again")
    timeouts = whole("Turns that timed out, for which the referee made the safe move")
    forfeits = whole("Matches in which it forfeited its seat by timeouts")
    no_shows = whole("Matches for which it did not show up in time")
    resigned = whole("Matches in which it resigned")
    refused = mapping({"type": "integer", "minimum": 1}, "Refused moves by problem code")
    thinking = Listed(ThinkingSchema, "Thinking times by game and clock")

    @pre_dump
    def _combine(self, pair: tuple[Bot, PastStatistics], **_: Any) -> dict[str, Any]:
        bot, past = pair
        figures = past.figures
        return {
            "bot": bot.full_name,
            "id": bot.id,
            "since": past.first_day * DAY_S * 1000,
            **{name: figures.sums[name] for name in SUMS},
            "refused": dict(sorted(figures.refused.items())),
            "thinking": sorted(figures.times.items(), key=lambda item: (item[0] is None, item[0] or ())),
        }
