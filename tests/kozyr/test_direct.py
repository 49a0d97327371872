"""The direct reader understands plain requests and leaves every other byte sequence to gunicorn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from server.direct import DirectRequest, read_head

PLAIN = b"POST /v1/turns HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nContent-Length: 2\r\n\r\n{}"


def answer(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    return [b"{}"]


def changed(old: bytes, new: bytes) -> bytes:
    assert old in PLAIN
    return PLAIN.replace(old, new)


def test_a_plain_request_is_understood() -> None:
    read = read_head(PLAIN)
    assert read == (
        {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/v1/turns",
            "QUERY_STRING": "",
            "HTTP_HOST": "a",
            "HTTP_AUTHORIZATION": "Bearer x",
            "CONTENT_LENGTH": "2",
        },
        b"{}",
    )


@pytest.mark.parametrize(
    "request_",
    [
        PLAIN[:40],
        changed(b"HTTP/1.1", b"HTTP/1.0"),
        changed(b"HTTP/1.1", b"HTTP/1.1 "),
        changed(b"POST", b"PUT"),
        changed(b"POST", b"post"),
        changed(b"/v1/turns", b"/v1/%74urns"),
        changed(b"/v1/turns", b"//v1/turns#x"),
        changed(b"/v1/turns", b"http://a/v1/turns"),
        changed(b"/v1/turns", b"/v1/turns?wait=%31"),
        changed(b"Host: a\r\n", b""),
        changed(b"Host: a", b"Host: a\r\nHost: b"),
        changed(b"Host: a", b"Host: a\r\nhost: a"),
        changed(b"Host: a", b"Host:a"),
        changed(b"Host: a", b"Host: a "),
        changed(b"Host: a", b"Host:  a"),
        changed(b"Host: a", b"Host: a\r\n b"),
        changed(b"Host: a", b"Host: a\tb"),
        changed(b"Host: a", b"Host : a"),
        changed(b"Host: a", b"Host: \xc3\xa4"),
        changed(b"Host: a", b"Host: a\nX: b"),
        changed(b"Host: a", b"Host: a\rX"),
        changed(b"Host: a", b"Host: a\r\nX-Other: 1"),
        changed(b"Host: a", b"Host: a\r\nX_Forwarded_For: 1"),
        changed(b"Host: a", b"Host: a\r\nTransfer-Encoding: chunked"),
        changed(b"Host: a", b"Host: a\r\nExpect: 100-continue"),
        changed(b"Host: a", b"Host: a\r\nConnection: close"),
        changed(b"Host: a", b"Host: a\r\nConnection: upgrade\r\nUpgrade: h2c"),
        changed(b"Host: a", b"Host: a\r\nContent-Encoding: gzip"),
        changed(b"Content-Length: 2", b"Content-Length: +2"),
        changed(b"Content-Length: 2", b"Content-Length: 02"),
        changed(b"Content-Length: 2", b"Content-Length: 2, 2"),
        changed(b"Content-Length: 2", b"Content-Length: 2\r\nContent-Length: 2"),
        changed(b"Content-Length: 2\r\n", b""),
        changed(b"POST", b"GET"),
        b"\r\n" + PLAIN,
        b"\x16\x03\x01" + PLAIN,
        changed(b"Host: a", b"Host: a" + b"x" * 5000),
    ],
)
def test_anything_else_is_left_to_gunicorn(request_: bytes) -> None:
    assert read_head(request_) is None


def test_more_bytes_than_the_body_has_are_left_to_gunicorn() -> None:
    read = read_head(PLAIN + PLAIN)
    assert read is not None
    environ, begun = read
    assert not DirectRequest(environ, None, ("127.0.0.1", 1), answer).take_body(begun, most=100)


def test_a_line_break_in_a_header_of_the_response_is_refused() -> None:
    environ, _ = read_head(PLAIN) or ({}, b"")
    request = DirectRequest(environ, None, ("127.0.0.1", 1), answer)
    request.start_response("200 OK", [("A", "b\r\nC: d")])
    with pytest.raises(ValueError, match="line break"):
        request.send()


def test_the_body_of_a_response_is_closed_after_it_was_sent() -> None:
    class RecordingClient:
        sent = b""

        def sendall(self, data: bytes) -> None:
            self.sent += data

    class Body:
        closed = False

        def __iter__(self) -> Iterator[bytes]:
            yield b"moved"

        def close(self) -> None:
            self.closed = True

    client, body = RecordingClient(), Body()
    request = DirectRequest({"PATH_INFO": "/v1/turns"}, client, ("127.0.0.1", 1), lambda *_: body)
    request.start_response("200 OK", [("Content-Length", "5")])
    request.send()
    assert client.sent.endswith(b"\r\n\r\nmoved")
    assert body.closed
