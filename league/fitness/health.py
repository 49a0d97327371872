"""Whether bots are fit for ladders: three bad matches in a row suspend a bot, and passing a check
(`league.fitness.checks`) brings it back.

A match is bad for a bot that lost its seat by running out of time, or that did not come. Matches of ladders count and
no others, void ones not; the order is that in which they ended, of those that were told so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from league.fitness.model import Health, HealthUpdate
from league.fitness.store import HealthStore
from referee.match.loaded_match import LoadedMatch
from referee.match.session import Ending

IN_A_ROW: Final = 3


class Fitness:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(self, store: HealthStore, start_ms: int) -> None:
        """`start_ms` is how long the seats of a match have to show up: who had less has not stayed away."""
        self._store, self._start_ms = store, start_ms

    def of(self, bots: Sequence[str]) -> Mapping[str, Health]:
        """By bot, how it stands; in one round trip."""
        return dict(zip(bots, self._store.health(bots), strict=True)) if bots else {}

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches that may be read; again is once, and what is void after all is taken back."""
        told = [one for lives in groups for live in lives for one in _told(live, self._start_ms)]
        if told:
            self._store.count(told)
        void = [
            (seat.id, live.id)
            for lives in groups
            for live in lives
            if live.void and live.config.ladder is not None
            for seat in live.config.seats
            if seat is not None and not seat.house
        ]
        if void:
            self._store.forget(void)


def _told(live: LoadedMatch, start_ms: int) -> list[HealthUpdate]:
    """What a match that is over says of its remote bots; nothing of one that never had all of its seats."""
    config, progress = live.config, live.progress
    if config.ladder is None or live.void or progress.ended is None:
        return []
    found = []
    for number, seat in enumerate(config.seats):
        if seat is None or seat.house:
            continue
        bad: str | None = None
        if number not in progress.shown and progress.ended - config.created >= start_ms:
            bad = "did not come to it"
        elif progress.ending is Ending.ABORTED:
            # Somebody else did not come, or its group was broken off.
            continue
        elif number in progress.forfeits and progress.strikes[number] >= config.clock.strikes:
            bad = f"ran out of time in {progress.strikes[number]} turns"
        found.append(HealthUpdate(seat.id, live.id, progress.ended, bad))
    return found
