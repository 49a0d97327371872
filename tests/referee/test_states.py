"""Cached states of deals belong to the stored history of their match."""

from __future__ import annotations

from random import Random

import pytest

from redisio.connection import Redis
from tests.referee.world import ManualClock, World


def play_until_deal_2(world: World, match: str, rng: Random) -> None:
    while world.look(match).progress.number == 1:
        world.act(match, rng.choice(world.legal(match)))


@pytest.mark.parametrize("other", range(4))
def test_a_store_that_lost_commits_may_continue_with_other_deals(redis: Redis, other: int) -> None:
    ManualClock(redis)
    here, elsewhere = World(redis, seed=1), World(redis, seed=1)
    match = here.match(2, deals=3)
    kept = {key: here.plain.dump(key) for key in here.plain.scan_iter()}
    play_until_deal_2(here, match, Random(0))
    here.plain.flushall()
    for key, value in kept.items():
        here.plain.restore(key, 0, value)
    here.referee.forget()
    play_until_deal_2(elsewhere, match, Random(1 + other))
    seen, stored = here.look(match), elsewhere.look(match)
    assert seen.state == stored.state
    assert (seen.state.dealer, seen.state.scores) == (stored.progress.dealer, stored.progress.scores)
    assert here.legal(match)
