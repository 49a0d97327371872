"""What is counted, for Prometheus. Nothing here names a match, a bot or a card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flask import current_app
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from referee.referee import Moved, Refused

if TYPE_CHECKING:
    from api.services import Services

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Metrics:
    """The counters of one process."""

    def __init__(self, services: Services) -> None:
        registry: CollectorRegistry = services.registry
        self._requests = Counter(
            "kozyr_requests", "Requests answered.", ["endpoint", "status"], registry=registry
        )
        self._seconds = Histogram(
            "kozyr_request_seconds",
            "Time from a request's beginning to its answer, waits included.",
            ["endpoint"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._moves = Counter(
            "kozyr_moves", "Moves of bots, by what became of them.", ["result"], registry=registry
        )
        self._made = self._moves.labels("made")
        registry.register(_Looks(services))
        self._children: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        """A request was answered."""
        key = (endpoint, status)
        found = self._children.get(key)
        if found is None:
            found = self._requests.labels(endpoint, str(status)), self._seconds.labels(endpoint)
            self._children[key] = found
        found[0].inc()
        found[1].observe(seconds)

    def moved(self, results: Sequence[Moved | Refused]) -> None:
        """What became of some moves."""
        made = 0
        for result in results:
            if not isinstance(result, Moved):
                self._moves.labels(result.code).inc()
            elif result.replayed:
                self._moves.labels("replayed").inc()
            else:
                made += 1
        if made:
            self._made.inc(made)


class _Looks(Collector):
    """What is looked up when somebody asks."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def describe(self) -> list[Metric]:
        """Nothing is looked at before somebody asks."""
        return []

    def collect(self) -> Iterator[Metric]:
        """See `Collector`."""
        waiting = self._services.hub.waiting
        yield GaugeMetricFamily("kozyr_waiting_polls", "Requests that wait for news.", waiting)
        yield CounterMetricFamily("kozyr_store_trips", "Round trips to the store.", self._services.trips())


def of() -> Metrics:
    """The metrics of the application that serves the present request."""
    found: Metrics = current_app.extensions["kozyr-metrics"]
    return found
