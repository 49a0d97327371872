"""Open streams without a greenlet each: wake-ups, pauses, slow clients, and the places of connections."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import gevent
import pytest
from gevent import socket
from gevent.pool import Pool

from api.http.server_sent import EventStream
from referee.polling.broadcasts import StreamEnd
from referee.polling.waiter import Pause, Waiter
from server.streams import StreamPump

RETRY = b"retry: 2000\n\n"
PATIENCE_S = 20.0
Steps = Generator[list[bytes] | StreamEnd | Pause, None, None]


class StreamNews:
    """What a test sends to the watchers of one stream."""

    def __init__(self) -> None:
        self.waiter = Waiter()
        self.waiting: list[bytes] = []
        self.over = False
        self.left = False

    def steps(self, pause_s: float = 1e9) -> Steps:
        try:
            while True:
                self.waiter.clear()
                while self.waiting:
                    yield [self.waiting.pop(0)]
                if self.over:
                    yield StreamEnd.OVER
                    return
                yield Pause(self.waiter, pause_s)
        finally:
            self.left = True

    def say(self, *news: bytes) -> None:
        self.waiting += news
        self.waiter.wake()


class Pumped:
    """A pump with the streams that it has taken over."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pool = Pool(4)
        self.pump = StreamPump(lambda: self.now)
        self.sockets: list[Any] = []

    def open(self, follows: Steps, *, chunked: bool = False) -> Any:
        """Hand a connection over, and return the client's side."""
        server, client = socket.socketpair()
        client.settimeout(PATIENCE_S)
        self.sockets += [server, client]
        stream = EventStream(follows, lambda message: message, ())
        self.pool.spawn(self.pump.take, stream, server, chunked=chunked, pool=self.pool).join()
        return client


@pytest.fixture
def pumped() -> Iterator[Pumped]:
    made = Pumped()
    yield made
    for each in made.sockets:
        each.close()


def read(client: Any, end: bytes) -> bytes:
    """Return the bytes up to the first end like this."""
    taken = b""
    while not taken.endswith(end):
        piece = client.recv(65536)
        assert piece, taken
        taken += piece
    return taken


def read_all(client: Any) -> bytes:
    return b"".join(iter(lambda: client.recv(65536), b""))


def test_a_wake_up_sends_what_is_new(pumped: Pumped) -> None:
    news = StreamNews()
    news.waiting = [b"one", b"two"]
    client = pumped.open(news.steps())
    assert read(client, b"two") == RETRY + b"onetwo"
    for chunk in (b"three", b"four"):
        news.say(chunk)
        assert read(client, chunk) == chunk


def test_a_wake_up_while_a_stream_looks_is_not_lost(pumped: Pumped) -> None:
    news = StreamNews()

    def steps() -> Steps:
        for step in news.steps():
            if isinstance(step, Pause) and not reported:
                reported.append(True)
                news.say(b"late")
            yield step

    reported: list[bool] = []
    assert read(pumped.open(steps()), b"late") == RETRY + b"late"


def test_an_ended_stream_closes_its_connection_and_frees_its_place(pumped: Pumped) -> None:
    news = StreamNews()
    client = pumped.open(news.steps(), chunked=True)
    assert len(pumped.pool) == 1
    news.over = True
    news.say(b"last")
    ending = b": over\nretry: 2000\n\n"
    chunks = [RETRY, b"last", ending, b""]
    assert read_all(client) == b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    assert (len(pumped.pool), news.left) == (0, True)


def test_a_slow_client_delays_no_other(pumped: Pumped) -> None:
    slow, quick = StreamNews(), StreamNews()
    slow.waiting = [bytes(1 << 24)]
    stuck = pumped.open(slow.steps())
    client = pumped.open(quick.steps())
    read(client, RETRY)
    for number in range(3):
        quick.say(b"%d" % number)
        assert read(client, b"%d" % number) == b"%d" % number
    slow.say(b"end")
    assert len(read(stuck, b"end")) == len(RETRY) + (1 << 24) + 3


def test_a_stream_whose_client_has_gone_ends(pumped: Pumped) -> None:
    news = StreamNews()
    client = pumped.open(news.steps())
    read(client, RETRY)
    client.close()
    with gevent.Timeout(PATIENCE_S):
        while not news.left:
            news.say(b"more")
            gevent.sleep(0)
    assert len(pumped.pool) == 0


def test_a_pause_that_is_over_goes_on(pumped: Pumped) -> None:
    news = StreamNews()
    client = pumped.open(news.steps(15.0))
    read(client, RETRY)
    news.waiting.append(b"a wake-up was lost")
    pumped.now = 15.0
    assert read(client, b"lost") == b"a wake-up was lost"


def test_a_failing_stream_ends_alone(pumped: Pumped) -> None:
    def broken() -> Steps:
        yield [b"before"]
        raise ZeroDivisionError

    other = StreamNews()
    client, another = pumped.open(broken()), pumped.open(other.steps())
    assert read_all(client) == RETRY + b"before" + b": failed\nretry: 5000\n\n"
    read(another, RETRY)
    other.say(b"goes on")
    assert read(another, b"goes on") == b"goes on"
