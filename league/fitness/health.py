"""Health of bots: three bad ladder matches in a row suspend a bot from ladders. Passing a check
(`league.fitness.checks`) forgives the matches that ended before it, and ends the suspension if they caused it.

A match is bad for a bot that lost its seat by timeouts or did not show up. Only ladder matches count, and void ones
do not. Their order is that of their ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from league.fitness.model import Health, HealthUpdate
from league.fitness.redis_health import RedisHealthStore
from referee.match.loaded_match import LoadedMatch
from referee.match.session import Ending


class Fitness:
    """The health of bots. Safe to share between greenlets and threads."""

    def __init__(self, store: RedisHealthStore, start_ms: int) -> None:
        """`start_ms` is the time to show up. A bot that had less time was not absent."""
        self._store, self._start_ms = store, start_ms

    def of(self, bots: Sequence[str]) -> Mapping[str, Health]:
        """Return the health of these bots by id. Takes one round trip."""
        return dict(zip(bots, self._store.health(bots), strict=True)) if bots else {}

    def updates(self, match: LoadedMatch) -> list[HealthUpdate]:
        """Return what a readable match adds to the health of its bots."""
        return _updates(match, self._start_ms)

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches that have become readable, each once. Remove void ones."""
        updates = [
            update for matches in groups for match in matches for update in _updates(match, self._start_ms)
        ]
        if updates:
            self._store.count(updates)
        void = [
            (seat.id, match.id)
            for matches in groups
            for match in matches
            if match.void and match.config.ladder is not None
            for seat in match.config.seats
            if seat is not None and not seat.house
        ]
        if void:
            self._store.forget(void)


def _updates(match: LoadedMatch, start_ms: int) -> list[HealthUpdate]:
    """Return the updates of an ended match for its remote bots; none if a seat was never taken."""
    config, progress = match.config, match.progress
    if config.ladder is None or match.void or progress.ended is None:
        return []
    found = []
    for number, seat in enumerate(config.seats):
        if seat is None or seat.house:
            continue
        bad: str | None = None
        if number not in progress.shown and progress.ended - config.created >= start_ms:
            bad = "did not show up"
        elif progress.ending is Ending.ABORTED:
            # Another bot did not show up, or its group was aborted.
            continue
        elif number in progress.forfeits and progress.strikes[number] >= config.clock.strikes:
            bad = f"ran out of time in {progress.strikes[number]} turns"
        found.append(HealthUpdate(seat.id, match.id, progress.ended, bad))
    return found
