"""How each client reaches a service: through the proxy of the environment, and with a certificate of the author's own.

The service has a certificate of a private authority. `service.test` is in no DNS: only the proxy knows the way to it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, Final, NamedTuple

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from tests.clients.languages import GO, PYTHON, TYPESCRIPT, ClientLanguage
from tests.support.guarded_redis import Certificates
from tests.support.live import ROOT

ENDING_S: Final = 60
"""A client that retries for ever fails the test after this time."""
REFUSAL: Final = json.dumps(
    {"type": "/docs/problems#token_invalid", "code": "token_invalid", "status": 401, "retryable": False}
).encode()


class RefusingService(BaseHTTPRequestHandler):
    """Answers every request with a problem of a Kozyr service, which ends the client."""

    def do_GET(self) -> None:
        """Answer a GET."""
        self.send_response(401)
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(REFUSAL)))
        self.end_headers()
        self.wfile.write(REFUSAL)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class Tunnel(StreamRequestHandler):
    """Serves CONNECT: every host is this machine."""

    targets: list[str]

    def handle(self) -> None:
        """Connect the client with the port that it names."""
        target = self.rfile.readline().split()[1].decode()
        while self.rfile.readline().strip():
            pass
        self.targets.append(target)
        with socket.create_connection(("127.0.0.1", int(target.rpartition(":")[2]))) as service:
            self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            ends = {self.connection: service, service: self.connection}
            while True:
                for each in select.select(list(ends), [], [])[0]:
                    data = each.recv(65_536)
                    if not data:
                        return
                    ends[each].sendall(data)


class Network(NamedTuple):
    """A service, a proxy, and the file with the authority that made the service's certificate."""

    port: int
    proxy: str
    authority: Path
    targets: list[str]
    """What clients asked the proxy for."""


@contextlib.contextmanager
def serving(server: Any) -> Iterator[int]:
    """Run a server in a thread, and yield its port."""
    server.daemon_threads, server.block_on_close = True, False
    with server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    """A TLS service that is `localhost` and `service.test`, and a proxy."""
    ours = Certificates(tmp_path, "ours")
    contexts = {}
    for name in ("localhost", "service.test"):
        contexts[name] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        contexts[name].load_cert_chain(*ours.made_for(name))

    def choose(secure: ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> None:
        secure.context = contexts.get(name or "", contexts["localhost"])

    contexts["localhost"].sni_callback = choose  # type: ignore[assignment]
    service = ThreadingHTTPServer(("127.0.0.1", 0), RefusingService)
    service.socket = contexts["localhost"].wrap_socket(
        service.socket, server_side=True, do_handshake_on_connect=False
    )
    targets: list[str] = []
    tunnel = type("Handler", (Tunnel,), {"targets": targets})
    with serving(service) as port, serving(ThreadingTCPServer(("127.0.0.1", 0), tunnel)) as proxy:
        yield Network(port, f"http://127.0.0.1:{proxy}", ours.authority, targets)


@pytest.fixture(
    scope="module",
    params=[PYTHON, *(pytest.param(each, marks=pytest.mark.clients) for each in (TYPESCRIPT, GO))],
    ids=lambda language: language.name,
)
def bot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """The command that starts the first bot of a client."""
    language: ClientLanguage = request.param
    if language is PYTHON:
        return [sys.executable, str(ROOT / "examples" / "first_bot.py")]
    language.skip_unless_installed()
    build = tmp_path_factory.mktemp(language.name)
    language.run(language.prepare, build)
    language.run(language.build, build)
    return [
        str(language.folder / word) if word.endswith(".js") else word
        for word in language.command(language.first_bot, build)
    ]


def output_of(bot: Sequence[str], url: str, **environment: str) -> str:
    """Return what a bot prints until it ends."""
    foreign = {name for name in os.environ if name.upper().endswith("_PROXY") or name.startswith("SSL_CERT")}
    inherited = {name: value for name, value in os.environ.items() if name not in foreign}
    done = subprocess.run(
        bot,
        env={**inherited, "KOZYR_URL": url, "KOZYR_TOKEN": "kozyr_secret", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=ENDING_S,
        check=False,
    )
    assert done.returncode != 0
    return done.stdout


def test_a_client_reaches_a_service_through_the_proxy_of_the_environment(
    bot: Sequence[str], network: Network
) -> None:
    output = output_of(
        bot,
        f"https://service.test:{network.port}",
        HTTPS_PROXY=network.proxy,
        SSL_CERT_FILE=str(network.authority),
    )
    assert "token_invalid" in output
    assert network.targets == [f"service.test:{network.port}"]


def test_a_client_trusts_a_private_authority_on_this_machine_and_bypasses_the_proxy(
    bot: Sequence[str], network: Network
) -> None:
    output = output_of(
        bot,
        f"https://localhost:{network.port}",
        HTTPS_PROXY=network.proxy,
        SSL_CERT_FILE=str(network.authority),
    )
    assert "token_invalid" in output
    assert network.targets == []


def test_a_client_ends_at_an_unknown_authority_and_says_what_to_do(
    bot: Sequence[str], network: Network
) -> None:
    output = output_of(bot, f"https://localhost:{network.port}")
    assert "certificate" in output
    assert "SSL_CERT_FILE" in output
    assert "token_invalid" not in output


def test_a_client_ends_at_a_certificate_for_another_name(bot: Sequence[str], network: Network) -> None:
    output = output_of(
        bot,
        f"https://other.test:{network.port}",
        HTTPS_PROXY=network.proxy,
        SSL_CERT_FILE=str(network.authority),
    )
    assert "certificate" in output
    assert "token_invalid" not in output


def test_a_client_ends_at_an_address_with_a_password_and_does_not_print_it(bot: Sequence[str]) -> None:
    output = output_of(bot, "http://me:hunter2@127.0.0.1:9")
    assert "password" in output
    assert "hunter2" not in output


def test_a_client_bypasses_the_proxy_for_the_hosts_in_no_proxy(bot: Sequence[str], network: Network) -> None:
    with serving(ThreadingHTTPServer(("127.0.0.2", 0), RefusingService)) as port:
        url, proxies = (
            f"http://127.0.0.2:{port}",
            {"HTTP_PROXY": network.proxy, "NO_PROXY": "a.test,127.0.0.2"},
        )
        assert "token_invalid" in output_of(bot, url, **proxies)
    assert network.targets == []


def test_verify_bypasses_the_proxy_for_this_machine(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), RefusingService)) as port:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            monkeypatch.setenv(name, network.proxy)
        done = CliRunner().invoke(main, ["verify", f"http://127.0.0.1:{port}/v1/records"])
    assert "401" in done.output
    assert network.targets == []
