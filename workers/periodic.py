"""What the clock does besides deadlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from league.container.league import LeagueContainer
from redisio.errors import UNAVAILABLE, NotReplicated

RATINGS_S: Final = 1.0
"""How often the clock looks for unrated groups, messages of webhooks and waiting reviews, in seconds."""
INSTANTS_S: Final = 20.0
"""How often the clock compares due instants with the present time and looks for unsolved endings, in seconds."""
ARCHIVE_S: Final = 60.0
"""How often the clock wakes the archiver and the writer of dumps, in seconds."""


class PeriodicWork:
    """Seasons, rounds, broken groups and the queue at each call; other work at intervals of its own."""

    def __init__(self, league: LeagueContainer) -> None:
        self._league, self._monotonic = league, league.options.monotonic
        self._due: dict[float, float] = {}

    def __call__(self) -> None:
        """Do what is due. A part that fails stops no other; its error is raised afterwards."""
        league = self._league
        parts: list[Callable[[], object]] = [
            league.accounts.learn_names,
            league.seasons.tick,
            league.published.tick,
            league.rounds.tick,
            league.groups.tick,
            league.match_queue.tick,
        ]
        if self._is_due(RATINGS_S):
            parts += [league.ratings.tick, league.webhooks.tick, league.reviews.tick]
        if self._is_due(INSTANTS_S):
            parts = [league.due_instants.tick, *parts, league.regret.tick]
        if league.options.hot_ms and self._is_due(ARCHIVE_S):
            parts += [league.jobs.wake_archive, league.jobs.wake_dump]
        errors: list[Exception] = []
        for part in parts:
            try:
                part()
            except NotReplicated as error:
                errors.append(error)
            except UNAVAILABLE:
                raise
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def _is_due(self, every_s: float) -> bool:
        now = self._monotonic()
        if now < self._due.get(every_s, 0.0):
            return False
        self._due[every_s] = now + every_s
        return True
