"""What `kozyr up` prints: processes, where to look, and why a service is not ready."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx

from server.config.settings import Settings
from server.status import ServiceAnswer, ask, changes
from server.supervisor import ProcessHealth

RUNNING = [
    ProcessHealth("redis", "running", 7, 1, None),
    ProcessHealth("api", "restarting", None, 3, 1),
]
SETTINGS = Settings()


def answer(response: httpx.Response) -> ServiceAnswer:
    transport = httpx.MockTransport(lambda request: response)
    with httpx.Client(base_url="http://service.test", transport=transport) as client:
        return ask(client)


def test_a_service_that_was_ready_says_why_it_no_longer_is() -> None:
    problems = {"ready": False, "problems": ["the clock has sent no\x1b heartbeat for 12 s"]}
    state = answer(httpx.Response(503, json=problems))
    assert str(state) == "starting"
    line = changes(SETTINGS, RUNNING, state._replace(was_ready=True), {})[-1]
    assert line.startswith(f"{SETTINGS.url} is not ready: the clock has sent no")
    assert line.isprintable()
    assert str(ServiceAnswer(was_ready=True)) == "not ready: the API does not answer"
    assert answer(httpx.Response(502)).trouble == "502 Bad Gateway"


def test_only_changes_are_printed(tmp_path: Path) -> None:
    shown: dict[str, str] = {}
    settings = replace(SETTINGS, var=tmp_path)
    first = changes(settings, RUNNING, ServiceAnswer(), shown)
    assert first == ["redis running (pid 7)", "api restarting", "http://127.0.0.1:8000 is starting"]
    assert changes(settings, RUNNING, ServiceAnswer(), shown) == []
    ready = answer(httpx.Response(200, json={"ready": True}))
    assert changes(settings, RUNNING, ready, shown) == [
        "http://127.0.0.1:8000 is ready",
        "documentation: http://127.0.0.1:8000/docs/",
    ]
    (tmp_path / "demo.json").write_text('{"made": {"ladder": {"id": "l9"}}}')
    assert changes(settings, RUNNING, ready, shown) == [
        "demonstration ladder: http://127.0.0.1:8000/ladders/l9"
    ]
