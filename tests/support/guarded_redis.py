"""A redis-server that requires a password, optionally behind TLS.

The packaged server may lack TLS support. So a proxy in this process terminates TLS in front of it, with certificates
created for the test. A client can't tell the difference.
"""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import selectors
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import redis
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from server.embedded import find_server
from tests.support.ports import free_port
from tests.support.waiting import eventually

USER, PASSWORD = "kozyr", "p@ss/word:with-signs"
QUOTED = "p%40ss%2Fword%3Awith-signs"
RIGHTS = ("~kozyr:*", "~rq:*", "&*", "+@all", "-@admin", "-@dangerous", "+info")


@contextlib.contextmanager
def guarded_redis(folder: Path, *rights: str) -> Iterator[int]:
    """Run a redis-server with one user who has these rights. Yield its loopback port."""
    port = free_port()
    acl = folder / "users.acl"
    acl.write_text(f"user default off\nuser {USER} on >{PASSWORD} {' '.join(rights)}\n")
    command = [find_server(), "--port", str(port), "--bind", "127.0.0.1", "--dir", folder]
    command += ["--aclfile", acl, "--save", "", "--appendonly", "no"]
    with (folder / "guarded-redis.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        client = redis.Redis(port=port, username=USER, password=PASSWORD, protocol=2)
        eventually(lambda: _answers(client), "the guarded Redis answers")
        yield port
    finally:
        process.kill()
        process.wait()


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


class Certificates:
    """A certificate authority and the certificates that it signs, as PEM files."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._key = ec.generate_private_key(ec.SECP256R1())
        subject = _named(name)
        made = _certificate(subject, subject, self._key, self._key, None)
        self.authority = self._write(f"{name}.crt", made.public_bytes(serialization.Encoding.PEM))
        self._subject = subject

    def made_for(self, host: str) -> tuple[Path, Path]:
        """Create a certificate for this host and its private key."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = _certificate(_named(host), self._subject, key, self._key, host)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        public = made.public_bytes(serialization.Encoding.PEM)
        return self._write(f"{self._name}-{host}.crt", public), self._write(
            f"{self._name}-{host}.key", private
        )

    def _write(self, name: str, data: bytes) -> Path:
        path = self._folder / name
        path.write_bytes(data)
        return path


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    host: str | None,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    identity = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    above = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        .add_extension(identity, critical=False)
        .add_extension(above, critical=False)
    )
    if host is not None:
        names: list[x509.GeneralName] = [x509.DNSName(host)]
        names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return made.sign(signer, hashes.SHA256())


@contextlib.contextmanager
def tls_before(port: int, certificate: Path, key: Path, clients: Path | None = None) -> Iterator[int]:
    """Run a TLS proxy and yield its loopback port. With `clients`, require a client certificate of this authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, context, port), daemon=True).start()
        yield listener.getsockname()[1]


def _accept(listener: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_pass_on, args=(client, context, port), daemon=True).start()


def _pass_on(raw: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with (
        contextlib.suppress(OSError),
        raw,
        selectors.DefaultSelector() as ready,
        context.wrap_socket(raw, server_side=True) as client,
        socket.create_connection(("127.0.0.1", port)) as server,
    ):
        ready.register(client, selectors.EVENT_READ, server)
        ready.register(server, selectors.EVENT_READ, client)
        while True:
            for key, _ in ready.select():
                source = key.fileobj
                data = source.recv(65_536)  # type: ignore[union-attr]  # both are sockets
                while isinstance(source, ssl.SSLSocket) and source.pending():
                    data += source.recv(65_536)
                if not data:
                    return
                key.data.sendall(data)
