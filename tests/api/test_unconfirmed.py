"""A repeated creation is acknowledged only once replicas have what its earlier attempt created."""

from __future__ import annotations

import pytest
import redis as redis_py

from redisio.connection import Redis
from redisio.errors import NotReplicated
from tests.api.conftest import ApiWorld, refused
from tests.api.test_retries import HEAD, REQUESTS


@pytest.mark.parametrize("what", REQUESTS)
def test_only_repeated_creations_wait_for_all_replicas(
    world: ApiWorld, redis_client: redis_py.Redis, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    person, path, body = REQUESTS[what](world)
    with monkeypatch.context() as patch:
        patch.setattr(Redis, "confirm", lambda _: pytest.fail("nothing was created before"))
        patch.setattr(world.services.idempotency, "finish", lambda *_: None)
        assert person("POST", path, body, headers=HEAD).status_code == 201
    (key,) = redis_client.keys("kozyr:idempotency:*")
    for _ in range(2):
        redis_client.hset(key, "until", 1)  # the lease ends
        with monkeypatch.context() as patch:
            patch.setattr(Redis, "confirm", unconfirmed)
            refused(person("POST", path, body, headers=HEAD), 503, "store_unavailable")
    redis_client.hset(key, "until", 1)
    assert person("POST", path, body, headers=HEAD).status_code == 201


def unconfirmed(_: Redis) -> None:
    raise NotReplicated(1, 0)
