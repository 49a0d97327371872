"""Sends messages of webhooks: HTTPS to public addresses only, without redirects, proxies or cookies.

A host name is resolved once. If any of its addresses is not public, nothing is sent: a name that mixes both is an
attempt at DNS rebinding. The connection goes to one of the checked addresses, so the DNS can't change it afterwards,
while TLS verifies the certificate of the name. What the receiver answers is not stored, except for the status.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from league.notifications.addresses import is_public

TIMEOUT_S: Final = 2.0
"""The time for resolving, connecting, sending and the response together. A job works for about two seconds."""
USER_AGENT: Final = "kozyr-webhooks/1"

Request = tuple[str, dict[str, str], bytes]
"""URL, headers and body."""
Outcome = tuple[int | None, str, int]
"""The status or `None`, the error, and the duration in ms."""
Resolve = Callable[[str, int], Sequence[str]]
"""Returns the IP addresses of a host. Raises `OSError`."""


class AddressRefused(Exception):
    """A host whose addresses are not all public."""


def resolved(host: str, port: int) -> Sequence[str]:
    """Return the IP addresses of a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class CheckedConnection(http.client.HTTPSConnection):
    """An HTTPS connection to an address that was checked. It resolves nothing."""

    def __init__(self, host: str, address: str, port: int, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=TIMEOUT_S, context=context)
        self._address, self._tls = address, context
        self._abandoned = False

    def connect(self) -> None:
        """Connect to the address, and verify the certificate of the host name. Raise `TimeoutError` if the connection
        was abandoned meanwhile."""
        raw = socket.create_connection((self._address, self.port), TIMEOUT_S)
        try:
            # The handshake is a step of its own, since `abandon` can't end one of a socket that it does not have.
            self.sock = self._tls.wrap_socket(raw, server_hostname=self.host, do_handshake_on_connect=False)
            if self._abandoned:
                raise TimeoutError
            self.sock.do_handshake()
        except BaseException:
            raw.close()
            self.close()
            raise

    def abandon(self) -> None:
        """End whatever another thread does with this connection, now or later."""
        self._abandoned = True
        sock: socket.socket | None = self.sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


class WebhookSender:
    """Sends requests, each within `TIMEOUT_S`."""

    def __init__(
        self,
        resolve: Resolve = resolved,
        permits: Callable[[str], bool] = is_public,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """`permits` decides which addresses are connected to."""
        self._resolve, self._permits = resolve, permits
        self._context = context or ssl.create_default_context()

    def send(self, requests: Sequence[Request]) -> list[Outcome]:
        """Send all requests at the same time, and return their outcomes in order."""
        attempts = [_Attempt(self, request) for request in requests]
        until = time.monotonic() + TIMEOUT_S
        for attempt in attempts:
            attempt.start()
        return [attempt.outcome(max(0.0, until - time.monotonic())) for attempt in attempts]

    def connection(self, url: str) -> CheckedConnection:
        """Return a connection to a checked address of the URL's host, not yet open. Raise `AddressRefused` or
        `OSError`."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 443
        addresses = self._resolve(host, port)
        if parts.scheme != "https" or not addresses or not all(map(self._permits, addresses)):
            raise AddressRefused("the address is not public")
        return CheckedConnection(host, addresses[0], port, self._context)


class _Attempt(threading.Thread):
    """Sends one request. A thread that hangs in the DNS is left behind, and ends with the DNS's answer."""

    def __init__(self, sender: WebhookSender, request: Request) -> None:
        super().__init__(name="webhook", daemon=True)
        self._sender, self._request = sender, request
        self._connection: CheckedConnection | None = None
        self._result: Outcome | None = None
        self._abandoned = False

    def run(self) -> None:
        """Send the request."""
        began, status, error = time.monotonic(), None, ""
        try:
            status = self._status()
            error = "" if 200 <= status < 300 else f"the receiver answered {status}"
        except AddressRefused as refused:
            error = str(refused)
        except (OSError, http.client.HTTPException, ValueError) as failure:
            error = type(failure).__name__
        self._result = status, error, round((time.monotonic() - began) * 1000)

    def outcome(self, within_s: float) -> Outcome:
        """Return the outcome, or a timeout if there is none within this time."""
        self.join(within_s)
        if self._result is not None:
            return self._result
        self._abandoned = True
        if self._connection is not None:
            self._connection.abandon()
        return None, "timeout", round(TIMEOUT_S * 1000)

    def _status(self) -> int:
        url, headers, body = self._request
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection = self._sender.connection(url)
        if self._abandoned:
            raise TimeoutError
        try:
            self._connection.request("POST", target, body, {**headers, "user-agent": USER_AGENT})
            return self._connection.getresponse().status
        finally:
            self._connection.close()


def send(requests: Sequence[Request]) -> Sequence[Outcome]:
    """Send requests to public addresses."""
    return WebhookSender().send(requests)
