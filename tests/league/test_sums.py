"""Totals of a ladder equal the sums of its matches, however they are batched and ordered."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import pytest

from league.ladders import redis_totals
from league.ladders.model import LadderResult, ResultCounted, Totals
from league.ladders.redis import RedisLadderStore
from league.ladders.redis_totals import key_of
from records.results.group_statistics import GroupStatistics
from redisio.connection import Redis

BOTS = ("b1", "b2", "b3")


def results(ladder: str, rng: random.Random, count: int) -> list[LadderResult]:
    """Return units of one to three matches, and some that don't count, in two seasons."""
    made: list[LadderResult] = []
    while len(made) < count:
        season = rng.choice((1, 2))
        matches = tuple(f"m{len(made)}-{number}" for number in range(rng.randint(1, 3)))
        lines: dict[str, dict[str, Totals]] = {}
        if rng.random() < 0.9:
            one, other = rng.sample(BOTS, 2)
            lines = {
                "sums": {one: line(rng, matches), other: line(rng, matches)},
                f"sums:{one}": {other: line(rng, matches)},
                f"sums:{other}": {one: line(rng, matches)},
            }
        made.append(LadderResult(ladder, season, matches, lines, season))
    return made


def line(rng: random.Random, matches: Sequence[str]) -> Totals:
    group = GroupStatistics.of([(rng.randint(1, 9), rng.randint(-20, 20))])
    return Totals(len(matches), rng.randint(0, 1), rng.randint(0, 1), group)


def expected(counting: list[LadderResult]) -> dict[tuple[int, str, str], Totals]:
    """Return the sums of these units by season, row and bot."""
    found: dict[tuple[int, str, str], Totals] = defaultdict(Totals)
    for result in counting:
        for row, lines in result.lines.items():
            for bot, grown in lines.items():
                found[result.season, row, bot] = found[result.season, row, bot].plus(grown)
    return found


def kept(store: RedisLadderStore, ladder: str) -> dict[tuple[int, str, str], Totals]:
    """Return the totals of the store, in the form of `expected`."""
    found = {}
    for season in (1, 2):
        cross = store.cross(ladder, season, BOTS)
        rows = {"sums": store.standings(ladder, season)} | {f"sums:{bot}": row for bot, row in cross.items()}
        found |= {(season, row, bot): line for row, of in rows.items() for bot, line in of.items()}
    return found


def opened(redis: Redis, ladder: str, reported: list[LadderResult]) -> None:
    """Open these matches in their rounds."""
    for number in (1, 2):
        of = [match for result in reported if result.round == number for match in result.matches]
        redis.one(
            "HSET", key_of(ladder, f"round:{number}"), "state", "running", "planned", len(of), "made", len(of)
        )
        for match in of:
            redis.one("HSET", key_of(ladder, f"open:{number}"), match, 0)


@pytest.mark.parametrize("most", [1, 7, redis_totals.MOST_LINES])
@pytest.mark.parametrize("seed", range(4))
def test_totals_equal_the_sums_of_the_matches_for_any_order_and_batches(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, seed: int, most: int
) -> None:
    monkeypatch.setattr(redis_totals, "MOST_LINES", most)
    rng, store, ladder = random.Random(seed), RedisLadderStore(redis), "lg"
    reported = results(ladder, rng, 40)
    opened(redis, ladder, reported)
    # Each result is counted twice, some in the same batch; a third is taken back, some of it twice.
    telling = [(result, True) for result in reported * 2]
    rng.shuffle(telling)
    gone = [result for result in reported if result.counts and rng.random() < 0.3]
    for result in gone * 2:
        first = telling.index((result, True))
        telling.insert(rng.randint(first + 1, len(telling)), (result, False))
    counted: list[tuple[LadderResult, ResultCounted]] = []
    while telling:
        what, breath = telling[0][1], 1
        while breath < min(len(telling), rng.randint(1, 12)) and telling[breath][1] == what:
            breath += 1
        now, telling = [result for result, _ in telling[:breath]], telling[breath:]
        if what:
            counted += zip(now, store.count(now), strict=True)
        else:
            store.take_back(now)
    stay = [result for result in reported if result not in gone]
    assert {key: line for key, line in kept(store, ladder).items() if line != Totals()} == expected(stay)
    new = [result for result, of in counted if of.new]
    assert sorted(result.matches for result in new) == sorted(result.matches for result in reported)
    for number in (1, 2):
        of_round = [result for result in reported if result.round == number]
        assert sum(of.done for result, of in counted if result in of_round) == 1
        state, over, aborted = redis.one(
            "HMGET", key_of(ladder, f"round:{number}"), "state", "over", "aborted"
        )
        assert (state, int(over)) == (b"done", sum(len(result.matches) for result in of_round))
        without = [result for result in of_round if result in gone or not result.counts]
        assert int(aborted or 0) == sum(len(result.matches) for result in without)
