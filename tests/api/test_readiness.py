"""`/readyz` and `/metrics` report the readiness. tests/referee/test_processes.py covers how it is judged."""

from __future__ import annotations

from dataclasses import replace

import pytest
import redis
from flask.testing import FlaskClient

from referee.service.processes import Heartbeat, Process, ProcessKind
from referee.service.readiness import KnownState, Readiness, Thresholds, judged
from tests.api.conftest import ApiWorld, metrics_of, world_of

API = Heartbeat(Process(ProcessKind.API, 1, "aaaaaa", "a-host-of-ours"), 96, 96)
CLOCK = Heartbeat(Process(ProcessKind.CLOCK, 2, "bbbbbb", "a-host-of-ours"), 8_214, None)
WORKER = Heartbeat(Process(ProcessKind.WORKER, 3, "cccccc", "a-host-of-ours"), 431, None)


def readiness(vitals: KnownState) -> Readiness:
    return judged(vitals, Thresholds(silent_ms=5_000, old_job_ms=30_000), "kozyr")


def asked(world: ApiWorld, vitals: KnownState) -> FlaskClient:
    """Return a client of a service with this readiness."""
    return world_of(replace(world.services, readiness=lambda: readiness(vitals))).client


def test_a_service_that_can_t_play_matches_says_why_and_names_no_host(world: ApiWorld) -> None:
    client = asked(world, KnownState(heartbeats=[API, CLOCK, WORKER], oldest_jobs={"kozyr": 1_500}))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json == {
        "ready": False,
        "degraded": True,
        "service": "running",
        "parts": {"redis": True, "writes": True, "api": True, "clock": False, "worker": True},
        "problems": ["clock-2-bbbbbb has been silent for 8.2 s"],
        "warnings": [],
        "heartbeats": {"api-1-aaaaaa": 96, "clock-2-bbbbbb": 8_214, "worker-3-cccccc": 431},
        "oldest_jobs": {"kozyr": 1_500},
    }
    text = metrics_of(client.application)
    assert "kozyr_ready 0.0" in text
    assert 'kozyr_heartbeat_age_seconds{kind="clock",process="clock-2-bbbbbb"} 8.214' in text
    assert 'kozyr_oldest_job_age_seconds{queue="kozyr"} 1.5' in text


def test_a_service_that_is_degraded_is_ready(world: ApiWorld) -> None:
    late = CLOCK._replace(age_ms=900)
    client = asked(world, KnownState(heartbeats=[API, late, WORKER], oldest_jobs={"kozyr": 42_000}))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["ready"], answer.json["degraded"]) == (200, True, True)
    assert "kozyr_ready 1.0" in metrics_of(client.application)


@pytest.mark.usefixtures("redis_client")
def test_readyz_makes_no_round_trip(world: ApiWorld, redis_client: redis.Redis) -> None:
    client = asked(world, KnownState("Redis does not answer", store_answers=False))
    before = redis_client.info("commandstats")
    client.get("/readyz")
    after = redis_client.info("commandstats")
    assert {name for name in after if after[name] != before.get(name)} <= {"cmdstat_info"}
