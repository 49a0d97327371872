"""Regret of bots: jobs count each match once, in the games that have a solver, and show it with an interval."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

import pytest

from bots.house import HOUSE_BOTS
from engine.game import Refusal
from league.fitness.regret import BotRegret, Exact
from league.fitness.statistics import WAITING, BotStatistics
from records.match import views
from records.reviews.exact import exact_moves
from redisio.connection import Redis
from tests.referee.world import ManualClock, World, house, remote

BOT = "bot-0"


class FakeMove(NamedTuple):
    """A move with a made-up regret."""

    deal: int
    move: int
    seat: int
    critical: bool
    regret: int


@pytest.fixture
def time(redis: Redis) -> ManualClock:
    return ManualClock(redis)


@pytest.fixture
def world(redis: Redis, time: ManualClock) -> World:
    return World(redis)


class RegretCounting:
    """The statistics and the counter of regret, whose jobs are only counted."""

    def __init__(self, world: World, redis: Redis, exact: Exact) -> None:
        self.redis, self.jobs = redis, 0
        self.statistics = BotStatistics(redis)
        self.regret = BotRegret(redis, self.statistics, world.referee, exact, self._wake)

    def _wake(self) -> None:
        self.jobs += 1

    def waiting(self) -> int:
        return int(self.redis.one("LLEN", WAITING))


def made_up(*of_each: list[int]) -> Exact:
    """Return regrets of seat 0 for one match after another, beside moves that do not count."""
    left = iter(of_each)

    def exact(record: Mapping[str, Any], seats: Container[int]) -> Iterator[FakeMove]:
        assert 0 in seats
        assert 1 not in seats
        yield FakeMove(1, 1, 0, critical=False, regret=0)
        for number, regret in enumerate(next(left), 2):
            yield FakeMove(1, number, 0, critical=True, regret=regret)

    return exact


def test_the_endings_of_a_match_are_solved_by_a_job(world: World, redis: Redis) -> None:
    counting = RegretCounting(world, redis, exact_moves)
    world.players["first"] = HOUSE_BOTS["greedy"]
    total = decisions = 0
    for _ in range(6):
        match = world.match([remote(0), house()])
        while not (loaded := world.look(match)).finished:
            seen = views.observation(loaded, 0)
            assert seen is not None
            table, legal = loaded.config.table(), seen["legal_moves"]
            move = HOUSE_BOTS["greedy"].choose(table, {**seen, "free_moves": []}, legal, Random(1))
            world.act(match, move)
        counting.statistics.on_readable([[loaded]])
        for move in exact_moves(world.referee.record(loaded).to_json(), {0}):
            total += move.regret
            decisions += move.critical
    assert counting.regret.of(BOT, 1) == []
    counting.regret.tick()
    assert counting.jobs == 1
    while counting.regret.work():
        pass
    ((game, estimate),) = counting.regret.of(BOT, 1)
    assert decisions > 0
    assert (game, estimate.deals) == ("durak", decisions)
    assert estimate.mean == pytest.approx(total / decisions)
    counting.regret.tick()
    assert (counting.jobs, counting.waiting()) == (1, 0)
    assert counting.regret.of("bot-1", 1) == []


def test_lost_matches_are_kept_with_their_worst_moves(world: World, redis: Redis) -> None:
    counting = RegretCounting(world, redis, made_up([1, 4, 2], [0, 0], [5, 1], [9]))
    matches = [world.match([remote(0), house()]) for _ in range(4)]
    for match in matches[:3]:
        world.referee.resign(match, BOT)
    lost = [world.play_out(match) for match in matches]
    scores = lost[3].progress.scores
    counting.statistics.on_readable([[loaded] for loaded in lost])
    counting.regret.work(budget_s=60)
    losses = counting.regret.losses(BOT)
    expected = [(matches[3], 1, 2, 9)] if scores[0] < max(scores) else []
    assert losses == [*expected, (matches[2], 1, 2, 5), (matches[0], 1, 3, 4)]
    assert counting.regret.losses("bot-1") == []


def test_a_match_that_is_solved_again_counts_once(world: World, redis: Redis) -> None:
    counting = RegretCounting(world, redis, made_up([2], [2]))
    loaded = world.play_out(world.match([remote(0), house()]))
    counting.statistics.on_readable([[loaded]])
    counting.statistics.on_readable([[loaded]])
    assert counting.waiting() == 2
    counting.regret.work(budget_s=60)
    ((_, estimate),) = counting.regret.of(BOT, 1)
    assert (estimate.deals, counting.waiting()) == (1, 0)


def test_a_record_that_cannot_be_replayed_holds_up_no_other(world: World, redis: Redis) -> None:
    solved = made_up([1])

    def exact(record: Mapping[str, Any], seats: Container[int]) -> Any:
        if record["id"] == first.id:
            raise Refusal("a broken record")
        return solved(record, seats)

    counting = RegretCounting(world, redis, exact)
    first, second = (world.play_out(world.match([remote(0), house()])) for _ in range(2))
    counting.statistics.on_readable([[first], [second]])
    counting.regret.work(budget_s=60)
    ((_, estimate),) = counting.regret.of(BOT, 1)
    assert (estimate.groups, counting.waiting()) == (1, 0)


def test_a_match_whose_job_ends_is_solved_later_and_after_the_others(world: World, redis: Redis) -> None:
    def dying(record: Mapping[str, Any], seats: Container[int]) -> Any:
        raise MemoryError

    counting = RegretCounting(world, redis, dying)
    first, second = (world.play_out(world.match([remote(0), house()])) for _ in range(2))
    counting.statistics.on_readable([[first], [second]])
    with pytest.raises(MemoryError):
        counting.regret.work()
    assert redis.one("LRANGE", WAITING, 0, -1) == [second.id.encode(), first.id.encode()]


def test_matches_of_house_bots_alone_do_not_wait(world: World, redis: Redis) -> None:
    counting = RegretCounting(world, redis, exact_moves)
    counting.statistics.on_readable([[world.look(world.match([house(), house()]))]])
    assert counting.waiting() == 0
