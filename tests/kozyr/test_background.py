"""The background tasks of an API process."""

from __future__ import annotations

import pytest
import redis as redis_py

from league.accounts.redis import RedisAccountStore
from records.names import current_name
from server.app import build_app
from server.config.settings import Settings
from tests.support.waiting import eventually


def test_an_api_process_renews_the_leases_of_the_requests_it_answers(
    redis_url: str, redis_client: redis_py.Redis
) -> None:
    app = build_app(Settings(redis_url=redis_url, secret="s" * 32, signing_key="0" * 64))
    idempotency = app.extensions["kozyr-services"].idempotency
    background = app.extensions["kozyr"]
    background.start()
    try:
        idempotency.begin("a token", "a key", "a body")
        (key,) = redis_client.keys("kozyr:idempotency:*")
        redis_client.hset(key, "until", 1)
        eventually(lambda: redis_client.hget(key, "until") != b"1", "the lease is renewed")
    finally:
        background.close()


def test_an_api_process_forgets_its_matches_with_each_connection_to_redis(
    redis_url: str, redis_client: redis_py.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(Settings(redis_url=redis_url, secret="s" * 32, signing_key="0" * 64))
    forgotten: list[None] = []
    monkeypatch.setattr(app.extensions["kozyr-services"].referee, "forget", lambda: forgotten.append(None))
    background = app.extensions["kozyr"]
    background.start()
    try:
        eventually(lambda: forgotten, "it has connected")
        before = len(forgotten)
        redis_client.client_kill_filter(_type="pubsub")
        eventually(lambda: len(forgotten) > before, "it has connected again")
    finally:
        background.close()


def test_an_api_process_that_serves_no_page_learns_new_names(
    redis_url: str, redis_client: redis_py.Redis
) -> None:
    app = build_app(Settings(redis_url=redis_url, secret="s" * 32, signing_key="0" * 64))
    accounts = app.extensions["kozyr-services"].accounts
    owner, _ = accounts.create_owner("leokadia")
    RedisAccountStore(app.extensions["kozyr-services"].redis).rename([owner], [owner._replace(name="lea")])
    background = app.extensions["kozyr"]
    background.start()
    try:
        eventually(lambda: current_name(owner.id, owner.name) == "lea", "it knows the new name")
    finally:
        background.close()
