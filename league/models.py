"""The leaderboard by language model: the bots whose owners declare the same model, as one line.

Ratings are those of the bots, from the joint fit of their preset (`records.ratings.fit`). A line's rating is the mean
of its bots' ratings, weighted by their groups; the variance of that mean follows from the joint posterior, which has
the standard deviation of each rating and of each difference. Nothing is fitted again. A process keeps a leaderboard for
some seconds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from league.accounts.model import Bot
from league.accounts.service import Accounts
from league.fitness.statistics import BotStatistics
from league.ratings.book import RatingBook
from league.recent import Recent
from records.ratings.model import MU, Rating

MOST_LINES: Final = 500
"""The most lines of a leaderboard."""


class DeclaredModel(NamedTuple):
    """What the bots of a line declare alike."""

    model: str
    provider: str
    effort: str


class ModelLine(NamedTuple):
    """The bots with the same model."""

    declared: DeclaredModel
    bots: Sequence[Bot]
    """By name."""
    rating: Rating | None
    """`None` if no bot has played a rated group."""
    totals: Counter[str]
    """The sums of `league.fitness.model.TOTALS`."""

    @property
    def lost(self) -> int:
        """The matches that were neither won nor ended for the bot by a lost connection."""
        return self.totals["matches"] - self.totals["won"] - self.totals["disconnected"]

    def per(self, name: str, base: str) -> float | None:
        """Return a sum by another one, without which it is unknown."""
        return self.totals[name] / self.totals[base] if self.totals[base] else None

    @property
    def refusal_rate(self) -> float | None:
        """The refused moves of all that the model sent in time."""
        sent = self.totals["moves"] + self.totals["refused"]
        return self.totals["refused"] / sent if sent else None


class ModelBoard:
    """Leaderboards by model. Safe to share between greenlets and threads."""

    def __init__(
        self, accounts: Accounts, statistics: BotStatistics, ratings: RatingBook, recent: Recent
    ) -> None:
        self._accounts, self._statistics, self._ratings = accounts, statistics, ratings
        self._recent = recent

    def presets(self) -> list[str]:
        """Return the presets in which bots with a declared model have played, sorted."""
        return sorted({preset for _, totals in self._agents() for preset in totals})

    def lines(self, preset: str) -> list[ModelLine]:
        """Return the models of a preset: the rated ones with the highest first, then the others by name. Ratings on the
        scale of the anchor come before those of pools."""
        return self._recent.get(("models", preset), lambda: self._lines(preset))

    def _agents(self) -> list[tuple[Bot, dict[str, Counter[str]]]]:
        """Return the bots with a declared model that have played, by name, with their totals by preset."""

        def read() -> list[tuple[Bot, dict[str, Counter[str]]]]:
            bots = sorted(self._accounts.agents(), key=lambda bot: bot.full_name)
            return list(zip(bots, self._statistics.totals([bot.id for bot in bots]), strict=True))

        return self._recent.get("agents", read)

    def _lines(self, preset: str) -> list[ModelLine]:
        bots = [(bot, totals[preset]) for bot, totals in self._agents() if preset in totals]
        played = {bot.id: totals for bot, totals in bots}
        ratings = self._ratings.ratings(preset, list(played))
        groups: dict[tuple[DeclaredModel, str | None], list[Bot]] = {}
        for bot, _ in bots:
            rating = ratings.get(bot.id)
            key = DeclaredModel(bot.agent.model, bot.agent.provider, bot.agent.effort)
            groups.setdefault((key, rating and rating.pool), []).append(bot)
        rated = [[bot.id for bot in members if bot.id in ratings] for members in groups.values()]
        apart = self._ratings.deviations(preset, rated)
        found = [
            ModelLine(
                declared,
                members,
                mean_rating({bot.id: ratings[bot.id] for bot in members if bot.id in ratings}, apart),
                sum((played[bot.id] for bot in members), Counter()),
            )
            for (declared, _), members in groups.items()
        ]
        return sorted(found, key=_order)[:MOST_LINES]


def mean_rating(ratings: Mapping[str, Rating], apart: Mapping[tuple[str, str], float]) -> Rating | None:
    """Return the mean of jointly fitted ratings of one pool, weighted by groups; `None` without ratings. `apart` has
    the standard deviations of the differences, in both orders of each pair."""
    if not ratings:
        return None
    groups = sum(rating.groups for rating in ratings.values())
    weights = {bot: rating.groups / groups for bot, rating in ratings.items()}
    mu = math.fsum(weights[bot] * rating.mu for bot, rating in ratings.items())
    variance = math.fsum(
        weights[one] * weights[other] * _covariance(first, second, apart.get((one, other)))
        for one, first in ratings.items()
        for other, second in ratings.items()
    )
    pool = next(iter(ratings.values())).pool
    return Rating(mu, math.sqrt(max(0.0, variance)), groups, None, pool)


def _covariance(one: Rating, other: Rating, apart: float | None) -> float:
    """Return the covariance of two ratings; 0 if a fit was published between the readings, so `apart` is unknown."""
    return 0.0 if apart is None else (one.sigma**2 + other.sigma**2 - apart**2) / 2


def _order(line: ModelLine) -> tuple[bool, bool, float, DeclaredModel]:
    rating = line.rating
    return (
        rating is None,
        rating is not None and rating.pool is not None,
        -(rating.mu if rating else MU),
        line.declared,
    )
