"""Real Redis servers for all tests: a plain one and a one-node cluster, each started on demand."""

from __future__ import annotations

import contextlib
import gc
import secrets
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from hypothesis import settings
from redis.cluster import RedisCluster

from records.ids import use_buckets
from records.names import learn
from redisio.connection import Redis
from server.embedded import EmbeddedRedis
from tests.support import redis_server
from tests.support.cluster_node import ClusterNode
from tests.support.live import LiveService

# No example has a time limit: no test depends on the machine's speed. `make quick`: the laws take few examples.
settings.register_profile("unhurried", max_examples=40, deadline=None)
settings.register_profile("quick", max_examples=3, deadline=None)
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # a worker of xdist inherits the choice
        redis_server.choose(config)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect 10,000 tests without the collector of garbage, which takes a third of that time and finds none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a module that generates requests while pytest collects it, unless its tests were asked for."""
    generates = collection_path.parts[-2:] == ("live", "test_document.py")
    return True if generates and "not ci" in config.option.markexpr else None


def pytest_report_header() -> str:
    return redis_server.described()


@pytest.fixture(autouse=True)
def one_bucket() -> None:
    """Let ids have the bucket of a single server, whatever an earlier test used."""
    use_buckets(1)


@pytest.fixture(autouse=True)
def no_renamed_names() -> Iterator[None]:
    """Let the next test begin without the present names that this one has learned (`records.names`)."""
    yield
    learn({})


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The address of a plain redis-server."""
    with tempfile.TemporaryDirectory(prefix="kozyr-test-") as folder:
        server = EmbeddedRedis(Path(folder) / "redis", appendfsync="no").start()
        yield server.url
        server.stop()


@pytest.fixture(scope="session")
def redis_cluster_url() -> Iterator[str]:
    """The address of a redis-server with `cluster-enabled` that has all slots."""
    with tempfile.TemporaryDirectory(prefix="kozyr-test-") as folder:
        server = ClusterNode(Path(folder) / "redis").start()
        yield server.url
        server.stop()


@pytest.fixture
def redis_client(redis_url: str) -> Iterator[redis.Redis]:
    """A connection to the plain server, flushed before the test."""
    with contextlib.closing(redis.Redis.from_url(redis_url, protocol=2)) as client:
        client.flushall()
        yield client


@pytest.fixture
def plain_redis(redis_url: str) -> Iterator[Redis]:
    """Our own connection to the plain server, flushed before the test."""
    with contextlib.closing(Redis(redis_url)) as opened:
        opened.one("FLUSHALL")
        yield opened


@pytest.fixture
def redis_cluster_client(redis_cluster_url: str) -> Iterator[RedisCluster]:
    """A connection to the cluster, flushed before the test."""
    with contextlib.closing(RedisCluster.from_url(redis_cluster_url, protocol=2)) as client:
        client.flushall(target_nodes="primaries")
        yield client


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A live service for all tests that are guests there: each has owners of its own, and changes nothing for others.

    Its clock ticks fast, and a match waits long for its bots.
    """
    settings = {"KOZYR_TICK_MS": "20", "KOZYR_START_MS": "600000", "KOZYR_ADMIN_TOKEN": secrets.token_hex()}
    with LiveService(tmp_path_factory.mktemp("shared"), settings=settings) as service:
        yield service


@pytest.fixture
def live_service(tmp_path: Path) -> Iterator[Callable[..., LiveService]]:
    """A function that starts a `LiveService`. All services stop after the test."""
    with contextlib.ExitStack() as stack:

        def start(*args: Any, **kwargs: Any) -> LiveService:
            return stack.enter_context(LiveService(tmp_path, *args, **kwargs))

        yield start


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the `report` properties that tests recorded."""
    for outcome in ("passed", "failed"):
        for done in terminalreporter.getreports(outcome):
            for name, text in done.user_properties:
                if name == "report":
                    terminalreporter.section(done.nodeid)
                    terminalreporter.line(str(text))
