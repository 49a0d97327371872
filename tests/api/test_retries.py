"""A repeated request creates nothing twice, although its first process died after the commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import redis as redis_py

from redisio.connection import Redis
from redisio.errors import NotReplicated
from tests.api.conftest import ApiWorld, Person, refused
from tests.api.test_seasons import with_a_round

Request = tuple[Person, str, Any]
HEAD = {"Idempotency-Key": "the-key-of-a-request-that-was-lost"}


def rotation(world: ApiWorld) -> Request:
    owner = world.owner()
    about = owner("POST", "/v1/tokens", {"bot": None}).json["details"]
    return owner, f"/v1/tokens/{about['id']}/rotate", {"overlap_s": 60}


REQUESTS: dict[str, Callable[[ApiWorld], Request]] = {
    "owner": lambda world: (Person(world.client, "", ""), "/v1/owners", {"name": "lost"}),
    "bot": lambda world: (world.owner(), "/v1/bots", {"name": "lost"}),
    "token": lambda world: (world.owner(), "/v1/tokens", {"bot": None}),
    "rotation": rotation,
    "match": lambda world: (
        world.owner(),
        "/v1/matches",
        {"game": "durak", "seats": ["house/random", None]},
    ),
    "group": lambda world: (
        world.owner(),
        "/v1/groups",
        {"game": "durak", "kind": "rotated", "bots": ["house/random", "house/greedy"]},
    ),
    "ladder": lambda world: (
        world.owner(),
        "/v1/ladders",
        {"name": "A ladder", "game": "durak", "seats": 2},
    ),
    "round": lambda world: (
        (owner := world.owner()),
        world.ladder(owner, "house/random", "house/greedy") + "/rounds",
        None,
    ),
    "season": lambda world: ((owner := world.owner()), with_a_round(world, owner) + "/seasons", None),
    "invitation": lambda world: (world.admin(), "/v1/invitations", {"expires_in_s": 60}),
    "owner token": lambda world: (
        world.admin(),
        f"/v1/owners/{world.owner().name}/replace-token",
        {"reason": "lost"},
    ),
    "webhook": lambda world: (world.owner(), "/v1/webhooks", {"url": "https://hooks.example.com/kozyr"}),
    "admin": lambda world: (world.admin(), "/v1/admins", {"name": "ann"}),
}


@pytest.mark.parametrize("what", REQUESTS)
def test_a_repeated_request_returns_what_a_dead_process_created(
    world: ApiWorld, redis_client: redis_py.Redis, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    person, path, body = REQUESTS[what](world)
    with monkeypatch.context() as patch:
        patch.setattr(Redis, "confirm", lambda _: pytest.fail("nothing was created before"))
        patch.setattr(world.services.idempotency, "finish", lambda *_: None)
        lost = person("POST", path, body, headers=HEAD)
    assert lost.status_code == 201, lost.text
    everything = existing(redis_client)
    early = person("POST", path, body, headers=HEAD)
    assert early.json["code"] == "idempotency_key_in_flight"
    assert early.json["retry_ms"] <= 2_000
    (key,) = redis_client.keys("kozyr:idempotency:*")
    redis_client.hset(key, "until", 1)  # its lease ends
    with monkeypatch.context() as patch:
        patch.setattr(Redis, "confirm", unconfirmed)
        refused(person("POST", path, body, headers=HEAD), 503, "store_unavailable")
    redis_client.hset(key, "until", 1)
    again = person("POST", path, body, headers=HEAD)
    assert again.status_code == 201, again.text
    assert without_instants(again.json) == without_instants(lost.json)
    assert existing(redis_client) == everything
    replayed = person("POST", path, body, headers=HEAD)
    assert replayed.headers["Idempotency-Replayed"] == "true"


def test_a_repeated_request_does_not_create_what_another_created_meanwhile(
    world: ApiWorld, redis_client: redis_py.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies after it reserved the number of the round, and before it opens it."""
    owner = world.owner()
    address = world.ladder(owner, "house/random", "house/greedy")
    with monkeypatch.context() as patch:
        patch.setattr(world.services.rounds, "start", ends)
        with pytest.raises(SystemExit):
            owner("POST", address + "/rounds", headers=HEAD)
    other = owner("POST", address + "/rounds").json
    (key,) = redis_client.keys("kozyr:idempotency:*")
    redis_client.hset(key, "until", 1)
    again = owner("POST", address + "/rounds", headers=HEAD)
    assert (again.status_code, again.json) == (201, other)


def ends(*_: Any) -> None:
    raise SystemExit


def unconfirmed(*_: object) -> None:
    raise NotReplicated


def existing(redis_client: redis_py.Redis) -> set[bytes]:
    """Return the keys of everything that requests create."""
    beside = (b"idempotency", b"rate", b"LIMITS", b"audit")
    return {key for key in redis_client.keys("*") if not any(word in key for word in beside)}


def without_instants(body: Any) -> Any:
    """Remove instants from a document, because a second attempt comes later."""
    if isinstance(body, dict):
        when = ("created", "updated", "expires", "open_until", "now")
        return {name: without_instants(each) for name, each in body.items() if name not in when}
    return [without_instants(each) for each in body] if isinstance(body, list) else body
