"""Redis does not grow with the matches that were ever played (docs/operations.md, "How Redis grows").

The stores get finished matches in great numbers: copies of played ones, under other ids. The ordinary test counts the
elements of all keys; `make soak` measures the memory over 100,000 matches, or as many as `KOZYR_GROWTH_MATCHES` says.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from records.ids import derived_match_id
from records.match.loaded_match import LoadedMatch
from redisio.connection import Redis
from redisio.server import info_fields
from referee.storage.store import Allowance, Commit
from tests.league.test_archived_league import HOT_MS, ArchivedLeague, census
from tests.support.league import WallClock

SEGMENT = 256
EVERY_MS = 10
"""How long after one match the next ends."""
HOT_MATCHES = HOT_MS // EVERY_MS
MANY_HOT = 10_000
"""Enough that the batches on their way to the archive hardly count, as in a league that keeps weeks."""


class BusyLeague(ArchivedLeague):
    """A league in which copies of a few played matches end, one after another."""

    def __init__(self, redis: Redis, clock: WallClock, folder: Path) -> None:
        super().__init__(redis, clock, folder)
        self.count, self._rng = 0, Random(5)

    def begin(self) -> None:
        """Play the matches to copy."""
        self.play(self.ladder("a1", "a2", "a3", repeats=4).id)
        self._played = list(self.matches())
        self.later()

    def end(self, matches: int, hot: int = HOT_MATCHES) -> None:
        """Let this many matches end, rate them, and archive all but the last `hot`, a segment at a time."""
        for batch in _parts(matches, SEGMENT):
            self._end(batch)
            while self.waiting() >= hot + SEGMENT and self.moved(SEGMENT):
                pass

    def _end(self, matches: int) -> None:
        copies = [self._copy() for _ in range(matches)]
        assert None not in self.store.commit([_commit(copy) for copy in copies])
        self.feed(copies)
        self.rated()

    def _copy(self) -> LoadedMatch:
        self.count += 1
        self.clock.ms += EVERY_MS
        first = self._rng.choice(self._played)
        config = first.config._replace(
            id=derived_match_id("growth", self.count), ladder=None, round=None, season=None, rated=True
        )
        return first._replace(config=config, progress=first.progress._replace(ended=self.clock.ms))

    def waiting(self) -> int:
        """Return how many matches are in Redis."""
        head = self.chain.head()
        assert head is not None
        return head.number - int(self.redis.one("GET", "kozyr:{chain}:archived") or 0)


def _commit(match: LoadedMatch) -> Commit:
    return Commit(
        match=match.id,
        version=0,
        config=match.config,
        config_changed=True,
        progress=match.progress,
        secret=match.secret,
        log=match.log,
        appended="",
        closed=(),
        allowance=Allowance.NONE,
        finished=True,
    )


def _parts(whole: int, size: int) -> Iterator[int]:
    while whole > 0:
        yield min(whole, size)
        whole -= size


@pytest.fixture
def busy(redis: Redis, clock: WallClock, tmp_path: Path) -> BusyLeague:
    league = BusyLeague(redis, clock, tmp_path / "archive")
    league.begin()
    return league


@pytest.mark.ci
def test_the_elements_of_redis_do_not_grow_with_the_matches(busy: BusyLeague) -> None:
    busy.end(3 * SEGMENT)
    before = census(busy.redis)
    busy.end(6 * SEGMENT)
    after = census(busy.redis)
    grown = {name: (before[name], count) for name, count in after.items() if count > before[name]}
    assert set(grown) <= {"kozyr:{chain}:segments", "kozyr:{chain}:journal"}
    assert after["kozyr:{chain}:journal"] - before["kozyr:{chain}:journal"] <= 12, "one for each write"
    assert after["kozyr:{chain}:segments"] == before["kozyr:{chain}:segments"] + 6
    found = busy.fresh().referee.look(derived_match_id("growth", 1))
    assert found.archived


@pytest.mark.soak
def test_the_memory_of_redis_is_flat_however_many_matches_end(
    busy: BusyLeague, record_property: Callable[[str, object], None]
) -> None:
    matches = int(os.environ.get("KOZYR_GROWTH_MATCHES") or 100_000)
    busy.end(2 * MANY_HOT, MANY_HOT)
    sizes = []
    for _ in range(20):
        busy.end(matches // 20, MANY_HOT)
        busy.redis.one("MEMORY", "PURGE")
        sizes.append(int(info_fields(busy.redis.one("INFO", "memory"))["used_memory"]))
    record_property("used_memory", sizes)
    mean = sum(sizes) / len(sizes)
    assert all(abs(size - mean) <= 0.05 * mean for size in sizes), sizes
