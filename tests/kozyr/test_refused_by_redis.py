"""A process says in one sentence that Redis refuses it, and ends, if waiting would not help."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from werkzeug import Response

from redisio.connection import Redis
from referee.storage.redis_data_version import claim_secret
from server.app import build_app
from server.config.settings import Settings
from server.stored_data import MAY_LOSE_WRITES, claim_first, connected
from tests.support.answering import answering
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


PASSWORD_OF = "can't use the Redis of {}: invalid username-password pair"
GOOD, WRONG = (f"redis://{USER}:{password}@127.0.0.1:{{port}}" for password in (QUOTED, "wrong"))
SENTINEL = f"redis+sentinel://{USER}:{QUOTED}@127.0.0.1:{{port}}/kozyr?sentinel_username={USER}"


@pytest.mark.parametrize(
    ("kind", "settings", "why"),
    [
        *(
            pytest.param(kind, {"REDIS_URL": WRONG}, PASSWORD_OF.format("KOZYR_REDIS_URL"), marks=marks)
            for kind, marks in (("api", ()), ("clock", pytest.mark.ci), ("worker", pytest.mark.ci))
        ),
        (
            "worker",
            {"REDIS_URL": GOOD, "QUEUE_REDIS_URL": WRONG},
            PASSWORD_OF.format("KOZYR_QUEUE_REDIS_URL"),
        ),
        ("clock", {"REDIS_URL": GOOD, "SECRET": "t" * 32}, "use the same secret on every host"),
        ("clock", {"REDIS_URL": f"{SENTINEL}&sentinel_password={QUOTED}"}, "a server there is no Sentinel"),
        (
            "clock",
            {"REDIS_URL": WRONG, "QUEUE_REDIS_URL": WRONG, "REDIS_CLUSTER": "yes"},
            "tried 127.0.0.1:{port} (",
        ),
    ],
)
def test_a_process_says_why_redis_refuses_it(
    port: int, tmp_path: Path, kind: str, settings: dict[str, str], why: str
) -> None:
    given = {f"KOZYR_{name}": value.format(port=port) for name, value in settings.items()}
    assert why.format(port=port) in refusal(kind, tmp_path, **given)


@pytest.mark.ci
def test_a_node_of_a_cluster_without_the_setting(tmp_path: Path) -> None:
    with ClusteredRedis(tmp_path, replicated=False) as cluster:
        line = refusal("clock", tmp_path, KOZYR_REDIS_URL=cluster.url)
    assert line == "kozyr: KOZYR_REDIS_URL names a node of a Redis Cluster: set KOZYR_REDIS_CLUSTER=yes"


def test_an_address_of_another_server(tmp_path: Path) -> None:
    with answering(lambda _: Response()) as url:
        line = refusal("clock", tmp_path, KOZYR_REDIS_URL=url.replace("http", "redis"))
    assert "can't use the Redis of KOZYR_REDIS_URL: Protocol error" in line
