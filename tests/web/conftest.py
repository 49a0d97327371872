"""The site and the API over the tests' Redis, and visitors with cookies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from api.services import Services
from records.match import views
from records.match.move_requests import MoveRequest
from server.app import new_site, rules_text
from tests.api.conftest import ApiWorld, Person, compose
from web.site import install

LANGUAGES = ("en", "ru")


@dataclass
class Visitor:
    """A browser without scripts: it keeps cookies and sends the forms that it finds."""

    client: FlaskClient
    language: str = "en"

    def get(self, path: str, **more: Any) -> TestResponse:
        """Request a page."""
        headers = {"Accept": "text/html", "Accept-Language": self.language, **more.pop("headers", {})}
        return self.client.get(path, headers=headers, **more)

    def page(self, path: str) -> str:
        """Return a page that must be there."""
        found = self.get(path)
        assert found.status_code == 200, found.text
        return found.text

    def send(self, page: str, action: str, fields: Mapping[str, Any] | None = None) -> TestResponse:
        """Send the form with this action on this page."""
        code = re.search(r'name="code" value="(\w+)"', self.page(page))
        assert code is not None, f"{page} has no form"
        return self.post(action, {"code": code[1], **(fields or {})})

    def post(self, action: str, fields: Mapping[str, Any], **headers: str) -> TestResponse:
        """Send fields to an address."""
        headers = {"Accept": "text/html", "Accept-Language": self.language, **headers}
        return self.client.post(action, data=fields, headers=headers)


@pytest.fixture(scope="session")
def site(redis_url: str) -> tuple[Flask, Services]:
    """One application for all tests."""
    services = compose(redis_url)
    services.rules_text = rules_text
    app = create_app(services)
    install(app, new_site())
    return app, services


@pytest.fixture
def world(site: tuple[Flask, Services], redis_client: redis.Redis) -> ApiWorld:
    """The application over an emptied Redis."""
    app, services = site
    services.referee.store.heartbeat()
    services.service.keep()
    return ApiWorld(app, services, app.test_client())


@pytest.fixture
def visitor(world: ApiWorld) -> Visitor:
    """A visitor without cookies."""
    return Visitor(world.app.test_client())


def play_on(world: ApiWorld, match: str) -> None:
    """Play a match to its end, people's seats by their first legal moves and without pages."""
    referee = world.services.referee
    while (loaded := referee.look(match)).progress.ending is None:
        seat = loaded.progress.to_move
        assert seat is not None
        person = loaded.config.seats[seat]
        assert person is not None
        move = views.observation(loaded, seat)["legal_moves"][0]
        referee.moves.move(person.id, MoveRequest(match, move, loaded.progress.turn))


@dataclass
class Played:
    """A ladder with a played round."""

    ladder: str
    match: str


@pytest.fixture
def played(world: ApiWorld) -> Played:
    """A rated Durak ladder of the two house bots with one round."""
    owner = world.owner()
    ladder = played_ladder(world, owner, name="Турнир <b>&amp;", repeats=3)
    return Played(ladder, owner("GET", "/v1/matches").json["matches"][0]["id"])


def played_ladder(world: ApiWorld, owner: Person, **settings: object) -> str:
    """Return a Durak ladder of the two house bots that has played a round."""
    more = {"name": "Cup", "decks": "rotated", **settings}
    address = world.ladder(owner, "house/greedy", "house/random", **more)
    world.play_round(owner, address)
    for preset in world.services.ratings.store.presets():
        world.services.ratings.catch_up(preset)
    return address.rpartition("/")[2]


class Elements(HTMLParser):
    """The start tags of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def addresses(self) -> list[str]:
        """Return every address that the page refers to."""
        names = ("href", "src", "action")
        return [
            attributes[name] or "" for _, attributes in self.found for name in names if name in attributes
        ]
