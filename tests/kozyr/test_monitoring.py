"""deploy/monitoring: the dashboard and the alerts use metrics that exist, and every alert fires when it should.

The tests with promtool are skipped without it. It is in Debian's package `prometheus`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from api.app import create_app
from api.services import Services
from referee.service.processes import Heartbeat, Process, ProcessKind
from referee.service.readiness import KnownState, Thresholds, judged
from referee.service.redis_load import ServiceLoad, ThinkingLoad
from tests.api.conftest import compose

ROOT = Path(__file__).resolve().parents[2]
MONITORING = ROOT / "deploy" / "monitoring"
RULES: dict[str, Any] = {
    rule["alert"]: rule
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
}
CASES: list[dict[str, Any]] = yaml.safe_load((MONITORING / "alerts_test.yaml").read_text())["tests"]
FROM_PROMETHEUS = {"up"}
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="needs promtool (Debian: prometheus)"
)


def queries() -> Iterator[str]:
    """Yield the expressions of the dashboard and of the alerts."""
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"]
    for rule in RULES.values():
        yield rule["expr"]


@pytest.fixture(scope="module")
def shown(redis_url: str) -> set[str]:
    """The names of all samples that /metrics can show."""
    clock = Heartbeat(Process(ProcessKind.CLOCK, 1, "aaaaaa", "here"), 90, None)
    vitals = KnownState(heartbeats=[clock], oldest_jobs={"kozyr": 1})
    readiness = judged(vitals, Thresholds(5_000, 30_000), "kozyr")
    services: Services = replace(compose(redis_url), readiness=lambda: readiness)
    load = ServiceLoad(0, 0, 0, 0, 0, 0, 0, 0, thinking={"search": ThinkingLoad(1, 1, 0)}, replicas={"": 2})
    services.load = SimpleNamespace(load=lambda: load)  # type: ignore[assignment]  # its one method
    app = create_app(services)
    client = app.test_client()
    client.get("/v1/games")
    text = app.extensions["kozyr-metrics"].text().decode()
    return set(re.findall(r"^([a-z_]+)(?:\{| )", text, re.MULTILINE))


def test_every_metric_in_dashboard_and_alerts_exists(shown: set[str]) -> None:
    for query in queries():
        named = set(re.findall(r"\b(?:kozyr_[a-z_]+|up)\b", query))
        assert named, query
        assert named <= shown | FROM_PROMETHEUS, query


def test_every_metric_of_the_service_is_on_the_dashboard(shown: set[str]) -> None:
    used = families(re.findall(r"kozyr_[a-z_]+", " ".join(queries())))
    assert families(shown) - used <= {"kozyr_thinking_moves"}


def families(samples: Iterable[str]) -> set[str]:
    """Return the names of metrics without what the format appends to them."""
    return {re.sub(r"_(bucket|count|sum|created|total)$", "", name) for name in samples if "kozyr_" in name}


def test_the_dashboard_is_up_to_date() -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "dashboard.py", "--check"], check=True)


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_is_silent() -> None:
    fires, silent = set(), set()
    for case in CASES:
        for check in case["alert_rule_test"]:
            (fires if check["exp_alerts"] else silent).add(check["alertname"])
    assert fires == silent == set(RULES)


def test_every_alert_has_a_severity_and_a_summary() -> None:
    for rule in RULES.values():
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".")


def test_every_alert_names_a_heading_that_says_what_to_do() -> None:
    for name, rule in RULES.items():
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        headings = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}, name


def promtool(*words: object) -> None:
    """Run promtool, which must find nothing wrong."""
    done = subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
@pytest.mark.ci
def test_the_alerts_fire_when_they_should() -> None:
    promtool("test", "rules", MONITORING / "alerts_test.yaml")


@needs_promtool
@pytest.mark.parametrize("name", ["prometheus.yml", "prometheus-kubernetes.yml"])
def test_prometheus_accepts_the_configuration(name: str, tmp_path: Path) -> None:
    configuration = yaml.safe_load((MONITORING / name).read_text())
    for scrape in configuration["scrape_configs"]:
        scrape.pop("kubernetes_sd_configs", None)  # which Debian's promtool does not know
    shutil.copy(MONITORING / "alerts.yaml", tmp_path)
    (tmp_path / name).write_text(yaml.safe_dump(configuration))
    promtool("check", "config", tmp_path / name)


@needs_promtool
def test_prometheus_parses_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    rules = [
        {"record": f"kozyr:panel:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, query in enumerate(queries())
    ]
    path = tmp_path / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", path)
