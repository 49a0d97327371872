"""Context managers that bring a real Redis into a state in which it refuses to serve."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from types import MappingProxyType
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.exceptions import BusyLoadingError, ConnectionError, RedisError, ResponseError  # noqa: A004 - Redis's
from redis.retry import Retry

from server.embedded import EmbeddedRedis
from tests.support.waiting import eventually


class HarmedRedis(EmbeddedRedis):
    """A Redis for these tests. `more` is configuration for its next start."""

    more: Mapping[str, str] = MappingProxyType({})

    def _configuration(self) -> dict[str, str]:
        return {**super()._configuration(), **self.more}


@contextmanager
def full(server: EmbeddedRedis) -> Iterator[None]:
    """OOM: no memory is left, and no key may be evicted."""
    with _configured(server, maxmemory="1"):
        yield


@contextmanager
def replica(server: EmbeddedRedis) -> Iterator[None]:
    """READONLY: another server has become the master."""
    with _nobodys_replica(server):
        yield


@contextmanager
def orphan(server: EmbeddedRedis) -> Iterator[None]:
    """MASTERDOWN: the master is unreachable, and stale data must not be served."""
    with _configured(server, replica_serve_stale_data="no"), _nobodys_replica(server):
        yield


@contextmanager
def lonely(server: EmbeddedRedis) -> Iterator[None]:
    """NOREPLICAS: too few replicas for a write."""
    with _configured(server, min_replicas_to_write="1"):
        yield


@contextmanager
def unsaved(server: HarmedRedis) -> Iterator[None]:
    """MISCONF: the snapshot can't be saved, because a folder has the name of its file."""
    taken = server.folder / "dump.rdb"
    taken.mkdir()
    try:
        with _configured(server, save="3600 1"), closing(server.client()) as client:
            command: Callable[..., Any] = client.execute_command
            command("BGSAVE")
            eventually(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err", "saving fails")
            yield
    finally:
        taken.rmdir()


@contextmanager
def busy(server: EmbeddedRedis) -> Iterator[None]:
    """BUSY: a script does not end."""
    with _configured(server, lua_time_limit="1"), closing(server.client()) as client:
        endless = _in_a_thread(server, "EVAL", "while true do end", 0)
        eventually(lambda: _refuses(client, ResponseError), "the script runs")
        try:
            yield
        finally:
            command: Callable[..., Any] = client.execute_command
            command("SCRIPT KILL")
            endless.join(60)


@contextmanager
def loading(server: HarmedRedis) -> Iterator[None]:
    """LOADING: the server has restarted and is loading a large file."""
    with closing(redis.Redis.from_url(server.url, protocol=2, retry=Retry(NoBackoff(), 0))) as client:
        pipeline = client.pipeline(transaction=False)
        for number in range(100_000):
            pipeline.set(f"filler:{number}", "")
        pipeline.execute()
        server.stop()
        server.more = {"key-load-delay": "100"}
        server.launch()
        try:
            eventually(lambda: _refuses(client, BusyLoadingError), "the server is loading")
            yield
        finally:
            server.kill()
            server.more = {}
            server.start()


@contextmanager
def without_slots(url: str) -> Iterator[None]:
    """CLUSTERDOWN: no node of the cluster has the slots."""
    with closing(redis.Redis.from_url(url, protocol=2)) as client:
        command: Callable[..., Any] = client.execute_command
        client.config_set("cluster-node-timeout", 500)  # also the delay until the cluster is ok again
        command("CLUSTER DELSLOTS", *range(SLOTS))
        try:
            yield
        finally:
            command("CLUSTER ADDSLOTS", *range(SLOTS))
            eventually(lambda: command("CLUSTER INFO")["cluster_state"] == "ok", "the cluster is back")


TROUBLES: Mapping[str, Callable[[HarmedRedis], AbstractContextManager[None]]] = {
    "OOM": full,
    "READONLY": replica,
    "MASTERDOWN": orphan,
    "NOREPLICAS": lonely,
    "MISCONF": unsaved,
    "BUSY": busy,
    "LOADING": loading,
}
"""The states by Redis's error code."""


@contextmanager
def _configured(server: EmbeddedRedis, **values: str) -> Iterator[None]:
    with closing(server.client()) as client:
        names = {name.replace("_", "-"): value for name, value in values.items()}
        before = {name: client.config_get(name)[name] for name in names}
        for name, value in names.items():
            client.config_set(name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                client.config_set(name, value)


@contextmanager
def _nobodys_replica(server: EmbeddedRedis) -> Iterator[None]:
    with closing(server.client()) as client:
        command: Callable[..., Any] = client.execute_command
        command("REPLICAOF", "127.0.0.1", "1")
        try:
            yield
        finally:
            command("REPLICAOF", "NO", "ONE")


def _in_a_thread(server: EmbeddedRedis, *words: Any) -> threading.Thread:
    def run() -> None:
        with closing(redis.Redis.from_url(server.url, protocol=2, socket_timeout=None)) as client:
            command: Callable[..., Any] = client.execute_command
            with suppress(ResponseError):  # the script that was killed
                command(*words)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def _refuses(client: redis.Redis, how: type[RedisError]) -> bool:
    try:
        client.ping()
    except how:
        return True
    except ConnectionError:
        pass  # the server does not listen yet
    return False
