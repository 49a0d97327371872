"""What `kozyr up` prints: processes, where to look, and whether the service is ready."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from server.config.settings import Settings
from server.status import changes
from server.supervisor import ProcessHealth

RUNNING = [
    ProcessHealth("redis", "running", 7, 1, None),
    ProcessHealth("api", "restarting", None, 3, 1),
]
URL = Settings().url


def test_only_changes_are_printed(tmp_path: Path) -> None:
    shown: dict[str, str] = {}
    settings = replace(Settings(), var=tmp_path)
    first = changes(settings, RUNNING, False, shown)
    assert first == ["redis running (pid 7)", "api restarting", f"{URL} is starting"]
    assert changes(settings, RUNNING, False, shown) == []
    assert changes(settings, RUNNING, True, shown) == [f"{URL} is ready", f"documentation: {URL}/docs/"]
    (tmp_path / "demo.json").write_text('{"made": {"ladder": {"id": "l9"}}}')
    assert changes(settings, RUNNING, True, shown) == [f"demonstration ladder: {URL}/ladders/l9"]
    assert changes(settings, RUNNING, False, shown) == [f"{URL} is not ready: see {URL}/readyz"]
