"""Near the end of the space, first nothing new is played, and then nothing but moves is accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from referee.errors import StorageFull
from referee.service.admission import LOOK_S, SpaceGate
from referee.service.state import ServiceState, ServiceStatus, Space
from tests.api.conftest import ApiWorld, compose, refused, world_of


class Filling:
    """The state of a service whose store fills up."""

    def __init__(self) -> None:
        self.now = ServiceStatus()
        self.looks = 0

    def status(self) -> ServiceStatus:
        self.looks += 1
        return self.now

    def change(self, state: ServiceState, reason: str) -> ServiceStatus:
        return self.now

    def keep(self) -> ServiceStatus:
        return self.now


@pytest.fixture
def filled(redis_url: str) -> Callable[[ServiceStatus], ApiWorld]:
    """Return a process over the same Redis, in this state."""

    def started(status: ServiceStatus) -> ApiWorld:
        services = compose(redis_url)
        filling = Filling()
        filling.now = status
        services.service = filling
        return world_of(services)

    return started


def creations(world: ApiWorld, match: str) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        ("POST", "/v1/bots", {"name": "another"}),
        ("POST", "/v1/tokens", {}),
        ("POST", "/v1/webhooks", {"url": "https://example.org/hook", "events": ["match.over"]}),
        ("POST", "/v1/ladders", {"name": "Ours", "game": "durak", "seats": 2}),
        ("POST", f"/v1/matches/{match}/reviews", {}),
        ("POST", "/v1/matches", {"game": "durak", "seats": ["house/random", "house/random"]}),
    ]


def test_only_moves_are_accepted_in_the_last_space(
    world: ApiWorld, filled: Callable[[ServiceStatus], ApiWorld]
) -> None:
    owner = world.owner()
    bot, turn = world.started()
    full = filled(ServiceStatus(space=Space.LAST))
    owner.client = bot.client = full.client
    refused(full.client.post("/v1/owners", json={"name": "late"}), 503, "storage_full")
    for method, path, body in creations(full, turn["match"]):
        assert refused(owner(method, path, body), 503, "storage_full")["retryable"] is True, path
    bot.move(turn)
    assert bot("POST", f"/v1/matches/{turn['match']}/resign").status_code == 200
    assert owner("GET", "/v1/owners/me").status_code == 200
    owner.client = filled(ServiceStatus(space=Space.SCARCE)).client  # before that only matches are refused
    *others, (_, path, body) = creations(full, turn["match"])
    refused(owner("POST", path, body), 503, "storage_full")
    assert owner(*others[0]).status_code == 201


def test_the_space_is_read_at_most_once_a_second() -> None:
    service, now = Filling(), 0.0
    gate = SpaceGate(service, lambda: now)
    for _ in range(5):
        gate.check()
    assert service.looks == 1
    service.now = ServiceStatus(space=Space.LAST)
    gate.check()
    now += LOOK_S
    with pytest.raises(StorageFull):
        gate.check()
    service.now = ServiceStatus()
    now += LOOK_S
    gate.check()
