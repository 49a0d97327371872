"""The status display of `kozyr up`: processes, ladders and why a service is not ready."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from server.config.settings import Settings
from server.demo import demo_ladder
from server.panel import LadderNews, News, ask, changes, panel
from server.supervisor import ProcessHealth

RUNNING = [
    ProcessHealth("redis", "running", 7, 1, 65.0, None),
    ProcessHealth("api", "restarting", None, 3, 0.0, 1),
]
LADDER = {"id": "l1", "name": "demo", "game": "durak", "seats": 2, "state": "running", "owner": "anna"}
ROUND = {"number": 3, "state": "running", "finished": 5, "planned": 12, "aborted": 0, "dropped": 0}
STANDINGS = [
    {"place": 1, "bot": "anna/first", "matches": 6, "deals": 18, "points": -3, "points_per_deal": -1 / 6},
    {"place": 2, "bot": "house/random", "matches": 0, "deals": 0, "points": 0, "points_per_deal": None},
]
SETTINGS = Settings()


def news_of(**changed: Any) -> News:
    return News(True, (LadderNews(LADDER, {**ROUND, **changed}, STANDINGS),))


def drawn(news: News) -> str:
    console = Console(width=120, force_terminal=False)
    with console.capture() as capture:
        console.print(panel(SETTINGS, RUNNING, news))
    return capture.get()


def test_a_terminal_shows_progress_standings_and_links() -> None:
    shown = drawn(news_of())
    (progress,) = [line for line in shown.splitlines() if "round 3: 5 of 12 matches done" in line]
    assert "━" in progress
    (first,) = [line for line in shown.splitlines() if "anna/first" in line]
    assert first.split()[1:-1] == ["1", "anna/first", "6", "18", "-3", "-0.167"]
    assert "http://127.0.0.1:8000/docs/" in shown
    assert "http://127.0.0.1:8000/ladders/l1" in shown


def test_a_terminal_shows_every_process_and_the_state_of_the_service() -> None:
    starting = drawn(News())
    assert "starting" in starting
    assert "1 min" in starting
    assert "restarting" in starting


def test_a_service_that_was_ready_says_why_it_no_longer_is() -> None:
    problems = {"ready": False, "problems": ["the clock has sent no heartbeat for 12 s"]}
    transport = httpx.MockTransport(lambda request: httpx.Response(503, json=problems))
    with httpx.Client(base_url="http://service.test", transport=transport) as client:
        news = ask(client)._replace(was_ready=True)
    assert "not ready: the clock has sent no heartbeat for 12 s" in drawn(news)
    (line,) = [line for line in changes(SETTINGS, RUNNING, news, {}) if SETTINGS.url in line]
    assert line == f"{SETTINGS.url} is not ready: the clock has sent no heartbeat for 12 s"
    assert "not ready: the API does not answer" in drawn(News(was_ready=True))


def test_a_growing_duration_is_not_printed_again() -> None:
    shown: dict[str, str] = {}
    silent = News(was_ready=True, trouble="the clock has been silent for 6.8 s")
    assert f"{SETTINGS.url} is {silent.state}" in changes(SETTINGS, RUNNING, silent, shown)
    assert (
        changes(SETTINGS, RUNNING, silent._replace(trouble="the clock has been silent for 12 s"), shown) == []
    )


def test_without_a_terminal_only_changes_are_printed() -> None:
    shown: dict[str, str] = {}
    first = changes(SETTINGS, RUNNING, news_of(), shown)
    assert "redis running (pid 7)" in first
    assert "ladder demo of anna, round 3: 5 of 12 matches done" in first
    assert changes(SETTINGS, RUNNING, news_of(), shown) == []
    assert changes(SETTINGS, RUNNING, news_of(finished=6), shown) == [
        "ladder demo of anna, round 3: 6 of 12 matches done"
    ]
    assert changes(SETTINGS, RUNNING, news_of(finished=12, state="done", dropped=1), shown) == [
        "ladder demo of anna, round 3: 12 of 12 matches done, 1 not played",
        "ladder demo of anna, points a deal: 1. anna/first -0.167, 2. house/random –",
    ]


def test_a_ladder_name_cannot_steer_the_terminal() -> None:
    news = News(True, (LadderNews({**LADDER, "name": "\x1b[2Jowned\n[red]"}, None, []),))
    assert "\x1b" not in drawn(news)
    assert all(line.isprintable() for line in changes(SETTINGS, [], news, {}))


def test_only_open_ladders_are_fetched() -> None:
    answers = {
        "/readyz": {"ready": True},
        "/v1/ladders": {"ladders": [{**LADDER, "id": "old", "state": "closed"}, LADDER]},
        "/v1/ladders/l1/rounds": {"rounds": [ROUND]},
        "/v1/ladders/l1/standings": {"standings": STANDINGS},
    }
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=answers[request.url.path]))
    with httpx.Client(base_url="http://service.test", transport=transport) as client:
        assert ask(client) == news_of()


def test_the_ladder_of_the_demonstration_is_named_and_others_by_their_owners(tmp_path: Path) -> None:
    mine = {**LADDER, "id": "l9", "name": "show", "owner": "demo-anna"}
    others = [{**LADDER, "id": f"l{number}"} for number in range(3)]

    def respond(request: httpx.Request) -> httpx.Response:
        answers = {"/readyz": {}, "/v1/ladders": {"ladders": others}, "/v1/ladders/l9": mine}
        return httpx.Response(
            200, json=answers.get(request.url.path, {"rounds": [ROUND], "standings": STANDINGS})
        )

    (tmp_path / "demo.json").write_text('{"made": {"ladder": {"id": "l9"}}}')
    demo = demo_ladder(replace(SETTINGS, var=tmp_path))
    with httpx.Client(base_url="http://service.test", transport=httpx.MockTransport(respond)) as client:
        news = ask(client, demo)
        assert not any("demonstration" in line for line in changes(SETTINGS, [], ask(client), {}))
    lines = [line for line in changes(SETTINGS, [], news, {}) if "round 3" in line]
    assert [line.partition(",")[0] for line in lines] == ["demonstration ladder show", "ladder demo of anna"]
    assert demo_ladder(replace(SETTINGS, var=tmp_path / "new")) is None


def test_a_service_that_does_not_answer_is_not_ready() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with httpx.Client(base_url="http://service.test", transport=httpx.MockTransport(refuse)) as client:
        assert ask(client) == News()
    halfway = httpx.MockTransport(
        lambda request: httpx.Response(200 if request.url.path == "/readyz" else 503)
    )
    with httpx.Client(base_url="http://service.test", transport=halfway) as client:
        assert ask(client) == News()


def test_a_failed_round_says_why() -> None:
    failed = news_of(state="failed", reason="deals: 24 is refused")
    assert "ladder demo of anna, round 3: 5 of 12 matches done; failed: deals: 24 is refused" in changes(
        SETTINGS, RUNNING, failed, {}
    )
    assert not failed.is_busy
