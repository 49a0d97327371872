"""A proxy between bots and the API that injects network faults, reproducibly from a seed.

It injects faults into the requests of registered bots (`name`) and forwards all others unchanged. The fault of a bot's
n-th request depends only on the seed, the bot's name and n, not on the interleaving of requests. `journal` has every
request that was sent to the service with its response, even if the bot never received that.
"""

from __future__ import annotations

import asyncio
import enum
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, NamedTuple

import orjson

OVERTAKEN_WITHIN_S: Final = 0.2
"""The longest time to hold back a request until another overtakes it."""
LONGEST_DELAY_S: Final = 1.5
GATEWAY: Final = b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\nsorry.\n"


class ProxyFault(enum.StrEnum):
    """A fault of a request or its response."""

    CUT_BEFORE = "cut before the request"
    CUT_INSIDE_REQUEST = "cut inside the request"
    CUT_AFTER_REQUEST = "cut after the request"
    SWALLOWED = "answer swallowed"
    CUT_INSIDE_ANSWER = "cut inside the answer"
    GATEWAY = "answer replaced by a gateway's 502"
    DELAYED_REQUEST = "request delayed"
    DELAYED_ANSWER = "answer delayed"
    DOUBLED = "sent twice at once"
    ECHOED = "sent again later"
    REORDERED = "overtaken by a later request"


@dataclass(slots=True)
class Exchange:
    """A request as it was sent to the service. Instants are from `time.monotonic()`."""

    bot: str
    """The name registered for its token, or `""`."""
    method: str
    path: str
    """Without the query."""
    body: Any
    fault: ProxyFault | None
    began: float
    """Before its first byte was sent to the service."""
    whole: bool = False
    """Whether the request was sent completely."""
    status: int | None = None
    answer: Any = None
    """The decoded response, if it arrived completely."""
    answered: float | None = None
    """After the last byte of the response had arrived."""
    delivered: bool = False
    """Whether the whole response was sent to the bot."""


class _Message(NamedTuple):
    """A raw HTTP message."""

    raw: bytes
    first: str
    headers: Mapping[str, str]
    body: bytes


class _Cut(Exception):
    """The connection to the bot must be cut now."""


class FaultProxy:
    """A fault-injecting proxy, as a context manager. It runs in its own thread."""

    def __init__(self, port: int, *, seed: int, rate: float) -> None:
        """`port` is the loopback port of the API, `rate` the share of requests with a fault."""
        self.journal: list[Exchange] = []
        self.counts: Counter[ProxyFault] = Counter()
        self.rate = rate
        self._port, self._seed = port, seed
        self._names: dict[str, str] = {}
        self._nth: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault-proxy", daemon=True)
        self.url = ""

    def name(self, token: str, bot: str) -> None:
        """Inject faults into requests with this token. The journal calls them `bot`."""
        self._names[f"Bearer {token}"] = bot

    def __enter__(self) -> FaultProxy:
        self._thread.start()
        server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 22))
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._server = server
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()

    def _run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    async def _close(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # One connection of a bot

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        upstream = _Upstream(self._port)
        rng = random.Random()
        try:
            while (request := await _read(reader)) is not None:
                await self._pass(request, upstream, writer, rng)
        except (_Cut, OSError, EOFError):
            _cut(writer, rng.random() < 0.5)
        except asyncio.CancelledError:
            pass
        finally:
            upstream.cut()
            writer.close()
            self._tasks.discard(task)

    async def _pass(
        self, request: _Message, upstream: _Upstream, writer: asyncio.StreamWriter, rng: random.Random
    ) -> None:
        """Forward a request and its response. Raise `_Cut` if the bot's connection must be cut."""
        bot = self._names.get(request.headers.get("authorization", ""), "")
        self._nth[bot] += 1
        rng.seed(f"{self._seed} {bot} {self._nth[bot]}")
        fault = rng.choice(list(ProxyFault)) if bot and rng.random() < self.rate else None
        if fault is ProxyFault.REORDERED and not await self._overtaken(bot):
            fault = ProxyFault.DELAYED_REQUEST
        elif fault is ProxyFault.DELAYED_REQUEST:
            await asyncio.sleep(_delay(rng))
        if fault is not None:
            self.counts[fault] += 1
        if fault is ProxyFault.CUT_BEFORE:
            raise _Cut
        if fault is ProxyFault.ECHOED:
            self._later(self._echo(bot, request, self._nth[bot] + rng.randint(1, 3)))
        twin = None
        if fault is ProxyFault.DOUBLED:
            twin = asyncio.create_task(self._exchange(bot, request, _Upstream(self._port), fault, rng))
        exchange, answer = await self._exchange(bot, request, upstream, fault, rng)
        if twin is not None:
            other, its_answer = await twin
            if rng.random() < 0.5:
                exchange, answer = other, its_answer
        if answer is None or fault is ProxyFault.SWALLOWED:
            raise _Cut
        if fault is ProxyFault.DELAYED_ANSWER:
            await asyncio.sleep(_delay(rng))
        if fault is ProxyFault.GATEWAY:
            writer.write(GATEWAY)
            await writer.drain()
            return
        if fault is ProxyFault.CUT_INSIDE_ANSWER:
            writer.write(answer.raw[: rng.randrange(1, len(answer.raw))])
            await writer.drain()
            raise _Cut
        exchange.delivered = True
        writer.write(answer.raw)
        await writer.drain()
        if answer.headers.get("connection", "").lower() == "close":
            raise EOFError

    async def _exchange(
        self,
        bot: str,
        request: _Message,
        upstream: _Upstream,
        fault: ProxyFault | None,
        rng: random.Random,
    ) -> tuple[Exchange, _Message | None]:
        """Send a request to the service. Return the exchange and the response, or `None` if that is incomplete."""
        method, target, _ = request.first.split(" ", 2)
        body = orjson.loads(request.body) if request.body else None
        exchange = Exchange(bot, method, target.partition("?")[0], body, fault, time.monotonic())
        self.journal.append(exchange)
        raw = request.raw
        if fault is ProxyFault.CUT_INSIDE_REQUEST:
            raw = raw[: rng.randrange(1, len(raw))]
        try:
            await upstream.send(raw)
            exchange.whole = len(raw) == len(request.raw)
            if fault in (ProxyFault.CUT_INSIDE_REQUEST, ProxyFault.CUT_AFTER_REQUEST):
                upstream.cut()
                return exchange, None
            answer = await upstream.receive()
        except (OSError, EOFError):
            upstream.cut()
            return exchange, None
        exchange.status, exchange.answered = int(answer.first.split(" ")[1]), time.monotonic()
        exchange.answer = orjson.loads(answer.body) if answer.body else None
        self._news.set()
        self._news = asyncio.Event()
        return exchange, answer

    async def _overtaken(self, bot: str) -> bool:
        """Wait until a later request of the same bot is answered. Return whether that was in time."""
        arrived, until = time.monotonic(), time.monotonic() + OVERTAKEN_WITHIN_S
        while (rest := until - time.monotonic()) > 0:
            for exchange in reversed(self.journal[-50:]):
                if exchange.bot == bot and exchange.began > arrived and exchange.answered is not None:
                    return True
            try:
                await asyncio.wait_for(self._news.wait(), rest)
            except TimeoutError:
                return False
        return False

    async def _echo(self, bot: str, request: _Message, after: int) -> None:
        """Send the same bytes again when the bot has reached its request number `after`, or after half a second."""
        until = time.monotonic() + 0.5
        while self._nth[bot] < after and time.monotonic() < until:
            await asyncio.sleep(0.01)
        upstream = _Upstream(self._port)
        await self._exchange(bot, request, upstream, ProxyFault.ECHOED, random.Random())
        upstream.cut()

    def _later(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Upstream:
    """A connection to the service, opened on demand and reopened when closed."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, raw: bytes) -> None:
        """Connect if necessary. Raise `OSError` if nothing listens."""
        if self._streams is None or self._streams[0].at_eof() or self._streams[1].is_closing():
            self.cut()
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
        self._streams[1].write(raw)
        await self._streams[1].drain()

    async def receive(self) -> _Message:
        """Return the response. Raise `OSError` or `EOFError` if it is incomplete."""
        assert self._streams is not None
        answer = await _read(self._streams[0])
        if answer is None:
            raise EOFError
        if answer.headers.get("connection", "").lower() == "close":
            self.cut()
        return answer

    def cut(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


async def _read(reader: asyncio.StreamReader) -> _Message | None:
    """Return the next message of a connection, or `None` at its end. Raise `EOFError` for an incomplete one."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as cut:
        if cut.partial:
            raise
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(":", 1) for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return _Message(head + body, first, headers, body)


def _delay(rng: random.Random) -> float:
    return rng.uniform(0.01, 0.15) if rng.random() < 0.9 else rng.uniform(0.3, LONGEST_DELAY_S)


def _cut(writer: asyncio.StreamWriter, hard: bool) -> None:
    """Close a connection; `hard` sends a reset."""
    found = writer.get_extra_info("socket")
    if hard and found is not None and found.fileno() >= 0:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
