"""Write the Grafana dashboard, deploy/monitoring/dashboard.json, from the table below.

python tools/dashboard.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

PATH: Final = Path(__file__).resolve().parents[1] / "deploy" / "monitoring" / "dashboard.json"
WIDTH, HEIGHT = 8, 7
ACROSS: Final = 24 // WIDTH


class Panel(NamedTuple):
    """A graph: its queries by legend, and the unit of its axis."""

    title: str
    unit: str
    queries: dict[str, str]
    note: str = ""


ROWS: Final[dict[str, list[Panel]]] = {
    "Play": [
        Panel(
            "Moves per second",
            "ops",
            {"{{result}}": "sum by (result) (rate(kozyr_moves_total[$__rate_interval]))"},
            "By result: made, replayed, or the code of the refusal.",
        ),
        Panel("Matches that are not over", "short", {"matches": "max(kozyr_running_matches)"}),
        Panel(
            "Records per second", "ops", {"records": "max(deriv(kozyr_recorded_matches[$__rate_interval]))"}
        ),
        Panel(
            "Requests per second",
            "reqps",
            {"{{status}}": "sum by (status) (rate(kozyr_requests_total[$__rate_interval]))"},
        ),
        Panel(
            "Time of a request, 99 %",
            "s",
            {
                "{{endpoint}}": "histogram_quantile(0.99, sum by (endpoint, le) "
                "(rate(kozyr_request_seconds_bucket[$__rate_interval])))"
            },
            "Polls include their wait.",
        ),
        Panel(
            "Waiting polls",
            "short",
            {
                "{{instance}}": "sum by (instance) (kozyr_waiting_polls)",
                "abandoned per second": "sum(rate(kozyr_abandoned_requests_total[$__rate_interval]))",
            },
        ),
    ],
    "Time": [
        Panel(
            "Readiness", "short", {"ready": "max(kozyr_ready)"}, "0: matches can't be played, see /readyz."
        ),
        Panel(
            "Age of the last heartbeat",
            "s",
            {"{{process}}": "max by (process) (kozyr_heartbeat_age_seconds)"},
        ),
        Panel("Lateness of deadlines", "s", {"lateness": "max(kozyr_deadline_lateness_seconds)"}),
        Panel("Age of the oldest job", "s", {"{{queue}}": "max by (queue) (kozyr_oldest_job_age_seconds)"}),
        Panel("Backlog of the outboxes", "short", {"entries": "max(kozyr_outbox_entries)"}),
        Panel(
            "Thinking without a processor",
            "percentunit",
            {
                "{{bot}}": "sum by (bot) (rate(kozyr_thinking_lateness_seconds_total[10m])) "
                "/ sum by (bot) (rate(kozyr_thinking_seconds_total[10m]))",
            },
            "The share of their time that bots which think by the clock lose on overloaded hosts.",
        ),
    ],
    "Storage": [
        Panel(
            "Memory of Redis",
            "bytes",
            {"used": "max(kozyr_redis_bytes)", "limit": "max(kozyr_redis_limit_bytes) > 0"},
        ),
        Panel(
            "Replicas of Redis",
            "short",
            {
                "{{master}}": "min by (master) (kozyr_redis_replicas)",
                "must have a write": "max(kozyr_wait_replicas)",
            },
        ),
        Panel("Redis bytes per match", "bytes", {"bytes": "max(kozyr_redis_bytes_per_match)"}),
        Panel(
            "Round trips to Redis per second",
            "ops",
            {"{{instance}}": "sum by (instance) (rate(kozyr_store_trips_total[$__rate_interval]))"},
        ),
        Panel(
            "Records",
            "short",
            {"chain": "max(kozyr_recorded_matches)", "archive": "max(kozyr_archived_matches)"},
        ),
        Panel(
            "Lag of the archive",
            "s",
            {"lag": "max(kozyr_archive_lag_seconds)", "away": "max(kozyr_archive_away_seconds)"},
        ),
        Panel("Age of the last backup", "s", {"age": "time() - (max(kozyr_last_backup_seconds) > 0)"}),
        Panel(
            "Index of the archive",
            "bytes",
            {
                "bytes": "max(kozyr_archive_index_bytes)",
                "bytes per file": "max(kozyr_archive_index_bytes) / max(kozyr_archive_index_files)",
            },
        ),
        Panel(
            "Time since the last month with a dump",
            "s",
            {"age": "time() - (max(kozyr_archive_dumped_until_seconds) > 0)"},
        ),
        Panel(
            "Faults",
            "short",
            {
                "after a commit: {{hook}}": "sum by (hook) (increase(kozyr_after_commit_failures_total[15m]))",
                "unreadable matches": "sum(increase(kozyr_unreadable_matches_total[15m]))",
            },
        ),
    ],
}


def dashboard() -> dict[str, Any]:
    """Return the dashboard in Grafana's format."""
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS.items():
        panels.append(
            {
                "id": len(panels) + 1,
                "type": "row",
                "title": title,
                "collapsed": False,
                "panels": [],
                "gridPos": {"h": 1, "w": 24, "x": 0, "y": top},
            }
        )
        for number, panel in enumerate(row):
            across, down = number % ACROSS, number // ACROSS
            place = {"h": HEIGHT, "w": WIDTH, "x": across * WIDTH, "y": top + 1 + down * HEIGHT}
            panels.append(_graph(panel, len(panels) + 1, place))
        top += 1 + HEIGHT * -(-len(row) // ACROSS)
    return {
        "uid": "kozyr",
        "title": "Kozyr",
        "tags": ["kozyr"],
        "schemaVersion": 39,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {
            "list": [
                {"name": "source", "label": "Source", "type": "datasource", "query": "prometheus"},
            ]
        },
        "panels": panels,
    }


def _graph(panel: Panel, number: int, place: dict[str, int]) -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${source}"}
    return {
        "id": number,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.note,
        "datasource": source,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + place), "datasource": source, "expr": query, "legendFormat": legend}
            for place, (legend, query) in enumerate(panel.queries.items())
        ],
    }


def main() -> None:
    """Write the dashboard, or with `--check` exit with status 1 if the file differs."""
    text = json.dumps(dashboard(), indent=2) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not PATH.exists() or PATH.read_text(encoding="utf-8") != text:
            sys.exit(f"{PATH.name} is out of date: run python tools/dashboard.py")
        return
    PATH.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
