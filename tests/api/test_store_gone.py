"""While Redis is unavailable or refuses commands, the API says so. It recovers with Redis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

import redisio.server
from tests.api.conftest import ApiWorld, compose, legal, refused, world_of
from tests.support.redis_trouble import TROUBLES, HarmedRedis, without_slots


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HarmedRedis]:
    server = HarmedRedis(tmp_path_factory.mktemp("harmed") / "redis", appendfsync="always").start()
    yield server
    server.stop()


def world_on(url: str, *, cluster: bool = False, wait_replicas: int = 0) -> ApiWorld:
    return world_of(compose(url, timeout=1.0, cluster=cluster, wait_replicas=wait_replicas))


@pytest.mark.slow
def test_the_api_recovers_with_redis(server: HarmedRedis) -> None:
    world = world_on(server.url)
    bot, turn = world.started()
    server.stop()
    move = legal(turn)
    path = f"/v1/matches/{turn['match']}/moves"
    for answer in (
        bot("GET", "/v1/turns"),
        bot("POST", path, move),
        bot("POST", "/v1/turns", {}),
        world.client.get("/v1/matches"),
    ):
        problem = refused(answer, 503, "store_unavailable")
        assert problem["retryable"] is True
        assert answer.headers["Retry-After"] == "1"
    assert world.client.get("/healthz").status_code == 200
    server.start()
    world.services.referee.store.heartbeat()
    assert bot("POST", path, move).json["replayed"] is False


def refuses_and_recovers(
    world: ApiWorld, trouble: AbstractContextManager[None], code: str = "store_unavailable"
) -> None:
    """Check that a move is refused as retryable, and made after the recovery."""
    bot, turn = world.started()
    move = legal(turn)
    path = f"/v1/matches/{turn['match']}/moves"
    with trouble:
        for answer in (
            bot("POST", path, move),
            bot("POST", "/v1/turns", {"moves": [{**move, "match": turn["match"]}]}),
            world.client.post("/v1/owners", json={"name": "late"}),
        ):
            problem = refused(answer, 503, code)
            assert problem["retryable"] is True
            assert answer.headers["Retry-After"] == "1"
    world.services.referee.store.heartbeat()
    made = bot("POST", path, move)
    assert made.json["replayed"] is False, "the refusals have changed nothing"


@pytest.mark.parametrize("word", TROUBLES)
def test_a_refusing_redis_gives_503_and_the_move_can_be_repeated(server: HarmedRedis, word: str) -> None:
    code = "storage_full" if word == "OOM" else "store_unavailable"
    refuses_and_recovers(world_on(server.url), TROUBLES[word](server), code)


@pytest.mark.usefixtures("redis_cluster_client")  # it empties the cluster
@pytest.mark.parametrize("client", ["plain", "cluster"])
def test_a_cluster_that_is_down_gives_503_and_the_move_can_be_repeated(
    redis_cluster_url: str, client: str
) -> None:
    refuses_and_recovers(
        world_on(redis_cluster_url, cluster=client == "cluster"), without_slots(redis_cluster_url)
    )


def test_a_script_that_a_server_does_not_keep_is_not_an_internal_error(
    server: HarmedRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = world_on(server.url)
    bot, _ = world.started()
    with monkeypatch.context() as patch:
        patch.setattr(redisio.server, "script_text", lambda _: "return 0")
        server.client().script_flush()
        refused(bot("GET", "/v1/turns"), 503, "store_unavailable")
    assert bot("GET", "/v1/turns").status_code == 200
