"""This release with data of the previous one, and with data in an unknown format."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from kozyr_client import Client
from referee.storage.redis_data_version import KEY, MAJOR, MINOR
from tests.support.live import ROOT, LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

KEPT = Path(__file__).parent.parent / "data" / "release-0.1.0"
"""Written by `tests/data/write_data_folder.py` with the code of that release."""
REFUSED = f"have format 2.0, and this release reads {MAJOR}.x"


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads((KEPT / "expected.json").read_text())


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, expected: Any) -> Iterator[LiveService]:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "var" / "redis").mkdir(parents=True)
    for name in ("appendonly.aof", "server-version"):
        shutil.copy(KEPT / name, folder / "var" / "redis" / name)
    with LiveService(folder, ["redis", "api"], settings=expected["settings"]) as running:
        yield running


RENAMED = {
    "records": {"remarks": "annotations", "what": "kind"},
    "rounds": {
        "made": "handled",
        "to_make": "remaining",
        "over": "finished",
        "left_out": "excluded",
        "jobs_before": "jobs_ahead",
    },
    "seasons": {"began": "started", "over": "complete"},
}
"""Names of fields that have changed since then, by what is listed."""


def kept(old: Any, new: Any, where: str = "") -> None:
    """Assert that every field of the previous release has the same value. New fields may exist."""
    if isinstance(old, dict):
        renamed = RENAMED.get(where.partition(".")[0].partition("[")[0], {})
        for name in old.keys() - {"cursor", "adjusted"}:
            kept(old[name], new[renamed.get(name, name)], f"{where}.{name}")
    elif isinstance(old, list):
        assert len(old) == len(new), where
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            kept(one, other, f"{where}[{number}]")
    else:
        assert old == new, where


def test_all_data_of_the_previous_release_can_be_read(service: LiveService, expected: Any) -> None:
    with service.http() as http:
        matches = http.get("/v1/matches?limit=200").json()["matches"]
        assert sorted(match["id"] for match in matches) == expected["matches"]
        records = [json.loads(line) for line in http.get("/v1/records").text.splitlines()]
        kept(expected["records"], {record["id"]: record for record in records}, "records")
        assert {record["game"] for record in records} == {"durak", "kryt", "svoi_kozyri", "king"}
        (void,) = (record["id"] for record in records if record.get("annotations"))
        assert void == expected["void"]
        ladder = f"/v1/ladders/{expected['ladder']}"
        for name in ("standings", "seasons", "rounds"):
            kept(expected[name], http.get(f"{ladder}/{name}").json(), name)
        kept(expected["ratings"], http.get("/v1/ratings?preset=durak/2").json(), "ratings")
        for bot in expected["bots"]:
            history = http.get(f"/v1/bots/{bot}/ratings/history?preset=durak/2").json()["history"]
            assert len(history) == 6


def test_records_of_the_previous_release_verify(service: LiveService) -> None:
    done = CliRunner().invoke(main, ["verify", f"{service.url}/v1/records", "--whole"])
    assert done.exit_code == 0, done.output


def test_a_match_begun_under_the_previous_release_is_played_to_the_end(
    service: LiveService, expected: Any
) -> None:
    match, tokens = expected["running"]["match"], [bot["token"] for bot in expected["bots"].values()]
    with service.http() as http:
        assert http.get(f"/v1/matches/{match}").json()["turn"] == expected["running"]["turn"]
        for _ in range(1000):
            for token in tokens:
                with Client(service.url, token) as client:
                    for turn in client.turns()["turns"]:
                        client.move(turn["match"], turn["observation"]["legal_moves"][0], turn=turn["turn"])
            if http.get(f"/v1/matches/{match}").json()["status"] == "finished":
                break
        assert http.get(f"/v1/matches/{match}/record").json()["ending"] == "rules"
    done = CliRunner().invoke(main, ["verify", f"{service.url}/v1/matches/{match}/record"])
    assert done.exit_code == 0, done.output


def kozyr(service: LiveService, *words: str, **more: str | None) -> subprocess.CompletedProcess[str]:
    """Run a command in the environment of the service's processes, updated with `more`."""
    environment = {
        name: value for name, value in {**service.environment, **more}.items() if value is not None
    }
    command = [sys.executable, "-m", "kozyr.cli.main", *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_version_of_the_data_is_stored(service: LiveService) -> None:
    with service.redis() as redis:
        assert redis.get(KEY) == f"{MAJOR}.{MINOR}".encode()
    done = kozyr(service, "data")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"format {MAJOR}.{MINOR}"), done.stderr


def test_every_process_refuses_data_of_a_newer_major_version(tmp_path: Path) -> None:
    with LiveService(tmp_path, ["redis"]) as service:
        with service.redis() as redis:
            redis.set(KEY, "2.0")
        for command in ("api", "clock", "worker", "audit", "data", "up"):
            done = kozyr(service, command)
            assert (done.returncode, done.stderr.count(REFUSED)) == (2, 1), (command, done.stderr)
            assert "Traceback" not in done.stderr
        with service.redis() as redis:
            assert redis.get(KEY) == b"2.0"
        service.terminate("redis")
        done = kozyr(service, "up", "--no-demo", KOZYR_REDIS_URL=None)
        assert (done.returncode, done.stderr.count(REFUSED)) == (2, 1), done.stderr


def test_a_running_api_exits_when_redis_returns_with_newer_data(tmp_path: Path) -> None:
    with LiveService(tmp_path, ["redis", "api"]) as service:
        with service.redis() as redis:
            eventually(lambda: redis.client_list(_type="pubsub"), "the API listens")
            redis.set(KEY, "2.0")
            redis.client_kill_filter(_type="pubsub")
        service.wait_for_end("api", within=30)
        assert REFUSED in service.log("api")
