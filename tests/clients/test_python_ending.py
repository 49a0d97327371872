"""When the Python client ends: signals, addresses without a service, and failures in a running match."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from werkzeug import Request, Response

from kozyr_client import AsyncClient, Client, KozyrError, Turn
from tests.bots.fake_service import FakeMatch, FaultyService, response_of
from tests.support.answering import answering
from tests.support.live import ROOT
from tests.support.waiting import eventually

URL = "http://service.test"


def first(turn: Turn) -> str:
    return turn.legal_moves[0]


# 1. What ends a client, and what does not


@pytest.mark.parametrize(
    "answer", [(204, ""), (200, '{"hello": 1}'), (200, "[]"), (404, "{}"), (200, "<html>")]
)
def test_an_address_without_a_service_ends_both_clients_at_the_first_request(answer: tuple[int, str]) -> None:
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        kind = "text/html" if answer[1].startswith("<") else "application/json"
        return httpx.Response(answer[0], headers={"Content-Type": kind}, text=answer[1])

    async def play() -> None:
        async with AsyncClient(URL, transport=httpx.MockTransport(handle)) as client:
            await client.play(first)

    with Client(URL, transport=httpx.MockTransport(handle)) as client, pytest.raises(KozyrError) as caught:
        client.play(first)
    with pytest.raises(KozyrError, match=r"not a .* of a Kozyr service"):
        asyncio.run(play())
    assert caught.value.code == f"http_{answer[0]}"
    assert asked == ["/v1/limits"] * 2


@pytest.mark.parametrize("url", ["http://", "https://:8000", "http://a b", "http://[::1", "http://h:port"])
def test_a_malformed_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="not an http address"):
        Client(url)


@pytest.mark.parametrize("scheme", ["http://", "ftp://", ""])
def test_an_address_with_a_password_is_refused_without_printing_it(scheme: str) -> None:
    with pytest.raises(ValueError, match="give a token") as caught:
        Client(f"{scheme}me:hunter2@service.test")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("token", ["kozyr_\nsecret", "kozyr secret", "kozyr_s\u00e9cret"])
def test_a_token_that_no_header_can_hold_is_refused_without_printing_it(token: str) -> None:
    with pytest.raises(ValueError, match="characters that no token has") as caught:
        Client(URL, token)
    assert "cret" not in str(caught.value)


def test_a_proxy_that_can_not_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://proxy.test")
    monkeypatch.delenv("http_proxy", raising=False)
    with pytest.raises(KozyrError, match="the proxy of the environment can't be used"):
        Client(URL)


# 2. Lost responses and the clock


class SlowService:
    """A service with one turn of the default clock, which never answers one request. Time passes in waits alone."""

    def __init__(self, *, swallowed: int) -> None:
        self.now, self.requests, self._swallowed = 0.0, 0, swallowed
        self.came: list[float] = []
        """When the move came."""
        self.opened: float | None = None
        """When the turn opened."""

    def handle(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/limits":
            return response_of(200, {}, {"max_moves": 256, "max_wait_s": 60})
        sent = json.loads(request.content)
        self.requests += 1
        if sent["moves"]:
            self.came.append(self.now)
        if self.requests > 1 and self.opened is None:
            self.opened = self.now  # The opponent moves while the second request waits.
        if self.requests == self._swallowed:
            self.now += request.extensions["timeout"]["read"]
            raise httpx.ReadTimeout("swallowed", request=request)
        turns = [self.turn(1)] if self.requests == 1 else [self.turn(2)] if self.requests > 2 else []
        over = [{"match": "m", "seat": 0}] if len(self.came) > 2 else []
        results = [{"match": "m", **move, "replayed": False} for move in sent["moves"]]
        return response_of(200, {}, {"results": results, "turns": turns, "finished": over, "since": "s"})

    def turn(self, number: int) -> dict[str, Any]:
        return {
            "match": "m",
            "turn": number,
            "deal": 1,
            "seat": 0,
            "observation": {"game": "durak", "legal_moves": ["pass"], "free_moves": []},
            "clocks": [{"bank_ms": 30_000, "strikes": 0}],
            "deadline": "2026-11-26T12:00:35.000Z",
            "now": "2026-11-26T12:00:00.000Z",
        }

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def play(self) -> None:
        with Client(
            URL, transport=httpx.MockTransport(self.handle), sleep=self.sleep, clock=lambda: self.now
        ) as client:
            client.play(first, matches=1)


def test_a_move_whose_response_is_lost_is_sent_again_before_the_bank_is_used() -> None:
    service = SlowService(swallowed=2)
    with contextlib.suppress(KozyrError):
        service.play()
    assert service.came[1] - service.came[0] < 5.0


def test_a_poll_whose_response_is_lost_leaves_time_for_its_turn() -> None:
    service = SlowService(swallowed=3)
    with contextlib.suppress(KozyrError):
        service.play()
    assert service.opened is not None
    assert service.came[1] - service.opened < 30.0


# 3. Finishing


def play_and_finish(service: FaultyService, at: int) -> list[str]:
    """Play with the sync client, and finish in choice number `at`. Return the matches that it chose in afterwards."""
    chosen: list[str] = []

    def choose(turn: Turn) -> str:
        chosen.append(turn.match)
        if len(chosen) == at:
            add_match(service)
            client.finish()
        return first(turn)

    with Client(URL, transport=service.transport) as client:
        client.play(choose)
    return chosen[at:]


def play_and_finish_async(service: FaultyService, at: int) -> list[str]:
    chosen: list[str] = []

    async def play() -> None:
        async with AsyncClient(URL, transport=service.transport) as client:

            def choose(turn: Turn) -> str:
                chosen.append(turn.match)
                if len(chosen) == at:
                    add_match(service)
                    client.finish()
                return first(turn)

            await client.play(choose)

    asyncio.run(asyncio.wait_for(play(), 60))
    return chosen[at:]


def add_match(service: FaultyService) -> None:
    service.matches["new"] = FakeMatch(3)
    service.unbegun.add("new")


@pytest.mark.parametrize("play", [play_and_finish, play_and_finish_async], ids=["sync", "async"])
def test_a_bot_that_finishes_ends_its_matches_and_begins_no_other(
    play: Callable[[FaultyService, int], list[str]],
) -> None:
    service = FaultyService(6, 4)
    rest = play(service, 3)
    assert service.matches["m0"].over
    assert service.matches["m1"].over
    assert "new" not in rest
    assert not service.matches["new"].made


def serving(
    answer: Callable[[str, dict[str, Any]], tuple[int, Any] | None],
) -> contextlib.AbstractContextManager[str]:
    """Serve JSON. A request without an answer is never answered."""

    def respond(request: Request) -> Response:
        found = answer(request.path, request.get_json(silent=True) or {})
        if found is None:
            threading.Event().wait()
            raise AssertionError
        return Response(json.dumps(found[1]), found[0], mimetype="application/json")

    return answering(respond)


@contextlib.contextmanager
def bot(program: str, url: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program of the Python client, and kill it if it does not end by itself."""
    # A job in the background of a shell ignores Ctrl-C, and so would the program that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, program],
        cwd=ROOT,
        env={"KOZYR_URL": url, "KOZYR_TOKEN": "kozyr_secret", "PYTHONPATH": "clients/python/src"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("signals", [1, 2])
@pytest.mark.parametrize("program", ["examples/first_bot.py", "clients/python/template/bot.py"])
def test_a_signal_ends_a_waiting_poll_and_begins_no_match_and_a_second_one_ends_the_bot_at_once(
    program: str, signals: int, number: int
) -> None:
    polls: list[bool] = []

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any] | None:
        if path == "/v1/limits":
            return 200, {"max_moves": 256, "max_wait_s": 60}
        polls.append(body.get("leaving", False))
        nothing = {"results": [], "turns": [], "finished": [], "since": "s", "running": 0}
        return (200, nothing) if polls[-1] and signals == 1 else None

    with serving(answer) as url, bot(program, url) as process:
        eventually(lambda: polls == [False])
        process.send_signal(number)
        if signals == 2:
            eventually(lambda: True in polls)
            process.send_signal(number)
        assert (process.wait(60) == 0) == (signals == 1)
    assert polls == [False, True]


def test_a_signal_while_the_service_is_away_ends_a_bot() -> None:
    asked: list[str] = []

    def away(path: str, _: dict[str, Any]) -> tuple[int, Any]:
        asked.append(path)
        return 503, {}

    with serving(away) as url, bot("examples/first_bot.py", url) as process:
        eventually(lambda: len(asked) > 2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
