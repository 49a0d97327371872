"""Refused requests in the log: a flood writes few lines, and every request is counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from api.limits.refusals import EVERY_S, FIRST, MOST, OTHERS, Refusals
from tests.api.conftest import ApiWorld


class KeptLog:
    """A log that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def _add(self, event: str, **fields: Any) -> None:
        self.lines.append({"event": event, **fields})

    info = warning = error = _add

    def reported(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == event]


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> KeptLog:
    log = KeptLog()
    monkeypatch.setattr("api.limits.refusals.log", log)
    monkeypatch.setattr("api.request_end.log", log)
    return log


def test_the_first_refusals_are_logged_and_the_rest_counted_in_one_line(log: KeptLog) -> None:
    now = 100.0
    refusals = Refusals(clock=lambda: now)
    statuses = [404] * 30 + [429] * 20
    every = Refusals(every=True)
    assert all(every.is_worth_a_line("b1", f"{status} /v1/turns") for status in statuses)
    reported = [refusals.is_worth_a_line("b1", f"{status} /v1/turns") for status in statuses]
    assert reported == [True] * FIRST + [False] * (50 - FIRST)
    assert refusals.is_worth_a_line("b2", "404"), "a flood of one client hides no other's lines"
    refusals.flush()
    assert log.lines == []
    now += EVERY_S
    refusals.flush()
    (line,) = log.lines
    assert (line["whom"], line["count"], line["with_lines"]) == ("b1", 50, FIRST)
    assert line["what"] == {"404 /v1/turns": 30, "429 /v1/turns": 20}
    refusals.flush()
    assert len(log.lines) == 1


def test_a_flood_of_many_clients_writes_few_lines_and_counts_all(log: KeptLog) -> None:
    refusals = Refusals()
    lines = sum(refusals.is_worth_a_line(f"a{number % 1000}", "401") for number in range(20_000))
    assert lines == (MOST + 1) * FIRST
    refusals.flush(now=True)
    assert len(log.lines) == MOST + 1
    counts = Counter({line["whom"]: line["count"] for line in log.lines})
    assert (counts.total(), counts[OTHERS]) == (20_000, 18_000)


def test_a_flood_of_refused_requests_writes_few_lines_and_names_the_clients(
    world: ApiWorld, log: KeptLog
) -> None:
    refusals = world.app.extensions["kozyr-loop"].request_end.refusals = Refusals()
    bot = world.bot()
    log.lines.clear()
    for _ in range(40):
        assert bot("GET", "/v1/matches/no-such-match").status_code == 404
        assert world.client.get("/v1/token").status_code == 401
    # What went well has its lines as ever.
    for _ in range(2 * FIRST):
        assert bot("GET", "/v1/token").status_code == 200
    lines = Counter(line["status"] for line in log.reported("request"))
    assert lines == {404: FIRST, 401: FIRST, 200: 2 * FIRST}
    refusals.flush(now=True)
    reported = {line["whom"]: line["what"] for line in log.reported("requests refused")}
    assert reported == {bot.id: {"404 /v1/matches/<match>": 40}, "127.0.0.1": {"401 /v1/token": 40}}
