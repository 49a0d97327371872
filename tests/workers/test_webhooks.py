"""Sending messages of webhooks to hostile receivers and through hostile name servers."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from tests.support.guarded_redis import Certificates
from workers import webhooks
from workers.webhooks import AddressRefused, WebhookSender

HOST = "hooks.example.com"


class Receiver(BaseHTTPRequestHandler):
    """A receiver that does what the path says."""

    seen: ClassVar[list[tuple[str, dict[str, str], bytes]]]
    hang: ClassVar[threading.Event]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        if self.path == "/hangs":
            self.hang.wait(30)
            return
        if self.path == "/drips":
            while not self.hang.wait(0.05):
                self.wfile.write(b"H")
            return
        if self.path == "/nonsense":
            self.wfile.write(b"\x00\xff no HTTP\r\n\r\n")
            return
        self.send_response(int(self.path[1:4]))
        self.send_header("Location", "https://127.0.0.1/private")
        self.end_headers()
        self.wfile.write(b"x" * 100)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls"), "authority")


@pytest.fixture
def receiver(certificates: Certificates) -> Iterator[ThreadingHTTPServer]:
    class Fresh(Receiver):
        seen: ClassVar = []
        hang: ClassVar = threading.Event()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Fresh)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificates.made_for(HOST))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    Fresh.hang.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def sender(certificates: Certificates) -> WebhookSender:
    """Return a sender that trusts the receiver, and that may connect to this machine."""
    context = ssl.create_default_context(cafile=str(certificates.authority))
    return WebhookSender(lambda *_: ["127.0.0.1"], lambda _: True, context)


def to(server: ThreadingHTTPServer, path: str, host: str = HOST) -> tuple[str, dict[str, str], bytes]:
    return f"https://{host}:{server.server_address[1]}{path}", {"webhook-id": "msg_1"}, b"{}"


def test_a_message_arrives_with_its_headers_over_verified_tls(
    sender: WebhookSender, receiver: ThreadingHTTPServer
) -> None:
    ((status, error, _),) = sender.send([to(receiver, "/204?a=b")])
    assert (status, error) == (204, "")
    ((path, headers, body),) = receiver.RequestHandlerClass.seen  # type: ignore[attr-defined]
    assert (path, body, headers["webhook-id"]) == ("/204?a=b", b"{}", "msg_1")
    assert headers["host"] == f"{HOST}:{receiver.server_address[1]}"


def test_redirects_are_not_followed(sender: WebhookSender, receiver: ThreadingHTTPServer) -> None:
    outcomes = sender.send([to(receiver, f"/{status}") for status in (301, 302, 303, 307, 308)])
    assert [status for status, _, _ in outcomes] == [301, 302, 303, 307, 308]
    assert all(error for _, error, _ in outcomes)
    assert len(receiver.RequestHandlerClass.seen) == 5  # type: ignore[attr-defined]


def test_a_certificate_of_others_is_refused(sender: WebhookSender, receiver: ThreadingHTTPServer) -> None:
    ((status, error, _),) = sender.send([to(receiver, "/204", "other.example.com")])
    assert (status, error) == (None, "SSLCertVerificationError")
    assert receiver.RequestHandlerClass.seen == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["/hangs", "/drips", "/nonsense"])
def test_a_hostile_receiver_costs_no_more_than_the_timeout_and_delays_nobody(
    sender: WebhookSender, receiver: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.5)
    bad, good = sender.send([to(receiver, path), to(receiver, "/200")])
    assert bad[0] is None
    assert bad[1]
    assert good[:2] == (200, "")


def test_a_name_server_that_hangs_costs_no_more_than_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.2)
    released = threading.Event()

    def hangs(*_: object) -> Sequence[str]:
        released.wait(30)
        return []

    outcomes = WebhookSender(hangs).send([(f"https://{HOST}/", {}, b"")])
    released.set()
    assert outcomes == [(None, "timeout", 200)]


@pytest.mark.parametrize("path", ["/drips", "/hangs"])
def test_no_thread_outlives_a_receiver_that_drips_or_hangs(
    sender: WebhookSender, receiver: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.5)
    sender.send([to(receiver, path)])
    for thread in threading.enumerate():
        if thread.name == "webhook":
            thread.join(60)
    assert "webhook" not in {thread.name for thread in threading.enumerate()}


def test_a_receiver_that_drips_its_handshake_is_abandoned(
    sender: WebhookSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.3)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"\x16\x03\x03\x40\x00")  # the head of a long handshake record
                while not ended.wait(0.02):
                    try:
                        connection.sendall(b"\x00")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        ((status, _, _),) = sender.send([(f"https://{HOST}:{listener.getsockname()[1]}/", {}, b"")])
        assert status is None
        for thread in threading.enumerate():
            if thread.name == "webhook":
                thread.join(60)
        ended.set()
    assert "webhook" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["::1"],
        ["::ffff:10.0.0.1"],
        ["169.254.169.254"],
        ["8.8.8.8", "127.0.0.1"],
        ["2606:4700:4700::1111", "fd00::1"],
        [],
    ],
)
def test_a_name_with_a_private_address_is_refused(addresses: list[str]) -> None:
    sender = WebhookSender(lambda *_: addresses)
    with pytest.raises(AddressRefused):
        sender.connection(f"https://{HOST}/")
    assert sender.send([(f"https://{HOST}/", {}, b"")])[0][:2] == (None, "the address is not public")


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "127.1", "017700000001", "localhost", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_spellings_of_this_machine_are_refused_by_the_real_resolver(host: str) -> None:
    ((status, error, _),) = WebhookSender().send([(f"https://{host}/", {}, b"")])
    assert (status, error) in {(None, "the address is not public"), (None, "gaierror")}


def test_a_name_is_resolved_once_and_the_checked_address_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    connected: list[tuple[str, int]] = []

    def rebinding(host: str, _: int) -> Sequence[str]:
        asked.append(host)
        return ["93.184.216.34"] if len(asked) == 1 else ["127.0.0.1"]

    def connect(address: tuple[str, int], *_: object) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    WebhookSender(rebinding).send([(f"https://{HOST}/", {}, b"")])
    assert asked == [HOST]
    assert connected == [("93.184.216.34", 443)]
    assert ipaddress.ip_address(connected[0][0]).is_global
