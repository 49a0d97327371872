"""Totals of a ladder equal the sums of its matches, however they are batched and ordered."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from league.ladders import redis_totals
from league.ladders.model import LadderResult, ResultCounted, Totals, TotalsDelta
from league.ladders.redis import RedisLadderStore
from league.ladders.redis_totals import key_of
from redisio.connection import Redis

BOTS = ("b1", "b2", "b3")


def results(ladder: str, rng: random.Random, count: int) -> list[LadderResult]:
    """Return results of matches in groups of one to three, outside groups, and some that don't count, in two
    seasons."""
    made: list[LadderResult] = []
    while len(made) < count:
        season, group = rng.choice((1, 2)), rng.choice((None, f"g{len(made)}"))
        for _ in range(1 if group is None else rng.randint(1, 3)):
            match = f"m{len(made)}"
            if rng.random() < 0.1:
                made.append(LadderResult(ladder, season, match, False, {}, {}, group, season))
                continue
            one, other = rng.sample(BOTS, 2)
            deals, points = rng.randint(1, 9), rng.randint(-20, 20)
            sums = {one: TotalsDelta(1, 0, deals, points), other: TotalsDelta(0, 1, deals, -points)}
            cross = {
                one: {other: TotalsDelta(1, 0, deals, points)},
                other: {one: TotalsDelta(0, 0, deals, -points)},
            }
            made.append(LadderResult(ladder, season, match, True, sums, cross, group, season))
    return made


def expected(counting: list[LadderResult]) -> dict[tuple[int, str, str], tuple[int, ...]]:
    """Return by season, row ('' for the standings) and bot the nine numbers of lua/totals.lua, by their definition."""
    units: dict[tuple[int, str, str], dict[str, list[TotalsDelta]]] = defaultdict(lambda: defaultdict(list))
    for result in counting:
        for row, line in [("", result.sums), *result.cross.items()]:
            for bot, grown in line.items():
                units[result.season, row, bot][result.group or result.match].append(grown)
    found = {}
    for key, groups in units.items():
        every = [grown for of in groups.values() for grown in of]
        per = [
            (sum(grown.deals for grown in of), sum(grown.points for grown in of)) for of in groups.values()
        ]
        found[key] = (
            len(every),
            sum(grown.wins for grown in every),
            sum(grown.second for grown in every),
            len(per),
            sum(deals for deals, _ in per),
            sum(points for _, points in per),
            sum(deals * deals for deals, _ in per),
            sum(deals * points for deals, points in per),
            sum(points * points for _, points in per),
        )
    return found


def numbers(line: Totals) -> tuple[int, ...]:
    """Return the nine numbers of a line."""
    return tuple(int(each) for each in (line.matches, line.wins, line.second, *line.sums))


def kept(store: RedisLadderStore, ladder: str) -> dict[tuple[int, str, str], tuple[int, ...]]:
    """Return the totals of the store, in the form of `expected`."""
    found = {}
    for season in (1, 2):
        rows = {"": store.standings(ladder, season), **store.cross(ladder, season, BOTS)}
        found |= {(season, row, bot): numbers(line) for row, of in rows.items() for bot, line in of.items()}
    return found


def opened(redis: Redis, ladder: str, reported: list[LadderResult]) -> None:
    """Open these matches in their rounds."""
    for number in (1, 2):
        of = [result.match for result in reported if result.round == number]
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
    gone = [result for result in reported if result.played and rng.random() < 0.3]
    for result in gone * 2:
        first = telling.index((result, True))
        telling.insert(rng.randint(first + 1, len(telling)), (result, False))
    counted: list[tuple[str, ResultCounted]] = []
    while telling:
        what, breath = telling[0][1], 1
        while breath < min(len(telling), rng.randint(1, 12)) and telling[breath][1] == what:
            breath += 1
        now, telling = [result for result, _ in telling[:breath]], telling[breath:]
        if what:
            counted += zip([result.match for result in now], store.count(now), strict=True)
        else:
            store.take_back(now)
    stay = [result for result in reported if result not in gone]
    nothing = (0,) * 9
    assert {key: line for key, line in kept(store, ladder).items() if line != nothing} == expected(stay)
    assert sorted(match for match, of in counted if of.new) == sorted(result.match for result in reported)
    for number in (1, 2):
        of_round = {result.match for result in reported if result.round == number}
        assert sum(of.done for match, of in counted if match in of_round) == 1
        state, over, aborted = redis.one(
            "HMGET", key_of(ladder, f"round:{number}"), "state", "over", "aborted"
        )
        assert (state, int(over)) == (b"done", len(of_round))
        without = [
            result for result in reported if result.round == number and (result in gone or not result.played)
        ]
        assert int(aborted or 0) == len(without)
    left = [redis.one("HLEN", key_of(ladder, f"group:{result.group}")) for result in reported if result.group]
    assert (0 in left) == any(
        all(result in gone or not result.played for result in reported if result.group == group)
        for group in {result.group for result in reported if result.group}
    )
