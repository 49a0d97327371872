"""Benchmarks run, on a service without rate limits and with long timeouts for silent connections."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.__main__ import LONG, SECTIONS
from bench.support.bench_matches import BenchMatches
from bench.support.service import MEASURED
from server.config.settings import Settings, load
from tests.support.live import LiveService

ROOT = Path(__file__).resolve().parents[2]
BENCHES = sorted((ROOT / "bench").rglob("*.py"))


@pytest.mark.live
def test_a_benchmarked_service_has_no_rate_limits(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(["redis", "api"], settings=MEASURED)
    limits = [value for name, value in vars_of(service.settings).items() if name.startswith("rate_")]
    assert set(limits) == {0}
    tables = BenchMatches(service)
    with service.http() as client:
        tables.bot("first")
        assert "RateLimit" not in client.get("/v1/matches").headers
    assert tables.metric("kozyr_waiting_polls") == 0
    assert tables.metric("kozyr_store_trips_total") > 0
    with pytest.raises(LookupError, match="kozyr_unknown"):
        tables.metric("kozyr_unknown")


@pytest.mark.soak
@pytest.mark.parametrize("section", sorted(SECTIONS.keys() - LONG))
def test_every_section_of_the_benchmark_runs(section: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", section], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    title, _ = SECTIONS[section]
    assert done.stdout.startswith(f"\n## {title}\n\n")


def vars_of(settings: Settings) -> dict[str, object]:
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__}


def test_silent_connections_to_a_benchmarked_service_outlast_a_benchmark() -> None:
    settings = load(MEASURED)
    assert min(settings.body_timeout_s, settings.keepalive_s) >= 600


@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.stem)
def test_every_benchmark_starts_its_service_with_the_benchmark_settings(path: Path) -> None:
    for call in ast.walk(ast.parse(path.read_text())):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "LiveService":
            settings = next(word.value for word in call.keywords if word.arg == "settings")
            names = {node.id for node in ast.walk(settings) if isinstance(node, ast.Name)}
            assert "MEASURED" in names, f"line {call.lineno}"
