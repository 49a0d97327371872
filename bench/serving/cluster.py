"""What a move costs the API on a Redis Cluster of three masters, beside a single server, in processor time.

Both services play the same matches in turn, over TCP, without flushes to disk. A worker shares one connection to the
single server among all its requests, and three to the cluster, so each of these gets fewer commands in one write.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.support.bench_matches import CONNECTIONS, BenchMatches
from bench.support.load import Load
from bench.support.measure import at_least, interleaved, ratio
from bench.support.service import MEASURED
from tests.support.cluster_node import ClusterNode
from tests.support.clustered import ClusteredRedis
from tests.support.live import LiveService

SECONDS = 0.5
ROUNDS = 11
TARGET = 0.8


def report() -> list[str]:
    """Return the lines of the table."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kb")))
        cluster = stack.enter_context(ClusteredRedis(folder, replicated=False))
        # With `cluster-enabled` for its TCP port only: the service uses it as a single server.
        server = ClusterNode(folder / "single").start()
        stack.callback(server.stop)
        queue = {"KOZYR_QUEUE_REDIS_URL": server.url}
        services = {
            name: stack.enter_context(
                LiveService(folder / name, ["clock", "api"], settings=MEASURED | queue | more, redis_url=url)
            )
            for name, url, more in (
                ("one", server.url, {}),
                ("three", cluster.url, {"KOZYR_REDIS_CLUSTER": "yes"}),
            )
        }
        measures: dict[str, Callable[[], float]] = {}
        for name, service in services.items():
            tables = BenchMatches(service)
            load = Load(service.url, [tables.single(seed) for seed in range(CONNECTIONS)])
            stack.callback(load.close)
            measures[name] = partial(_moves_per_cpu_second, service, load)
        found = interleaved(measures, ROUNDS)
    share = ratio(found["three"], found["one"])
    one, three = (statistics.median(found[name]) for name in ("one", "three"))
    return [
        "| moves a second of the API's processor | single server | three masters | ratio | at least |",
        "| --- | --- | --- | --- | --- |",
        f"| POST …/moves, {CONNECTIONS} connections | {one:,.0f} | {three:,.0f} | {share:.2f} | "
        f"{at_least(share, TARGET)} |",
    ]


def _moves_per_cpu_second(service: LiveService, load: Load) -> float:
    before = _processor_seconds(service)
    load.run(SECONDS)
    return load.answered / (_processor_seconds(service) - before)


def _processor_seconds(service: LiveService) -> float:
    """Return the processor time of the API's workers, to the nanosecond, for the rounds are short."""
    spent = (Path(f"/proc/{pid}/schedstat").read_text() for pid in service.api_workers())
    return sum(int(text.split()[0]) for text in spent) / 1e9
