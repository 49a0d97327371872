"""Idempotency keys."""

from __future__ import annotations

import pytest

from league.errors import KeyInFlight, KeyReused
from league.idempotency import Idempotency
from league.redis_idempotency import RedisIdempotencyStore, _key
from referee.redis_trip import Redis
from tests.league.test_accounts import everything


@pytest.fixture
def keys(redis: Redis) -> Idempotency:
    return Idempotency(RedisIdempotencyStore(redis), "p" * 32)


def test_the_same_request_gets_the_first_answer(keys: Idempotency) -> None:
    assert keys.begin("token", "k1", "body") is None
    keys.finish("token", "k1", {"status": 201, "id": "x"})
    assert keys.begin("token", "k1", "body") == {"status": 201, "id": "x"}
    keys.finish("token", "k1", {"id": "another"})
    assert keys.begin("token", "k1", "body") == {"status": 201, "id": "x"}


def test_another_body_is_refused_before_and_after_the_answer(keys: Idempotency) -> None:
    assert keys.begin("token", "k1", "body") is None
    with pytest.raises(KeyReused):
        keys.begin("token", "k1", "other")
    keys.finish("token", "k1", {})
    with pytest.raises(KeyReused):
        keys.begin("token", "k1", "other")


def test_the_same_key_of_somebody_else_is_another_key(keys: Idempotency) -> None:
    assert keys.begin("one", "k1", "body") is None
    assert keys.begin("two", "k1", "other") is None


def test_while_the_first_is_being_answered_the_second_waits(keys: Idempotency) -> None:
    assert keys.begin("token", "k1", "body") is None
    with pytest.raises(KeyInFlight) as refusal:
        keys.begin("token", "k1", "body")
    assert 0 < refusal.value.details["retry_ms"] <= 30_000
    keys.forget("token", "k1")
    assert keys.begin("token", "k1", "body") is None


def test_a_request_whose_process_died_may_begin_again_but_not_with_another_body(
    keys: Idempotency, redis: Redis
) -> None:
    assert keys.begin("token", "k1", "body") is None
    (key,) = redis.one("KEYS", "kozyr:idempotency:*")
    redis.one("HSET", key, "until", 1)
    with pytest.raises(KeyReused):
        keys.begin("token", "k1", "other")
    assert keys.begin("token", "k1", "body") is None


def test_an_answer_is_sealed_and_gone_after_a_day(keys: Idempotency, redis: Redis) -> None:
    keys.begin("token", "my-own-key", "body")
    keys.finish("token", "my-own-key", {"token": "kozyr_secret"})
    heap = everything(redis)
    assert b"kozyr_secret" not in heap
    assert b"my-own-key" not in heap
    (key,) = redis.one("KEYS", "kozyr:idempotency:*")
    assert key.decode().startswith(_key(""))
    assert 0 < redis.one("PTTL", key) <= 24 * 3_600_000
