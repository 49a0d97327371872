"""The background threads of an API process."""

from __future__ import annotations

from redis.exceptions import ConnectionError as RedisGone

from kozyr.serve.background import call_each


def test_an_absent_redis_stops_nothing_that_does_not_need_it() -> None:
    called: list[str] = []

    def away() -> None:
        called.append("away")
        raise RedisGone("no server")

    call_each([away, lambda: called.append("here")])
    assert called == ["away", "here"]
