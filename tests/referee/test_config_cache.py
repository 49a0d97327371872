"""What a process keeps of the configs of matches is bounded by bytes."""

from __future__ import annotations

import gc
import tracemalloc

import orjson
import pytest

from referee.byte_cache import ByteCache
from referee.storage import redis as store
from tests.referee.world import World


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> ByteCache:
    made = ByteCache(1 << 20)
    monkeypatch.setattr(store, "CONFIGS", made)
    return made


def test_thousands_of_matches_take_no_more_than_the_bound(world: World, cache: ByteCache) -> None:
    config = world.look(world.match(2)).config
    configs = [orjson.dumps(config._replace(id=f"match-{number}").to_json()) for number in range(2000)]
    gc.collect()
    tracemalloc.start()
    try:
        for raw in configs:
            store._config(raw)
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert cache.size <= 1 << 20
    assert taken <= 1 << 20, "the sizes are no lower than the memory"
    assert store._config(configs[-1]) is store._config(configs[-1])
