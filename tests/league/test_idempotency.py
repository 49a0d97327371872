"""Idempotency keys."""

from __future__ import annotations

import pytest

from league.accounts.idempotency import Idempotency, _key
from league.errors import KeyInFlight, KeyReused
from redisio.connection import Redis
from tests.league.test_accounts import everything


@pytest.fixture
def keys(redis: Redis) -> Idempotency:
    return Idempotency(redis, "p" * 32)


def test_a_repetition_waits_while_the_first_request_runs(keys: Idempotency) -> None:
    assert keys.begin("token", "k1", "body") is None
    with pytest.raises(KeyInFlight) as refusal:
        keys.begin("token", "k1", "body")
    assert 0 < refusal.value.details["retry_ms"] <= 2_000
    keys.forget("token", "k1")
    assert keys.begin("token", "k1", "body") is None


def lease_ends(redis: Redis) -> None:
    """Let the lease of the only key expire."""
    (key,) = redis.one("KEYS", "kozyr:idempotency:*")
    redis.one("HSET", key, "until", 1)


def another_process(redis: Redis) -> Idempotency:
    return Idempotency(redis, "p" * 32)


def test_a_request_whose_process_died_may_start_again_but_not_with_another_body(
    keys: Idempotency, redis: Redis
) -> None:
    assert keys.begin("token", "k1", "body") is None
    lease_ends(redis)
    with pytest.raises(KeyReused):
        keys.begin("token", "k1", "other")
    assert another_process(redis).begin("token", "k1", "body") is None


def test_a_long_request_keeps_its_key(keys: Idempotency, redis: Redis) -> None:
    assert keys.begin("token", "k1", "body") is None
    lease_ends(redis)
    keys.renew()
    with pytest.raises(KeyInFlight):
        another_process(redis).begin("token", "k1", "body")


def test_a_frozen_process_does_not_disturb_its_successor(keys: Idempotency, redis: Redis) -> None:
    assert keys.begin("token", "k1", "body") is None
    lease_ends(redis)
    successor = another_process(redis)
    assert successor.begin("token", "k1", "body") is None
    lease_ends(redis)
    keys.renew()
    keys.forget("token", "k1")
    successor.renew()
    with pytest.raises(KeyInFlight):
        another_process(redis).begin("token", "k1", "body")
    successor.finish("token", "k1", {"id": "x"})
    keys.finish("token", "k1", {"id": "another"})
    assert keys.begin("token", "k1", "body") == {"id": "x"}


def test_a_successor_reads_the_stored_intent(keys: Idempotency, redis: Redis) -> None:
    assert keys.begin("token", "k1", "body") is None
    assert keys.intend("token", "k1", "7") == "7"
    lease_ends(redis)
    successor = another_process(redis)
    assert successor.begin("token", "k1", "body") is None
    assert successor.intend("token", "k1", "8") == "7"
    successor.forget("token", "k1")
    assert keys.begin("token", "k1", "body") is None
    assert keys.intend("token", "k1", "9") == "9", "a refused request stores no intent"


def test_a_response_is_encrypted_and_expires_after_a_day(keys: Idempotency, redis: Redis) -> None:
    keys.begin("token", "my-own-key", "body")
    keys.finish("token", "my-own-key", {"token": "kozyr_secret"})
    heap = everything(redis)
    assert b"kozyr_secret" not in heap
    assert b"my-own-key" not in heap
    (key,) = redis.one("KEYS", "kozyr:idempotency:*")
    assert key.decode().startswith(_key(""))
    assert 0 < redis.one("PTTL", key) <= 24 * 3_600_000
