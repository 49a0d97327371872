"""The API over the tests' Redis, and clients with tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import TimeoutError as LateAnswer
from werkzeug.test import TestResponse

from api.app import create_app
from api.cursors import Cursors
from api.services import Limits, Services
from bots.search import playout
from league.accounts.eligibility import Eligibility
from league.accounts.idempotency import Idempotency
from league.accounts.presence import Presence
from league.accounts.redis import RedisAccountStore
from league.accounts.redis_idempotency import RedisIdempotencyStore
from league.accounts.redis_presence import RedisPresenceStore
from league.accounts.service import Accounts
from league.fitness.checks import ConformanceChecks
from league.fitness.health import Fitness
from league.fitness.redis_checks import RedisCheckStore
from league.fitness.redis_health import RedisHealthStore
from league.fitness.redis_statistics import RedisStatisticsStore
from league.fitness.statistics import BotStatistics
from league.ladders.adjusted_points import AdjustedPoints
from league.ladders.redis import RedisLadderStore
from league.ladders.redis_luck import RedisLuckStore
from league.ladders.seasons import Seasons
from league.ladders.service import Ladders
from league.operators.administration import Administration
from league.operators.audit import Audit
from league.operators.redis import RedisAuditStore
from league.ratings.book import RatingBook
from league.ratings.redis import RedisRatingStore
from league.results.luck import Baseline
from league.rounds import Rounds
from redisio import rate_storage as redis_rates
from redisio.connection import Pipeline, Redis, StoreFull
from referee.groups.redis import RedisGroupStore
from referee.groups.service import Groups
from referee.polling.hub import Hub
from referee.polling.turns import Turns
from referee.proofs.proof import Proofs, SigningKey
from referee.proofs.redis import RedisChain
from referee.referee import LoadedMatch, Referee
from referee.service.redis import RedisService
from referee.storage.feed import Feed
from referee.storage.redis import RedisMatchStore
from referee.storage.redis_index import RedisMatchIndex
from referee.storage.store import OutboxKind
from tests.api.contract import CheckedClient
from tests.support.league import AtRandom

PEPPER = "a pepper of the tests that nobody else has"
ADMIN_TOKEN = "the admin's own text, of more than sixteen characters"
_NUMBERS = count(1)


HOUSE = {name: AtRandom(name) for name in ("greedy", "random")}


def compose(
    url: str, limits: Limits | None = None, *, timeout: float = 5.0, cluster: bool = False
) -> Services:
    """Return the services over this Redis."""
    line = Redis(url, cluster=cluster, timeout=timeout)
    store = RedisMatchStore(line)
    index = RedisMatchIndex(line, store)
    hub = Hub()

    def changed(all_changed: Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]) -> None:
        feed([live for live, kinds in all_changed if OutboxKind.INDEX in kinds])
        for live, _ in all_changed:
            hub.wake(live.id, *(seat.id for seat in live.config.seats if seat is not None))

    group_store = RedisGroupStore(line)
    referee = Referee(store, HOUSE, changed=changed, groups=group_store)
    groups = Groups(group_store, referee)
    accounts = Accounts(
        RedisAccountStore(line),
        PEPPER,
        {name: bot.version for name, bot in HOUSE.items()},
        admin_token=ADMIN_TOKEN,
    )
    ladders = Ladders(RedisLadderStore(line), accounts, Fitness(RedisHealthStore(line), Limits().start_ms))
    service = RedisService(line, store)
    presence = Presence(RedisPresenceStore(line))
    rounds = Rounds(
        ladders,
        referee,
        groups,
        lambda *_: None,
        lambda *_: None,
        service=service,
        online=presence.online,
    )
    ratings = RatingBook(RedisRatingStore(line))
    statistics = BotStatistics(RedisStatisticsStore(line), Limits().start_ms)
    feed = Feed(
        referee,
        index,
        groups,
        readers=[
            statistics.on_readable,
            ladders.fitness.on_readable,
            rounds.on_readable,
            ratings.on_readable,
        ],
        ended=[rounds.on_ended],
    )
    audit = Audit(RedisAuditStore(line))
    return Services(
        referee=referee,
        groups=groups,
        store=store,
        index=index,
        turns=Turns(referee, index, hub, PEPPER.encode()),
        hub=hub,
        accounts=accounts,
        admission=Eligibility(accounts, index),
        statistics=statistics,
        checks=ConformanceChecks(RedisCheckStore(line), accounts, referee),
        ladders=ladders,
        administration=Administration(audit, accounts, ladders, rounds, referee, service),
        service=service,
        seasons=Seasons(ladders, rounds.bracket),
        presence=presence,
        rounds=rounds,
        proofs=Proofs(RedisChain(line), SigningKey(b"k" * 32)),
        ratings=ratings,
        adjusting=AdjustedPoints(
            RedisLuckStore(line), ladders.store, referee, groups, Baseline(playout, 2, decks=20), "1"
        ),
        idempotency=Idempotency(RedisIdempotencyStore(line), PEPPER),
        cursors=Cursors(PEPPER),
        trip=lambda: Pipeline(line),
        store_errors=(LostConnection, LateAnswer),
        full_errors=(StoreFull,),
        limits=limits or Limits(max_wait_s=2.0),
        rules_text=lambda game, language: f"# {game} ({language})",
        round_trips=lambda: line.round_trips,
        rate_storage=redis_rates.URI,
        rate_options={"redis": line},
    )


def refused(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """Check a refusal and return its problem document."""
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json"), answer.text
    problem: dict[str, Any] = answer.json
    assert (problem["status"], problem["code"]) == (status, code), problem
    assert problem["request_id"] == answer.headers["X-Request-Id"]
    assert "Traceback" not in answer.text
    return problem


@dataclass
class Person:
    """A client with a token."""

    client: FlaskClient
    name: str
    token: str
    id: str = ""

    def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> TestResponse:
        """Send a request."""
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        if body is not None:
            more["json"] = body
        return self.client.open(path, method=method, headers=headers, **more)


@dataclass
class ApiWorld:
    """An application, with ways to create owners, bots and matches."""

    app: Flask
    services: Services
    client: FlaskClient

    def owner(self) -> Person:
        """Create an owner."""
        name = f"owner-{next(_NUMBERS)}"
        said = self.client.post("/v1/owners", json={"name": name})
        assert said.status_code == 201, said.text
        return Person(self.client, name, said.json["token"], said.json["owner"]["id"])

    def admin(self) -> Person:
        """Return the admin."""
        return Person(self.client, "admin", ADMIN_TOKEN)

    def bot(self, owner: Person | None = None) -> Person:
        """Create a bot, of a new owner by default."""
        owner = owner or self.owner()
        said = owner("POST", "/v1/bots", {"name": f"bot-{next(_NUMBERS)}"})
        assert said.status_code == 201, said.text
        return Person(self.client, said.json["bot"]["bot"], said.json["token"], said.json["bot"]["id"])

    def match(self, bot: Person, *others: str | None, **more: Any) -> dict[str, Any]:
        """Create a match against these bots, by default `house/random`."""
        body = {"game": "durak", "seats": [bot.name, *(others or ["house/random"])], **more}
        said = bot("POST", "/v1/matches", body)
        assert said.status_code == 201, said.text
        found: dict[str, Any] = said.json
        return found

    def turn(self, bot: Person) -> dict[str, Any]:
        """Return the bot's first open turn."""
        said = bot("GET", "/v1/turns?wait=2")
        assert said.status_code == 200, said.text
        found: dict[str, Any] = said.json["turns"][0]
        return found

    def started(self) -> tuple[Person, dict[str, Any]]:
        """Return a bot in a running match, and its turn."""
        bot = self.bot()
        self.match(bot)
        return bot, self.turn(bot)


@pytest.fixture(scope="session")
def composed(redis_url: str) -> tuple[Flask, Services]:
    """One application for all tests."""
    services = compose(redis_url)
    app = create_app(services)
    app.test_client_class = CheckedClient
    return app, services


@pytest.fixture
def world(composed: tuple[Flask, Services], redis_client: redis.Redis) -> ApiWorld:
    """The application over an emptied Redis."""
    app, services = composed
    # A key notes in Redis since when it signs, once: this Redis has not heard of it.
    services.proofs = Proofs(services.proofs.chain, services.proofs.key)
    # The heartbeat of a serving process; without one, service time stands still.
    services.referee.store.beat()
    return ApiWorld(app, services, app.test_client())
