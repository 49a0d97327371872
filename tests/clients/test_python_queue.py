"""The Python clients look for opponents: a troubled queue holds up no match, and a stopped bot leaves the queue."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final, NamedTuple

import httpx
import pytest

from kozyr_client import AsyncClient, Client, Finished, Turn
from tests.bots.fake_service import Answer, FakeMatch, FaultyService, problem, response_of

THINKING_S: Final = 1.0
"""How long the bot chooses a move."""
WISH: Final = {"game": "durak"}


class Asked(NamedTuple):
    """A request to the service. `what` is its method, `moves` or `poll`."""

    what: str
    at: float
    key: str | None = None
    wait: float = 0.0


class QueueService(FaultyService):
    """A fake service with a queue, whose next responses are in `queue`. Time passes only in waits and pauses."""

    def __init__(self, *lengths: int) -> None:
        super().__init__(*lengths)
        self.queue: deque[Callable[[], Answer]] = deque()
        self.asked: list[Asked] = []
        self.now = 1000.0
        self.stop: Callable[[], None] = lambda: None

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    async def asleep(self, seconds: float) -> None:
        self.now += seconds

    def whats(self) -> list[str]:
        """Return what the client asked for."""
        return [each.what for each in self.asked]

    def to_queue(self) -> list[Asked]:
        """Return the requests to the queue."""
        return [each for each in self.asked if each.what in ("POST", "GET", "DELETE")]

    def _handle(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/queue":
            key = request.headers.get("Idempotency-Key")
            self.asked.append(Asked(request.method, self.now, key))
            status, headers, body = self.queue.popleft()()
            return response_of(status, headers, body)
        if request.url.path != "/v1/turns":
            return super()._handle(request)
        sent = json.loads(request.content)
        what, wait = "moves" if sent["moves"] else "poll", sent["wait"]
        self.asked.append(Asked(what, self.now, wait=wait))
        response = super()._handle(request)
        news = response.json()
        if not (news["results"] or news["turns"] or news["finished"]):
            self.now += wait
        return response


def entry(state: str, match: str | None = None) -> Callable[[], Answer]:
    """Answer with the bot's entry."""
    return lambda: (200, {}, {"state": state, "match": match})


def refused(status: int, code: str, **headers: str) -> Callable[[], Answer]:
    """Refuse the request; with a `Retry-After`, as retryable."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda: (status, sent, problem(code, status, retryable=bool(sent)))


def lost() -> Answer:
    """Lose the response."""
    raise httpx.ReadError("the connection was cut")


def seek(service: QueueService, **play: Any) -> list[Finished]:
    def choose(turn: Turn) -> str:
        service.sleep(THINKING_S)
        return turn.legal_moves[0]

    with Client(
        "http://service.test", "token", transport=service.transport, sleep=service.sleep, clock=service.clock,
        jitter=lambda: 0.0,
    ) as client:  # fmt: skip
        service.stop = client.stop
        return client.play(choose, find=WISH, **play)


def seek_async(service: QueueService, **play: Any) -> list[Finished]:
    def choose(turn: Turn) -> str:
        service.sleep(THINKING_S)
        return turn.legal_moves[0]

    async def run() -> list[Finished]:
        async with AsyncClient(
            "http://service.test", "token", transport=service.transport, sleep=service.asleep, clock=service.clock,
            jitter=lambda: 0.0,
        ) as client:  # fmt: skip
            service.stop = client.stop
            return await client.play(choose, find=WISH, **play)

    return asyncio.run(asyncio.wait_for(run(), 60))


both = pytest.mark.parametrize("run", [seek, seek_async], ids=["sync", "async"])
Run = Callable[..., list[Finished]]

TOO_MANY = refused(429, "rate_limited", Retry_After="4")
UNAVAILABLE = refused(503, "store_unavailable", Retry_After="4")


@both
@pytest.mark.parametrize("trouble", [TOO_MANY, UNAVAILABLE, lost], ids=["429", "503", "lost"])
def test_no_join_is_retried_while_there_are_moves_to_make(run: Run, trouble: Any) -> None:
    service = QueueService(1, 9)
    service.queue.extend([entry("matched", "m0"), trouble, entry("left")])
    assert [each.match for each in run(service, matches=2)] == ["m0", "m1"]
    _, first, last = service.to_queue()
    assert (first.what, last.what) == ("POST", "DELETE")
    assert set(service.whats()[service.asked.index(first) + 1 : -1]) == {"moves"}


@both
@pytest.mark.parametrize(
    ("trouble", "wait"),
    [(lost, 1), (TOO_MANY, 4), (refused(503, "service_draining", Retry_After="60"), 25)],
    ids=["lost", "429", "503"],
)
def test_a_poll_that_brings_nothing_comes_between_two_attempts(run: Run, trouble: Any, wait: int) -> None:
    service = QueueService(1)

    def pair() -> Answer:
        service.matches["m1"] = FakeMatch(1)
        return entry("matched", "m1")()

    service.queue.extend([entry("matched", "m0"), *[trouble] * 3, pair])
    run(service, matches=2)
    _, *tries = service.to_queue()
    assert len({each.key for each in tries}) == 1
    for one, next_ in pairwise(tries):
        (poll,) = service.asked[service.asked.index(one) + 1 : service.asked.index(next_)]
        assert (poll.what, poll.wait) == ("poll", wait)


@both
@pytest.mark.parametrize("left", [entry("left"), refused(404, "not_queued"), refused(409, "not_queued")])
@pytest.mark.parametrize("join", [lost, UNAVAILABLE, entry("waiting")], ids=["lost", "503", "answered"])
def test_a_bot_that_is_stopped_while_it_joins_leaves_the_queue(run: Run, join: Any, left: Any) -> None:
    service = QueueService()

    def stopped() -> Answer:
        service.stop()
        answer: Answer = join()
        return answer

    service.queue.extend([stopped, left])
    assert run(service) == []
    assert [each.what for each in service.to_queue()] == ["POST", "DELETE"]
    assert service.whats()[-1] == "DELETE"


@both
def test_a_match_that_ends_before_its_join_is_answered_is_followed_by_another_join(run: Run) -> None:
    """The service took the join, and the response came too late to matter."""
    service = QueueService(1, 9)

    def hidden() -> Answer:
        service.matches["m2"] = FakeMatch(1)
        return TOO_MANY()

    queue = [entry("matched", "m0"), hidden, entry("matched", "m2"), entry("waiting"), entry("left")]
    service.queue.extend(queue)
    run(service, matches=3)
    _, first, again, third, last = service.to_queue()
    assert [first.what, again.what, third.what, last.what] == ["POST", "POST", "POST", "DELETE"]
    assert first.key == again.key != third.key
    assert third.at == again.at
