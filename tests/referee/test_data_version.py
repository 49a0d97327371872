"""The version of the stored data format."""

from __future__ import annotations

import pytest
import redis as redis_py

from redisio.connection import Redis
from referee.storage import redis_data_version
from referee.storage.redis_data_version import (
    KEY,
    SECRET_KEY,
    OtherSecret,
    UnknownDataVersion,
    claim_data,
    claim_secret,
)


@pytest.fixture
def stored(redis_url: str, redis_client: redis_py.Redis, monkeypatch: pytest.MonkeyPatch) -> redis_py.Redis:
    """Return a Redis for a release that reads version 3.4."""
    monkeypatch.setattr(redis_data_version, "MAJOR", 3)
    monkeypatch.setattr(redis_data_version, "MINOR", 4)
    return redis_client


@pytest.mark.parametrize(
    ("found", "left"),
    [(None, "3.4"), ("3.0", "3.4"), ("3.4", "3.4"), ("3.10", "3.10")],
    ids=["new data", "an earlier minor version", "the same", "a later minor version"],
)
def test_a_minor_version_is_written_and_raised_but_never_lowered(
    stored: redis_py.Redis, redis_url: str, found: str | None, left: str
) -> None:
    if found is not None:
        stored.set(KEY, found)
    assert claim_data(Redis(redis_url)) == left
    assert stored.get(KEY) == left.encode()


@pytest.mark.parametrize("found", ["4.0", "2.9", "10.0", "nonsense"])
def test_data_of_another_major_version_are_refused(
    stored: redis_py.Redis, redis_url: str, found: str
) -> None:
    stored.set(KEY, found)
    with pytest.raises(UnknownDataVersion, match=f"have format {found}, and this release reads 3.x"):
        claim_data(Redis(redis_url))
    assert stored.get(KEY) == found.encode()


def test_the_first_secret_claims_the_data_for_good(redis_client: redis_py.Redis, redis_url: str) -> None:
    redis = Redis(redis_url)
    claim_secret(redis, "a" * 32)
    claim_secret(redis, "a" * 32)
    with pytest.raises(OtherSecret, match="another KOZYR_SECRET"):
        claim_secret(redis, "b" * 32)
    assert b"a" * 32 not in redis.one("GET", SECRET_KEY)
