"""Verify records from files and URLs, one by one."""

from __future__ import annotations

import base64
import json
import random
import re
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO
from urllib.parse import urlsplit

import click
import httpx

from kozyr_client import KozyrError
from kozyr_client.bounds import HEADERS, HOOKS
from kozyr_client.calls import certificates, network_settings
from kozyr_client.http import Backoff, RetryLater, retry_after
from records.verify import Finding, Neighbours, check_proof, verify

CURSOR: Final = "Kozyr-Cursor"
_TIMEOUT_S: Final = 60.0
PATIENCE_S: Final = 300.0
"""How long a request to a busy service is retried, in seconds."""
_BUSY: Final = frozenset({429, 503})
LONGEST_BYTES: Final = 4 * 2**30
"""How many bytes of records are read from one URL. `kozyr export` writes more into a file."""
_RECORDS: Final = {"Accept": "application/x-ndjson, application/json"}
_MARKS: Final = frozenset({"id", "game", "moves", "shuffle"})
"""Fields of every record. A document without any is no record at all, not a record with errors."""
_KEY: Final = re.compile("[0-9a-f]{64}")
_PEM: Final = re.compile("-----BEGIN PUBLIC KEY-----(.*)-----END PUBLIC KEY-----", re.DOTALL)
_SPKI: Final = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 key (RFC 8410)."""


class UnreadableSource(click.ClickException):
    """A source holds no readable record. The text says why."""


class Checked(NamedTuple):
    """The result of verifying one record."""

    where: str
    """The source, with the line number if it has several records."""
    match: str
    """The id of the match that the record states."""
    findings: list[Finding]
    proven: bool
    """Whether the record has a proof."""
    unsigned: bool
    """Whether that proof has no signature."""
    signed: bool
    """Whether a key was available to check the signature."""


class Source:
    """The records of one file or URL, in order."""

    def __init__(self, name: str, keys: Collection[str]) -> None:
        """Accept signatures of `keys`, or if empty, of the keys that the service at a URL publishes. Requests to a
        busy service are retried for `PATIENCE_S` seconds, and each pause is logged."""
        self.name, self.keys = name, keys
        self.neighbours = Neighbours()
        self.announced = 0
        """The length of the service's chain before its records were read; 0 for a file."""

    def checked(self) -> Iterator[Checked]:
        """Yield the result for each record. Raise `UnreadableSource`, possibly after some results."""
        empty = True
        for where, document in self.documents():
            empty = False
            yield self._check(where, document)
        if empty and not _is_address(self.name):
            raise UnreadableSource(f"{self.name}: it holds no record")

    def _check(self, where: str, document: object) -> Checked:
        findings = verify(document)
        record = document if isinstance(document, dict) else {}
        proven = "proof" in record
        if proven:
            findings += [*check_proof(record, self.keys), *self.neighbours.add(record)]
        proof = record.get("proof")
        unsigned = isinstance(proof, dict) and "signature" not in proof
        signed = proven and bool(self.keys) and not unsigned
        return Checked(where, str(record.get("id", "")), findings, proven, unsigned, signed)

    def documents(self) -> Iterator[tuple[str, object]]:
        """Yield each document with its place. Raise `UnreadableSource`."""
        if _is_address(self.name):
            network = {**network_settings(self.name), "verify": certificates()}
            with httpx.Client(
                **network,
                timeout=_TIMEOUT_S,
                follow_redirects=True,
                headers=HEADERS,
                event_hooks=HOOKS,
            ) as http:
                try:
                    served, self.announced = self._served(http)
                    self.keys = self.keys or served
                    yield from self._fetched(http)
                except KozyrError as why:
                    raise UnreadableSource(f"{self.name}: {why.problem['detail']}") from why
                except (httpx.HTTPError, httpx.InvalidURL) as why:
                    raise UnreadableSource(f"{self.name}: {str(why) or type(why).__name__}") from why
            return
        try:
            with (
                nullcontext(sys.stdin) if self.name == "-" else Path(self.name).open(encoding="utf-8")
            ) as file:
                yield from self._read(file)
        except OSError as why:
            raise UnreadableSource(f"{self.name}: {why.strerror or why}") from why
        except UnicodeDecodeError as why:
            raise UnreadableSource(f"{self.name}: {why}") from why

    def _read(self, file: TextIO) -> Iterator[tuple[str, object]]:
        """Yield one record per line, or a single record if the first line is not one."""
        first = file.readline()
        try:
            begun = json.loads(first)
        except (ValueError, RecursionError):
            begun = None
        if not isinstance(begun, dict):
            text = first + file.read()
            if text.strip():
                yield self.name, _parsed(self.name, text)
            return
        yield from self._lines(iter([first]), 1)
        yield from self._lines(file, 2)

    def _served(self, http: httpx.Client) -> tuple[list[str], int]:
        """Return the public keys of the service at the URL and the length of its chain, or no keys and 0."""
        parts = urlsplit(self.name)
        with _opened(http, f"{parts.scheme}://{parts.netloc}/v1/keys", {}) as answer:
            text = answer.read()
        try:
            document = json.loads(text) if answer.is_success else {}
            keys, records = [str(each["key"]).lower() for each in document["keys"]], int(document["records"])
        except (ValueError, KeyError, TypeError):
            return [], 0
        if not all(map(_KEY.fullmatch, keys)):  # in particular, none names a file of this machine
            raise UnreadableSource(f"{self.name}: the service publishes a malformed key")
        return keys, records

    def _fetched(self, http: httpx.Client) -> Iterator[tuple[str, object]]:
        url, last, size = httpx.URL(self.name), 0, 0
        while True:
            with _opened(http, url, _RECORDS) as answer:
                if not answer.is_success:
                    raise UnreadableSource(f"{self.name}: {_refusal(answer)}")
                kind = answer.headers.get("Content-Type", "").partition(";")[0]
                if kind == "application/json":
                    yield self.name, _parsed(self.name, answer.read().decode())
                    return
                if kind != "application/x-ndjson":
                    raise UnreadableSource(
                        f"{self.name}: the content type is {kind or 'missing'}, not that of records"
                    )
                for last, text in enumerate(answer.iter_lines(), last + 1):  # noqa: B020 -- it goes on from the page before
                    size += len(text) + 1
                    if size > LONGEST_BYTES:
                        raise UnreadableSource(
                            f"{self.name}: it has more than {LONGEST_BYTES // 2**30} GiB of records"
                        )
                    yield from self._lines(iter([text]), last)
                cursor = answer.headers.get(CURSOR)
                if not cursor:
                    return
                url = url.copy_set_param("cursor", cursor)

    def _lines(self, lines: Iterator[str], first: int) -> Iterator[tuple[str, object]]:
        for number, text in enumerate(lines, first):
            if text.strip():
                where = f"{self.name}, line {number}"
                yield where, _parsed(where, text)


@contextmanager
def _opened(http: httpx.Client, url: httpx.URL | str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
    """Send a GET and yield its unread response, once the service is not busy. Raise `KozyrError` if it stays busy, or
    an error of httpx."""
    backoff = Backoff(PATIENCE_S, time.monotonic, random.random)
    while True:
        with http.stream("GET", url, headers=headers) as answer:
            if answer.status_code not in _BUSY:
                yield answer
                return
            busy = KozyrError("busy", answer.status_code, {"detail": _refusal(answer)})
        time.sleep(backoff.pause(RetryLater(busy, retry_after(answer.headers.get("Retry-After")))))


def _refusal(answer: httpx.Response) -> str:
    """Return the status and detail of a response that is not a success."""
    try:
        detail = json.loads(answer.read())["detail"]
    except (ValueError, KeyError, TypeError):
        detail = answer.reason_phrase
    return f"{answer.status_code}: {detail}"


def public_key(given: str) -> str:
    """Return a public key in hexadecimal, from hexadecimal digits or a file with these or PEM. Raise
    `UnreadableSource`."""
    if _KEY.fullmatch(given.lower()):
        return given.lower()
    try:
        text = Path(given).read_text(encoding="ascii").strip()
        if _KEY.fullmatch(text.lower()):
            return text.lower()
        pem = _PEM.fullmatch(text)
        data = b"" if pem is None else base64.b64decode("".join(pem[1].split()), validate=True)
    except (OSError, ValueError) as why:
        reason = (why.strerror if isinstance(why, OSError) else None) or why
        raise UnreadableSource(
            f"--key {given}: {reason}; expected 64 hexadecimal digits, or a file with these or in PEM format"
        ) from why
    if len(data) != len(_SPKI) + 32 or not data.startswith(_SPKI):
        raise UnreadableSource(f"--key {given}: it is not an Ed25519 key")
    return data.removeprefix(_SPKI).hex()


def _is_address(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def _parsed(where: str, text: str) -> object:
    try:
        found: object = json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as why:
        raise UnreadableSource(f"{where}: it is not valid JSON ({why})") from why
    if isinstance(found, dict) and not found.keys() & _MARKS:
        raise UnreadableSource(f"{where}: it is no record, since it has none of {', '.join(sorted(_MARKS))}")
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has a duplicate name")
    return made


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number")
