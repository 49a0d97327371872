"""The API under gunicorn: a gevent worker with the timeouts that gunicorn lacks.

- The first byte of a connection must arrive within `body_timeout_s`. So must the header of a request after its first
  byte, and the body after the header. An idle connection is closed after `keepalive_s`. A connection whose client does
  not receive its response is closed after `send_timeout_s`.
- A body is read completely before the application runs. So the arrival time of its last byte is known
  (`environ["kozyr.arrived"]`, by `time.monotonic()`), and a slow sender occupies only its own connection.
- The worker drops a read if its client has hung up: during an outage, reads pile up. It makes a move nevertheless.
- When connections run out, a silent connection is closed for a new one: the longest silent first, and connections
  without a single request before the others. Pipelined requests take turns with other connections.
- A connection whose response pauses, as a bot's long poll does, has no greenlet until the poll goes on.
- A stopping worker (reload, end) closes `app.extensions["kozyr"]` at once, which answers every waiting poll. Later
  responses close their connections.

gunicorn's master imports this module before gevent patches anything, so it must import neither redis-py nor Flask, and
no rules either: workers would inherit them, and a reload could not replace them.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import socket
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import gevent
import structlog
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn import http, util
from gunicorn.http.errors import NoMoreData
from gunicorn.workers.base_async import ALREADY_HANDLED
from gunicorn.workers.ggevent import GeventWorker

from api.http.headers import Headers, of_data
from api.limits.refusals import Refusals
from server.config.settings import load
from server.direct import DirectRequest, read_head
from server.logs.redaction import REDACTION
from server.streams import PausedConnection, StreamPump

if TYPE_CHECKING:
    from flask import Flask

    from api.http.server_sent import EventStream
    from referee.polling.waiter import Pause

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

log = structlog.get_logger("server.gunicorn_worker")

LOOK_EVERY_S = 0.05
BOOT_S = 30.0
IDLE_GRACE_S = 0.3
ACCEPT_AT_ONCE = 8
"""How many new connections come before others have their turn. In a crowd of 5,000 polls, 100 would leave thousands of
requests half done at once, and the worker would keep twice the memory. Workers that share a listener take one each."""
SPARE_ONE_IN = 8
"""One of this many connections stays free: beyond them, a new connection closes a silent one."""
TELL_EVERY_S = 10.0
TITLES = {"bad_request": "The request is malformed", "internal_error": "An internal error occurred"}
"""Of the problems that this module writes itself, as in `api.problems`, which imports the rules."""
LINGER_S = 1.0
LINGER_BYTES = 4 * 1024 * 1024
CHUNK = 64 * 1024


def create() -> Flask:
    """Return the application that gunicorn serves, with the settings of the environment."""
    from server.app import build_app
    from server.embedded import attached

    return build_app(attached(load()))


class FailedBody(io.RawIOBase):
    """A `wsgi.input` that raises the error of its body."""

    def __init__(self, why: Exception) -> None:
        self.why = why

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        raise self.why


def read_body(environ: Environ, *, within: float, most: int) -> Exception | None:
    """Read the whole body and put it back as `wsgi.input`. Return the error of the body, if any.

    All of it must arrive within `within` seconds and have at most `most` bytes.
    """
    from api.http.body import BodyCutShort, BodyTimeout, BodyTooLarge

    if "kozyr.arrived" in environ:
        return None  # it came with the header
    announced = environ.get("CONTENT_LENGTH")
    wrong: Exception | None = None
    body = b""
    if announced is not None and int(announced) > most:
        wrong = BodyTooLarge()
    elif announced != "0" and (announced or "HTTP_TRANSFER_ENCODING" in environ):
        taken = io.BytesIO()
        source = environ["wsgi.input"]
        wrong = BodyTimeout()
        try:
            with _within(within):
                while taken.tell() <= most and (piece := source.read(min(CHUNK, most + 1 - taken.tell()))):
                    taken.write(piece)
                wrong = None
        except (NoMoreData, OSError, http.errors.ParseException):
            wrong = BodyCutShort()
        body = taken.getvalue()
        if len(body) > most:
            wrong = BodyTooLarge()
        elif wrong is None and announced is not None and len(body) < int(announced):
            wrong = BodyCutShort()
    environ["kozyr.arrived"] = time.monotonic()
    environ["wsgi.input"] = io.BytesIO(body) if wrong is None else FailedBody(wrong)
    return wrong


class ClientGone(Exception):
    """The client closed the connection before its request was handled."""


def has_gone(client: Any) -> bool:
    """Return whether the client has closed its sending side, usually because it timed out and hung up."""
    before = client.gettimeout()
    client.settimeout(0.0)
    try:
        return not client.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        client.settimeout(before)


class Corked:
    """A socket that holds back the first write, the header of a response, and sends it with the second, the body."""

    __slots__ = ("_held", "_open", "_socket", "stream")

    def __init__(self, client: Any) -> None:
        self._socket = client
        self._held = b""
        self._open = False
        self.stream: tuple[EventStream, bool] | None = None
        """A response that stays open, and whether it is sent in chunks."""

    def sendall(self, data: bytes) -> None:
        if self._open:
            self._socket.sendall(data)
        elif self._held:
            self._open = True
            self._socket.sendall(self._held + data)
        else:
            self._held = data

    def flush(self) -> None:
        """Send a header that is still held back: the response has no body."""
        if self._held and not self._open:
            self._open = True
            self._socket.sendall(self._held)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)


class ConnectionServer(StreamServer):
    """A server whose handler closes the connections, because those of streams outlive it."""

    def do_close(self, *args: Any) -> None:
        """Leave the connection as it is."""


def write_problem(
    always: Headers, refusals: Refusals, sock: Any, status: int, reason: str, message: str
) -> None:
    """Send a problem document, with the headers `always`, for a request that gunicorn refuses. Log the refusal with a
    request id."""
    ident, whom = os.urandom(10).hex(), _peer(sock)
    code = "internal_error" if status == 500 else "bad_request"  # gunicorn's 501: an unknown transfer coding
    body = json.dumps(
        {
            "type": f"/docs/problems#{code}",
            "title": TITLES[code],
            "status": status,
            "detail": reason if status == 500 else REDACTION.text(message),
            "code": code,
            "retryable": status == 500,
            "request_id": ident,
        }
    )
    headers = {
        "Connection": "close",
        "Content-Type": "application/problem+json",
        "Content-Length": len(body),
        "Cache-Control": "no-store",
        "X-Request-Id": ident,
        **dict(always),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    util.write_nonblock(sock, f"HTTP/1.1 {status} {reason}\r\n{head}\r\n{body}".encode("latin-1"))
    if status == 500 or refusals.is_worth_a_line(whom, str(status)):
        log.info("refused", request_id=ident, status=status, whom=whom, why=message)


def _peer(sock: Any) -> str:
    """Return the address of the client, or `unknown` if it has gone."""
    try:
        name = sock.getpeername()
    except OSError:
        name = None
    return str(name[0]) if isinstance(name, tuple) else "unknown"


class DeadlineWorker(GeventWorker):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's gevent worker with timeouts, and a prompt and complete stop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        settings = load()
        self.header_timeout = settings.body_timeout_s
        self.body_timeout = settings.body_timeout_s
        self.max_body = settings.max_body_bytes
        self.keepalive = settings.keepalive_s
        self.send_timeout = settings.send_timeout_s
        self.loop: Any = None
        self.idle: set[Any] = set()
        # Connections that have sent no complete request, by greenlet, the longest silent first.
        self.without_request: dict[Any, Any] = {}
        self.silent: dict[Any, Any] = {}
        self.reported_at = -TELL_EVERY_S
        self.pools: dict[Any, Pool] = {}
        """The greenlets of connections by listener."""
        # gunicorn's timeout is for a serving worker. A starting one may take `BOOT_S`.
        ahead = time.monotonic() + max(0.0, BOOT_S - self.cfg.timeout)
        os.utime(self.tmp.fileno(), (ahead, ahead))
        # All worker classes of gunicorn report requests that they can't parse through this function.
        self.refusals = Refusals(every=settings.log_level == "debug")
        util.write_error = functools.partial(write_problem, of_data(settings.behind_tls), self.refusals)

    # --- one request ---

    def load_wsgi(self) -> None:
        super().load_wsgi()
        from api.http.server_sent import STREAMS

        self.pump = StreamPump()
        application: Application = self.wsgi  # type: ignore[has-type]
        self.loop = getattr(self.app.callable, "extensions", {}).get("kozyr-loop")

        def answer(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            response = start_response.__self__  # type: ignore[attr-defined]  # gunicorn's Response, or `DirectRequest`
            if read_body(environ, within=self.body_timeout, most=self.max_body) is not None:
                response.force_close()
                response.req.kozyr_linger = True
            elif has_gone(environ["gunicorn.socket"]):
                # A complete move is made. A read would be wasted work.
                if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
                    raise ClientGone
                environ["kozyr.gone"] = True
            self._heard()

            def start(status: str, headers: Any, exc_info: Any = None) -> Any:
                if not self.alive:
                    response.force_close()
                return start_response(status, headers, exc_info)

            body = application(environ, start)
            if STREAMS in environ and environ["REQUEST_METHOD"] == "GET":
                # `handle` gives the connection to the pump. The stream is its last response.
                response.force_close()
                response.send_headers()
                response.sock.stream = environ[STREAMS], response.chunked
                handed_over: Iterable[bytes] = ALREADY_HANDLED
                return handed_over
            return body

        self.wsgi = answer

    # --- one connection ---

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Handle the requests of a new connection, one after another, until either side ends it."""
        client.settimeout(self.send_timeout)
        if self._open() > self.worker_connections - self.worker_connections // SPARE_ONE_IN:
            self._make_room()
        self.without_request[gevent.getcurrent()] = client
        self._go_on(listener, client, addr, None)

    def _go_on(self, listener: Any, client: Any, addr: Any, direct: DirectRequest | None) -> None:
        """Go on with a request that has paused, if there is one. Then handle the next ones."""
        req: Any = direct
        parser: Any = None
        patience = self.header_timeout
        pause: Pause | None = None
        stream: tuple[EventStream, bool] | None = None
        try:
            while True:
                if direct is None:
                    first_bytes = self._begin(parser, client, patience)
                    if first_bytes is None:
                        break
                    req = direct = self._direct(first_bytes, client, addr)
                if direct is not None:
                    pause = direct.send()
                    if pause is not None or direct.must_close:
                        break
                    direct = None
                else:
                    parser = parser or http.get_parser(self.cfg, client, addr)
                    if first_bytes:
                        parser.unreader.unread(first_bytes)
                    req = self._header(parser)
                    if req is None:
                        break
                    stream = self._answered(req, client, addr)
                    if stream is not None:
                        break
                patience = self.keepalive
                self.silent[gevent.getcurrent()] = client
        except (StopIteration, NoMoreData):
            pass
        except ClientGone:
            self._drop(client)
        except OSError as why:
            self.log.debug("Connection lost: %s", why)
        except Exception as why:
            self._fail(req, client, addr, why)
            _linger(client)
        finally:
            self._heard()
            if pause is not None:
                rest = gevent.Greenlet(self._go_on, listener, client, addr, direct)
                PausedConnection(pause, rest, self.pools[listener])
            elif stream is not None:
                self.pump.take(stream[0], client, chunked=stream[1], pool=self.pools[listener])
            else:
                if getattr(req, "kozyr_linger", False):
                    _linger(client)
                util.close(client)

    def _begin(self, parser: Any, client: Any, within: float) -> bytes | None:
        """Wait for a request and return its first bytes, none if the parser has them already.

        Return `None` at a hang-up, a timeout or the worker's end.
        """
        if parser is not None and parser.unreader.buf.getbuffer().nbytes:
            gevent.sleep(0)  # after each request, other connections have their turn
            return b""
        self.idle.add(client)
        first = b""
        client.settimeout(within)
        try:
            first = client.recv(CHUNK)
        except TimeoutError:
            pass
        finally:
            self.idle.discard(client)
            client.settimeout(self.send_timeout)
        return first or None

    def _direct(self, first_bytes: bytes, client: Any, addr: Any) -> DirectRequest | None:
        """Return the request that these bytes begin, if it is a plain one that the application answers before Flask."""
        read = read_head(first_bytes) if self.loop is not None and self.alive else None
        if read is None or not self.loop.takes(read[0]["REQUEST_METHOD"], read[0]["PATH_INFO"]):
            return None
        request = DirectRequest(read[0], client, addr, self.wsgi)
        return request if request.take_body(read[1], self.max_body) else None

    def _header(self, parser: Any) -> Any:
        """Return the next request with its header, or `None` if the header does not arrive in time."""
        if b"\r\n\r\n" in parser.unreader.buf.getvalue():
            return next(parser)  # the usual case: the header is complete
        with _within(self.header_timeout):
            return next(parser)
        return None  # type: ignore[unreachable]  # the time was up

    def _answered(self, req: Any, client: Any, addr: Any) -> tuple[EventStream, bool] | None:
        """Let gunicorn answer a request. Return the response if it stays open, and whether it is sent in chunks."""
        out = Corked(client)
        try:
            # A stopping worker has closed its listener, so only the client's socket has the name.
            self.handle_request(client.getsockname(), req, out, addr)
        finally:
            out.flush()
        return out.stream

    def _fail(self, req: Any, client: Any, addr: Any, why: Exception) -> None:
        """Log the error of a request, and respond to it."""
        if isinstance(req, DirectRequest):
            self.log.exception("Error handling request %s", req.uri)
            with contextlib.suppress(OSError):
                util.write_error(client, 500, "Internal Server Error", "")
        else:
            self.handle_error(req, client, addr, why)

    def _drop(self, client: Any) -> None:
        """Count a request whose client has gone. A client that closed only its sending side gets a 400."""
        counts = getattr(self.app.callable, "extensions", {}).get("kozyr-metrics")
        if counts is not None:
            counts.abandoned()
        with contextlib.suppress(OSError):
            util.write_error(
                client, 400, "Client Gone", "the connection was closed by the client before it was answered"
            )

    def _open(self) -> int:
        """Return how many connections are open. Those that pause keep their place in a pool."""
        return sum(map(len, self.pools.values()))

    def _heard(self) -> None:
        """Note that this greenlet's connection has sent its request or has ended."""
        me = gevent.getcurrent()
        self.without_request.pop(me, None)
        self.silent.pop(me, None)

    def _make_room(self) -> None:
        """Close the connection that has been silent longest, if there is one."""
        for awaited in (self.without_request, self.silent):
            if awaited:
                client = awaited.pop(next(iter(awaited)))
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
                break
        now = time.monotonic()
        if now - self.reported_at >= TELL_EVERY_S:
            self.reported_at = now
            log.warning("out of connections; closing silent ones", open=self._open())

    # --- the worker ---

    def run(self) -> None:
        """Serve until told to stop. Then accept no more connections, answer every waiting poll and return."""
        servers = []
        for listener in self.sockets:
            self.pools[listener] = Pool(self.worker_connections)
            servers.append(self._serve(listener, self.pools[listener]))
        beat = 0.0
        while self.alive:
            if time.monotonic() - beat >= 1.0:
                beat = time.monotonic()
                self.notify()
                self.refusals.flush()
            gevent.sleep(LOOK_EVERY_S)
        for server in servers:
            server.close()
        closing = gevent.spawn(self._close_application)
        stopped = time.monotonic()
        while any(len(pool) for pool in self.pools.values()):
            now = time.monotonic()
            if now - stopped > self.cfg.graceful_timeout:
                self.log.warning("Worker %s stops with unanswered requests", self.pid)
                for server in servers:
                    server.stop(timeout=0.5)
                break
            if now - stopped > IDLE_GRACE_S:
                self._close_idle()
            self.notify()
            gevent.sleep(LOOK_EVERY_S / 5)
        self.refusals.flush(now=True)
        closing.join(timeout=max(0.0, stopped + self.cfg.graceful_timeout - time.monotonic()))

    def _serve(self, listener: Any, pool: Pool) -> StreamServer:
        listener.setblocking(1)
        server = ConnectionServer(
            listener,
            handle=lambda client, addr: self.handle(listener, client, addr),
            spawn=pool,
        )
        server.max_accept = ACCEPT_AT_ONCE if self.cfg.workers == 1 else 1
        server.start()
        return server

    def _close_application(self) -> None:
        part = getattr(self.app.callable, "extensions", {}).get("kozyr")
        if part is not None:
            try:
                part.close()
            except Exception:
                self.log.exception("The application did not close")

    def _close_idle(self) -> None:
        for client in list(self.idle):
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RD)


def _within(seconds: float) -> gevent.Timeout:
    """Return a context that ends without an error when its time is up."""
    return gevent.Timeout(seconds, False)  # type: ignore[arg-type]  # the stubs don't know of the silent form


def _linger(client: Any) -> None:
    """Read what the client still sends for a moment. An early close would lose the response."""
    try:
        client.shutdown(socket.SHUT_WR)
        taken = 0
        with _within(LINGER_S):
            while taken < LINGER_BYTES and (piece := client.recv(CHUNK)):
                taken += len(piece)
    except OSError:
        pass
