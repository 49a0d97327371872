"""Prometheus metrics. None names a match, a bot or a card.

With `PROMETHEUS_MULTIPROC_DIR`, which `server.gunicorn_conf` sets, all API processes count in a shared folder. Any
of them reports the sums, and the counts of a replaced process remain.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from records.errors import RefereeError
from records.match.loaded_match import MoveResult
from referee.after_commit import AfterCommitStep
from referee.service.readiness import Readiness
from referee.service.redis_load import ServiceLoad

if TYPE_CHECKING:
    from api.services import Services

LOAD_AGE_S: Final = 1.0
"""How old the load of the service may be. A scrape reads it, and a flood of scrapes reads it once."""
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Metrics:
    """The counters of one process, and the report for all processes."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "kozyr_requests", "Requests answered.", ["endpoint", "status"], registry=registry
        )
        self._seconds = Histogram(
            "kozyr_request_seconds",
            "Seconds from the start of a request to its response, including waits.",
            ["endpoint"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._moves = Counter("kozyr_moves", "Moves of bots by result.", ["result"], registry=registry)
        self._made = self._moves.labels("made")
        self._waiting = Gauge(
            "kozyr_waiting_polls",
            "Requests that are waiting.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._abandoned = Counter(
            "kozyr_abandoned_requests",
            "Requests dropped because their client had disconnected before they were handled.",
            registry=registry,
        )
        self._trips = Counter("kozyr_store_trips", "Round trips to the store.", registry=registry)
        self._trips_seen = 0
        self._unreadable = Counter(
            "kozyr_unreadable_matches",
            "Stored matches that an API process could not read, each counted once by each process.",
            registry=registry,
        )
        self._unreadable_seen = 0
        self._failures = Counter(
            "kozyr_after_commit_failures",
            "Steps that failed after a commit; the response was sent all the same.",
            ["hook"],
            registry=registry,
        )
        self._failures_seen: dict[AfterCommitStep, int] = dict.fromkeys(AfterCommitStep, 0)
        for hook in AfterCommitStep:
            self._failures.labels(hook.value)
        self._read: ServiceLoad | None = None
        self._read_at = 0.0
        self.monotonic = time.monotonic
        self._children: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a response."""
        key = (endpoint, status)
        found = self._children.get(key)
        if found is None:
            found = self._requests.labels(endpoint, str(status)), self._seconds.labels(endpoint)
            self._children[key] = found
        found[0].inc()
        found[1].observe(seconds)

    def abandoned(self) -> None:
        """Count a request that was dropped because its client had disconnected."""
        self._abandoned.inc()

    def moved(self, results: Sequence[MoveResult | RefereeError]) -> None:
        """Count the results of moves."""
        made = 0
        for result in results:
            if not isinstance(result, MoveResult):
                self._moves.labels(result.code).inc()
            elif result.replayed:
                self._moves.labels("replayed").inc()
            else:
                made += 1
        if made:
            self._made.inc(made)

    def look(self) -> None:
        """Update what is not counted as it happens: waiting polls, round trips, failures. Called every second."""
        self._waiting.set(self._services.hub.waiting)
        round_trips = self._services.redis.round_trips
        self._trips.inc(round_trips - self._trips_seen)
        self._trips_seen = round_trips
        unreadable = self._services.store.unreadable.count
        self._unreadable.inc(unreadable - self._unreadable_seen)
        self._unreadable_seen = unreadable
        for hook, failures in dict(self._services.after_commit.failures).items():
            self._failures.labels(hook.value).inc(failures - self._failures_seen[hook])
            self._failures_seen[hook] = failures

    def text(self) -> bytes:
        """Return the metrics of all processes in Prometheus' text format."""
        self.look()
        # A separate registry, because all processes report the same values and they must not be summed.
        whole = CollectorRegistry()
        whole.register(_Health(self._services.readiness()))
        if (load := self._load()) is not None:
            whole.register(_Load(load))
        return self._labelled(self._counts()) + self._labelled(whole)

    def _load(self) -> ServiceLoad | None:
        """Return the load, at most `LOAD_AGE_S` old. `None` while the store is away, so that its metrics are absent."""
        now = self.monotonic()
        if self._read is None or now - self._read_at >= LOAD_AGE_S:
            try:
                self._read = self._services.load.load()
            except self._services.store_errors:
                self._read = None
            self._read_at = now
        return self._read

    def _counts(self) -> CollectorRegistry:
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return self._registry
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # the library's
        return together

    def _labelled(self, registry: CollectorRegistry) -> bytes:
        if not self._services.instance:
            return generate_latest(registry)
        labelled = CollectorRegistry()
        labelled.register(_OfInstance(registry, self._services.instance))
        return generate_latest(labelled)


class _OfInstance(Collector):
    """The metrics of a registry with the label `instance`, so that hosts behind one address stay apart."""

    def __init__(self, registry: CollectorRegistry, instance: str) -> None:
        self._registry, self._instance = registry, instance

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        for metric in self._registry.collect():
            metric.samples = [
                sample._replace(labels={**sample.labels, "instance": self._instance})
                for sample in metric.samples
            ]
            yield metric


class _Health(Collector):
    """The results of `/readyz`, as gauges."""

    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges."""
        yield GaugeMetricFamily(
            "kozyr_ready", "Whether matches can be played, as in /readyz.", value=self._readiness.ready
        )
        ages = GaugeMetricFamily(
            "kozyr_heartbeat_age_seconds",
            "Seconds since the last heartbeat of each process.",
            labels=["kind", "process"],
        )
        for heartbeat in self._readiness.vitals.heartbeats:
            ages.add_metric([heartbeat.process.kind, heartbeat.process.name], heartbeat.age_ms / 1000)
        yield ages
        waits = GaugeMetricFamily(
            "kozyr_oldest_job_age_seconds",
            "Seconds that the oldest job of a queue has waited, 0 for an empty queue.",
            labels=["queue"],
        )
        for queue, ms in self._readiness.vitals.oldest_jobs.items():
            waits.add_metric([queue], ms / 1000)
        yield waits


class _Load(Collector):
    """The load of the whole service."""

    def __init__(self, load: ServiceLoad) -> None:
        self._load = load

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges and the counters of thinking."""
        load = self._load
        for name, says, value in (
            ("kozyr_running_matches", "Matches that are not over.", load.matches),
            ("kozyr_outbox_entries", "Entries of the outboxes that wait for the clock.", load.outbox),
            (
                "kozyr_deadline_lateness_seconds",
                "Seconds since the oldest expired deadline could have been applied.",
                load.late_ms / 1000,
            ),
            ("kozyr_redis_bytes", "Memory of all Redis masters.", load.redis_bytes),
            ("kozyr_redis_limit_bytes", "Their maxmemory, 0 without a limit.", load.redis_limit),
            (
                "kozyr_redis_bytes_per_match",
                "Memory of Redis for each match that was ever played.",
                load.bytes_per_match,
            ),
            (
                "kozyr_wait_replicas",
                "Replicas that must have a write before it is acknowledged.",
                load.wait_replicas,
            ),
            ("kozyr_recorded_matches", "Records in the chain.", load.chained),
            ("kozyr_archived_matches", "Records that have moved to the archive.", load.archived),
            (
                "kozyr_archive_lag_seconds",
                "Seconds since the oldest record in Redis became due to move to the archive.",
                load.archive_late_ms / 1000,
            ),
            (
                "kozyr_archive_away_seconds",
                "Seconds since processes began to find the archive away, 0 while they reach it.",
                load.archive_away_ms / 1000,
            ),
            (
                "kozyr_last_backup_seconds",
                "The last verified backup, in seconds since 1970; 0 before the first.",
                load.backed_up / 1000,
            ),
            ("kozyr_archive_index_files", "Files of the index of the archive.", load.index_files),
            ("kozyr_archive_index_bytes", "Their size.", load.index_bytes),
            (
                "kozyr_archive_damaged_objects",
                "Objects of the archive that were found missing or damaged.",
                load.archive_damaged,
            ),
            (
                "kozyr_archive_dumped_until_seconds",
                "End of the last month that needs no dump any more, in seconds since 1970.",
                load.dumped_until / 1000,
            ),
        ):
            yield GaugeMetricFamily(name, says, value=value)
        replicas = GaugeMetricFamily(
            "kozyr_redis_replicas", "Connected replicas of each master of Redis.", labels=["master"]
        )
        for master, connected in load.replicas.items():
            replicas.add_metric([master], connected)
        yield replicas
        yield from self._thinking()

    def _thinking(self) -> Iterator[Metric]:
        moves = CounterMetricFamily(
            "kozyr_thinking_moves", "Moves of house bots that think by the clock.", labels=["bot"]
        )
        seconds = CounterMetricFamily(
            "kozyr_thinking_seconds", "Seconds allotted to these bots for searching.", labels=["bot"]
        )
        late = CounterMetricFamily(
            "kozyr_thinking_lateness_seconds",
            "Seconds of these in which they got no processor, because the host was overloaded.",
            labels=["bot"],
        )
        for bot, thinking in self._load.thinking.items():
            moves.add_metric([bot], thinking.moves)
            seconds.add_metric([bot], thinking.thought_ms / 1000)
            late.add_metric([bot], thinking.late_ms / 1000)
        yield from (moves, seconds, late)
