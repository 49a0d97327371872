"""The metrics show the load of the whole service."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from flask import Flask
from redis.exceptions import ConnectionError as RedisGone

from api.app import create_app
from referee.service.redis_load import ServiceLoad, ThinkingLoad
from tests.api.conftest import ApiWorld, metrics_of

LOAD = ServiceLoad(
    matches=25,
    outbox=3,
    late_ms=1_250,
    redis_bytes=300_000,
    redis_limit=600_000,
    chained=75,
    archived=50,
    archive_late_ms=90_000,
    thinking={"search": ThinkingLoad(4, 4_000, 500)},
    index_files=7,
    archive_damaged=2,
    index_bytes=9_000,
    dumped_until=1_764_547_200_000,
    backed_up=1_764_547_200_000,
    archive_away_ms=4_000,
)


def application(world: ApiWorld, load: object) -> Flask:
    services = replace(world.services)
    services.load = SimpleNamespace(load=load)  # type: ignore[assignment]  # its one method
    return create_app(services)


def metrics(world: ApiWorld, load: object) -> str:
    return metrics_of(application(world, load))


@pytest.mark.parametrize(
    "sample",
    [
        "kozyr_running_matches 25.0",
        "kozyr_outbox_entries 3.0",
        "kozyr_deadline_lateness_seconds 1.25",
        "kozyr_redis_bytes 300000.0",
        "kozyr_redis_limit_bytes 600000.0",
        "kozyr_redis_bytes_per_match 3000.0",
        "kozyr_recorded_matches 75.0",
        "kozyr_archived_matches 50.0",
        "kozyr_archive_lag_seconds 90.0",
        "kozyr_archive_away_seconds 4.0",
        "kozyr_last_backup_seconds 1.7645472e+09",
        "kozyr_archive_index_files 7.0",
        "kozyr_archive_damaged_objects 2.0",
        "kozyr_archive_index_bytes 9000.0",
        "kozyr_archive_dumped_until_seconds 1.7645472e+09",
        'kozyr_thinking_moves_total{bot="search"} 4.0',
        'kozyr_thinking_seconds_total{bot="search"} 4.0',
        'kozyr_thinking_lateness_seconds_total{bot="search"} 0.5',
    ],
)
def test_the_load_is_shown(world: ApiWorld, sample: str) -> None:
    assert sample in metrics(world, lambda: LOAD).splitlines()


def test_while_redis_is_away_the_load_is_absent_and_the_rest_is_shown(world: ApiWorld) -> None:
    def away() -> ServiceLoad:
        raise RedisGone("gone")

    text = metrics(world, away)
    assert "kozyr_running_matches" not in text
    assert "kozyr_ready " in text


def test_a_flood_of_scrapes_reads_the_load_once(world: ApiWorld) -> None:
    reads: list[int] = []

    def load() -> ServiceLoad:
        reads.append(1)
        return LOAD

    app = application(world, load)
    app.extensions["kozyr-metrics"].monotonic = lambda: 1000.0
    for _ in range(20):
        metrics_of(app)
    assert len(reads) == 1
