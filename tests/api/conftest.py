"""The API over the tests' Redis, and clients with tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from api.services import Limits, Services
from league.container.options import ContainerOptions
from records.match.loaded_match import LoadedMatch
from records.match.players import Players
from redisio.connection import Redis
from referee.polling.redis import WakeupListener
from referee.proofs.proof import Proofs, SigningKey
from referee.storage.store import OutboxKind
from tests.api.contract import CheckedClient
from tests.support.league import AtRandom, RecordedJobs

PEPPER = "a pepper of the tests that nobody else has"
ADMIN_TOKEN = "the admin's own text, of more than sixteen characters"
_NUMBERS = count(1)


JOBS = RecordedJobs()
"""The job queue of all applications."""
HOUSE = {name: AtRandom(name) for name in ("greedy", "random")}


class ApiContainer(Services):
    """A league for the API, whose commits wake its own waiting polls."""

    def on_changed(self, changed: Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]) -> None:
        super().on_changed(changed)
        for match, _ in changed:
            self.hub.wake(match.id, *(seat.id for seat in match.config.seats if seat is not None))


def compose(
    url: str,
    limits: Limits | None = None,
    *,
    timeout: float = 5.0,
    cluster: bool = False,
    wait_replicas: int = 0,
    monotonic: Callable[[], float] = time.monotonic,
    players: Players = HOUSE,
    rng: Random | None = None,
) -> Services:
    """Return the services of an API over this Redis. The referee reads `monotonic`, and house bots `rng`."""
    return ApiContainer(
        ContainerOptions(
            connect=lambda: Redis(url, cluster=cluster, timeout=timeout, wait_replicas=wait_replicas),
            secret=PEPPER,
            signing_key=lambda: SigningKey(b"k" * 32),
            jobs=lambda: JOBS,
            players=players,
            thinkers={},
            admin_token=ADMIN_TOKEN,
            monotonic=monotonic,
            rng=rng,
            recent_s=0.0,
        ),
        limits or Limits(max_wait_s=2.0, max_stream_s=0.2),
        rules_text=lambda game, language: f"# {game} ({language})",
    )


def refused(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """Check a refusal and return its problem document."""
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json"), answer.text
    problem: dict[str, Any] = answer.json
    assert (problem["status"], problem["code"]) == (status, code), problem
    assert problem["request_id"] == answer.headers["X-Request-Id"]
    assert "Traceback" not in answer.text
    return problem


def legal(turn: dict[str, Any], /, **more: Any) -> dict[str, Any]:
    """Return the body of the first legal move of a turn."""
    return {"turn": turn["turn"], "move": turn["observation"]["legal_moves"][0], **more}


def metrics_of(app: Flask) -> str:
    """Return the text of an application's metrics."""
    text: bytes = app.extensions["kozyr-metrics"].text()
    return text.decode()


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

    def turns(self) -> list[dict[str, Any]]:
        """Return the bot's open turns."""
        found: list[dict[str, Any]] = self("GET", "/v1/turns").json["turns"]
        return found

    def move(self, turn: dict[str, Any], /, **more: Any) -> dict[str, Any]:
        """Make the first legal move of a turn. Return the response."""
        response = self("POST", f"/v1/matches/{turn['match']}/moves", legal(turn, **more))
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json
        return found


@dataclass
class ApiWorld:
    """An application, with ways to create owners, bots and matches."""

    app: Flask
    services: Services
    client: FlaskClient

    def metrics(self) -> str:
        """Return the text of the metrics."""
        return metrics_of(self.app)

    def owner(self) -> Person:
        """Create an owner."""
        name = f"owner-{next(_NUMBERS)}"
        response = self.client.post("/v1/owners", json={"name": name})
        assert response.status_code == 201, response.text
        return Person(self.client, name, response.json["token"], response.json["owner"]["id"])

    def admin(self) -> Person:
        """Return the admin."""
        return Person(self.client, "admin", ADMIN_TOKEN)

    def bot(self, owner: Person | None = None) -> Person:
        """Create a bot, of a new owner by default."""
        owner = owner or self.owner()
        response = owner("POST", "/v1/bots", {"name": f"bot-{next(_NUMBERS)}"})
        assert response.status_code == 201, response.text
        return Person(
            self.client, response.json["bot"]["bot"], response.json["token"], response.json["bot"]["id"]
        )

    def match(self, bot: Person, *others: str | None, **more: Any) -> dict[str, Any]:
        """Create a match against these bots, by default `house/random`."""
        body = {"game": "durak", "seats": [bot.name, *(others or ["house/random"])], **more}
        response = bot("POST", "/v1/matches", body)
        assert response.status_code == 201, response.text
        found: dict[str, Any] = response.json
        return found

    def turn(self, bot: Person) -> dict[str, Any]:
        """Return the bot's first open turn."""
        response = bot("GET", "/v1/turns?wait=2")
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json["turns"][0]
        return found

    def ladder(self, owner: Person, *bots: Person | str, **more: Any) -> str:
        """Create a ladder, and enter these bots of any owner. Return its path."""
        body = {"name": "A ladder", "game": "durak", "seats": 2, "check": False, **more}
        made = owner("POST", "/v1/ladders", body)
        assert made.status_code == 201, made.text
        for bot in bots:
            name = bot if isinstance(bot, str) else bot.name
            self.services.ladders.enter(made.json["id"], self.services.accounts.bot(*name.split("/")))
        return f"/v1/ladders/{made.json['id']}"

    def work(self, ladder: str, number: int) -> None:
        """Work on a round of the ladder with this path until nothing is left to do now."""
        while self.services.rounds.work(ladder.rpartition("/")[2], number, 60.0):
            pass

    def play_round(self, owner: Person, ladder: str) -> int:
        """Start a round, work on it and return its number."""
        made = owner("POST", f"{ladder}/rounds")
        assert made.status_code == 201, made.text
        number: int = made.json["number"]
        self.work(ladder, number)
        return number

    def started(self) -> tuple[Person, dict[str, Any]]:
        """Return a bot in a running match, and its turn."""
        bot = self.bot()
        self.match(bot)
        return bot, self.turn(bot)


def world_of(services: Services) -> ApiWorld:
    """Return an application of its own over these services, whose responses are checked."""
    app = create_app(services)
    app.test_client_class = CheckedClient
    services.referee.store.heartbeat()
    return ApiWorld(app, services, app.test_client())


@pytest.fixture(scope="session")
def composed(redis_url: str) -> tuple[Flask, Services]:
    """An application for all tests."""
    world = world_of(compose(redis_url))
    return world.app, world.services


@pytest.fixture
def world(composed: tuple[Flask, Services], redis_client: redis.Redis) -> ApiWorld:
    """The application over an emptied Redis."""
    app, services = composed
    # A key notes in Redis since when it signs, once: this Redis has not heard of it.
    services.proofs = Proofs(services.proofs.chain, services.proofs.key)
    # The heartbeat of a serving process; without one, service time stands still.
    services.referee.store.heartbeat()
    # Refusals of earlier tests, which take the place of later ones in the log.
    app.extensions["kozyr-refusals"].flush(now=True)
    return ApiWorld(app, services, app.test_client())


@pytest.fixture
def composed_long(redis_url: str) -> Iterator[ApiWorld]:
    """An application of its own, whose streams stay open and hear the wake-ups of Redis."""
    redis = Redis(redis_url)
    redis.run([("FLUSHALL",)])
    services = compose(redis_url, Limits(max_wait_s=2.0))
    services.referee.store.heartbeat()
    listener = WakeupListener(services.hub, redis, sweep_s=3600)
    listener.start()
    app = create_app(services)
    yield ApiWorld(app, services, app.test_client())
    listener.stop()
    services.hub.close()


def load_scripts(world: ApiWorld) -> None:
    """Make a move in a match of its own, so that Redis has the scripts of moves."""
    bot, turn = world.started()
    castle = {"turn": turn["turn"], "move": "castle"}
    assert bot("POST", f"/v1/matches/{turn['match']}/moves", castle).status_code == 422
    bot.move(turn)
