"""A process says in one sentence that Redis refuses it, and ends, if waiting would not help."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from redisio.connection import Redis
from referee.storage.redis_data_version import claim_secret
from server.app import build_app
from server.config.settings import Settings
from server.stored_data import MAY_LOSE_WRITES, claim_first, connected
from tests.support.clustered import ClusteredRedis
from tests.support.guarded_redis import QUOTED, RIGHTS, USER, guarded_redis
from tests.support.replicated import ReplicatedRedis

SECRET = "s" * 32
WITHIN_S = 120


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a Redis that requires a password, and has the data of a service with `SECRET`."""
    with guarded_redis(tmp_path_factory.mktemp("guarded"), *RIGHTS) as port:
        with closing(Redis(f"redis://{USER}:{QUOTED}@127.0.0.1:{port}")) as redis:
            claim_secret(redis, SECRET)
        yield port


def refusal(kind: str, folder: Path, **settings: str) -> str:
    """Start a process, which must end with status 2. Return the line that it prints."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("KOZYR_")}
    env |= {"KOZYR_SECRET": SECRET, "KOZYR_VAR": str(folder), **settings}
    done = subprocess.run(
        [sys.executable, "-m", "kozyr", kind],
        env=env,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = (done.stdout + done.stderr).splitlines()
    assert line.startswith("kozyr: ")
    return line


def test_replicas_for_which_no_write_waits_are_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReplicatedRedis(tmp_path) as replicated:
        for wait, warnings in ((0, [MAY_LOSE_WRITES]), (None, [])):
            settings = Settings(
                redis_url=replicated.url, wait_replicas=wait, secret=SECRET, signing_key="0" * 64
            )
            caplog.clear()
            with closing(connected(settings)) as redis:
                claim_first(redis, settings)
            assert caplog.messages == warnings
            assert build_app(settings).test_client().get("/readyz").json["warnings"] == warnings


@pytest.mark.parametrize(
    "kind", ["api", *(pytest.param(kind, marks=pytest.mark.ci) for kind in ("clock", "worker"))]
)
def test_every_process_ends_at_a_wrong_password(port: int, tmp_path: Path, kind: str) -> None:
    line = refusal(kind, tmp_path, KOZYR_REDIS_URL=f"redis://{USER}:wrong@127.0.0.1:{port}")
    assert "can't use the Redis of KOZYR_REDIS_URL: invalid username-password pair" in line


def test_a_wrong_password_of_the_queue(port: int, tmp_path: Path) -> None:
    good, wrong = (f"redis://{USER}:{password}@127.0.0.1:{port}" for password in (QUOTED, "wrong"))
    line = refusal("worker", tmp_path, KOZYR_REDIS_URL=good, KOZYR_QUEUE_REDIS_URL=wrong)
    assert "can't use the Redis of KOZYR_QUEUE_REDIS_URL: invalid username-password pair" in line


def test_another_secret(port: int, tmp_path: Path) -> None:
    url = f"redis://{USER}:{QUOTED}@127.0.0.1:{port}"
    line = refusal("clock", tmp_path, KOZYR_REDIS_URL=url, KOZYR_SECRET="t" * 32)
    assert "another KOZYR_SECRET: use the same secret on every host" in line


@pytest.mark.ci
def test_a_sentinel_address_that_names_no_sentinel(port: int, tmp_path: Path) -> None:
    login = f"{USER}:{QUOTED}"
    query = f"sentinel_username={USER}&sentinel_password={QUOTED}"
    url = f"redis+sentinel://{login}@127.0.0.1:{port}/kozyr?{query}"
    assert "a server there is no Sentinel" in refusal("clock", tmp_path, KOZYR_REDIS_URL=url)


@pytest.mark.ci
def test_a_cluster_address_that_names_no_cluster(port: int, tmp_path: Path) -> None:
    url = f"redis://default:x@127.0.0.1:{port}"
    settings = {"KOZYR_REDIS_CLUSTER": "yes", "KOZYR_QUEUE_REDIS_URL": url}
    line = refusal("clock", tmp_path, KOZYR_REDIS_URL=url, **settings)
    assert f"tried 127.0.0.1:{port} (" in line


@pytest.mark.ci
def test_a_node_of_a_cluster_without_the_setting(tmp_path: Path) -> None:
    with ClusteredRedis(tmp_path, replicated=False) as cluster:
        line = refusal("clock", tmp_path, KOZYR_REDIS_URL=cluster.url)
    assert line == "kozyr: KOZYR_REDIS_URL names a node of a Redis Cluster: set KOZYR_REDIS_CLUSTER=yes"


def test_an_address_of_another_server(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"redis://127.0.0.1:{server.server_port}"
        line = refusal("clock", tmp_path, KOZYR_REDIS_URL=url)
        server.shutdown()
    assert "can't use the Redis of KOZYR_REDIS_URL: Protocol error" in line
