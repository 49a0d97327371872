"""Cached states of deals belong to the stored history of their match."""

from __future__ import annotations

from itertools import count
from random import Random

from redisio.connection import Redis
from referee.running.sessions import KEPT_S, KnownMatches
from tests.referee.world import ManualClock, World


def play_until_deal_2(world: World, match: str, rng: Random) -> None:
    while world.look(match).progress.number == 1:
        world.act(match, rng.choice(world.legal(match)))


def test_a_store_that_lost_commits_may_continue_with_other_deals(redis: Redis) -> None:
    ManualClock(redis)
    here = World(redis, seed=1)
    match = here.match(2, deals=3)
    kept = {key: here.plain.dump(key) for key in here.plain.scan_iter()}
    play_until_deal_2(here, match, Random(0))
    before = deal_of(here, match)
    for seed in count(1):
        here.plain.flushall()
        for key, value in kept.items():
            here.plain.restore(key, 0, value)
        elsewhere = World(redis, seed=1)
        play_until_deal_2(elsewhere, match, Random(seed))
        if deal_of(elsewhere, match) != before:
            break
    seen, stored = here.look(match), elsewhere.look(match)
    assert seen.state == stored.state
    assert (seen.state.dealer, seen.state.scores) == deal_of(elsewhere, match)
    assert here.legal(match)


def deal_of(world: World, match: str) -> tuple[int, tuple[int, ...]]:
    """Return the dealer and the scores of the running deal, as stored."""
    progress = world.look(match).progress
    return progress.dealer, progress.scores


def test_a_match_that_ended_in_another_process_is_forgotten(world: World) -> None:
    """A process learns of no end that another process commits, so it would remember thousands of ended matches."""
    now = [0.0]
    known = KnownMatches(lambda: now[0])
    matches = [world.match(2) for _ in range(2)]
    for match in matches:
        world.act(match)
        known.keep(world.look(match))
        now[0] += KEPT_S + 1
    assert [known.recall(match) is not None for match in matches] == [False, True]
