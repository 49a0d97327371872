"""Every route has a limit, whatever answers it, and a stream costs what it sends."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import redis
from flask import Flask

from api.app import create_app
from api.http.server_sent import EventStream
from api.limits.metering import CHARGED_BYTES, ByteMeter, metered
from api.limits.rates import BYTES_PER_REQUEST, CountedRequest, Rate, Rates, RateScope
from api.services import Services
from redisio.connection import Redis
from redisio.rate_counters import RedisRateCounters
from server.app import new_site
from tests.api.conftest import ApiWorld, compose
from web.site import install

HOUR = 3600
VARIABLE = re.compile("<(int:)?[^>]*>")


@pytest.fixture(scope="module")
def services(redis_url: str) -> Services:
    """Services that allow one request of each kind in an hour."""
    services = compose(redis_url)
    services.limits = replace(services.limits, rates={scope: Rate(1, HOUR) for scope in RateScope})
    return services


def application(services: Services) -> Flask:
    """Return an application of its own, whose counters begin at 0."""
    app = create_app(services)
    install(app, new_site())
    return app


def test_every_route_has_a_limit(services: Services, redis_client: redis.Redis) -> None:
    app = application(services)
    free = []
    for rule in app.url_map.iter_rules():
        path = VARIABLE.sub(lambda found: "1" if found[1] else "x", rule.rule)
        for method in sorted(rule.methods or ()):
            statuses = [app.test_client().open(path, method=method).status_code for _ in range(3)]
            if statuses[-1] != 429:
                free.append((method, rule.rule, statuses))
            redis_client.flushall()
            app.extensions["kozyr-rates"]._local._counters.clear()
            app.extensions["kozyr-rates"]._over.clear()
    assert free == []


@pytest.mark.parametrize("path", ["/v1/nothing", "/nothing", "/static/x", "/docs/x/y"])
def test_paths_without_a_handler_have_a_limit(
    services: Services, redis_client: redis.Redis, path: str
) -> None:
    client = application(services).test_client()
    assert [client.get(path).status_code for _ in range(2)] == [404, 429]


def test_probes_answer_when_all_other_limits_are_used_up(
    world: ApiWorld, services: Services, redis_client: redis.Redis
) -> None:
    generous = replace(services.limits, rates={**services.limits.rates, RateScope.PROBES: Rate(50, HOUR)})
    limits, services.limits = services.limits, generous
    try:
        client = application(services).test_client()
    finally:
        services.limits = limits
    assert [client.get("/v1/games").status_code for _ in range(2)] == [200, 429]
    assert [client.get("/docs/").status_code for _ in range(2)] == [200, 429]
    assert {client.get("/healthz").status_code for _ in range(50)} == {200}
    assert client.get("/readyz").status_code == 429


@pytest.fixture
def rates(redis_url: str, redis_client: redis.Redis) -> Iterator[Rates]:
    """Rates that allow 20 requests in an hour."""
    connection = Redis(redis_url)
    services = compose(redis_url)
    yield Rates({RateScope.REQUESTS: Rate(20, HOUR)}, services.addresses, RedisRateCounters(connection))
    connection.close()


def counted(rates: Rates) -> CountedRequest:
    found = rates.count(RateScope.REQUESTS, "anna")
    assert found is not None
    return found


def test_a_stream_costs_what_it_sends(rates: Rates) -> None:
    meter = ByteMeter(rates, counted(rates))
    assert meter.sent(CHARGED_BYTES - 1) == 0
    assert counted(rates).left == 18, "so far the stream costs no more than its request"
    assert meter.sent(1) == 0
    assert counted(rates).left == 9
    meter.sent(3 * BYTES_PER_REQUEST)
    meter.close()
    meter.close()
    assert counted(rates).left == 5


def test_a_list_beyond_the_limit_goes_on_at_the_rate_of_the_limit(rates: Rates) -> None:
    waits: list[float] = []
    pieces = itertools.repeat(bytes(CHARGED_BYTES), 6)
    assert sum(map(len, metered(pieces, ByteMeter(rates, counted(rates)), waits.append))) == 6 * CHARGED_BYTES
    seconds = 8 * HOUR / 20
    assert waits == [seconds] * len(waits)
    assert len(waits) >= 3
    assert counted(rates).over, "further requests are refused"


def test_a_stream_of_events_ends_beyond_the_limit(rates: Rates) -> None:
    closed: list[bool] = []

    def follows() -> Iterator[list[bytes]]:
        try:
            while True:
                yield [bytes(CHARGED_BYTES)]
        finally:
            closed.append(True)

    generator: Callable[..., EventStream] = EventStream
    stream = generator(follows(), lambda message: message, (), ByteMeter(rates, counted(rates)))
    sent = list(itertools.islice(stream, 100))
    assert len(sent) < 10
    assert sent[-1] == b": limited\nretry: 60000\n\n"
    assert closed == [True]
    stream.close()
    assert not ByteMeter.open_streams


def test_a_list_of_records_is_charged_when_it_is_sent(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    charged: list[int] = []
    monkeypatch.setattr(ByteMeter, "sent", lambda meter, size: charged.append(size) or 0.0)
    owner = world.owner()
    match = {"game": "durak", "seats": ["house/random", "house/greedy"], "deals": 1}
    made = owner("POST", "/v1/matches", match).json
    while world.services.referee.go_on(made["id"], 1.0):
        pass
    rates = {**world.services.limits.rates, RateScope.REQUESTS: Rate(1000, HOUR)}
    monkeypatch.setattr(world.services, "limits", replace(world.services.limits, rates=rates))
    client = create_app(world.services).test_client()
    body = client.get("/v1/records", headers={"Authorization": f"Bearer {owner.token}"}).data
    assert sum(charged) == len(body) > 0
