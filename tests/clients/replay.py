"""Serve a wire fixture to a client under test: python3 tests/clients/replay.py FIXTURE [--first N] [--hold N] [--stops]

The first line of the output is the URL of the server. Close the standard input to end it: it then prints every
mistake of the client, one a line, and exits with 1 if there was one. It needs only the standard library, so that the
tests of a client in any language can start it. clients/fixtures/README.md says what it checks.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LATENESS = 0.01
"""The seconds by which clocks may differ when a pause is measured."""


UNEXPECTED = {"type": "/docs/problems#unexpected", "code": "unexpected", "status": 400, "retryable": False}
"""The problem of a request that the fixture does not have. It ends the client."""


def content_type(response: dict[str, Any]) -> str:
    """Return the type of a response whose headers name none."""
    if "text" in response:
        return "text/plain"
    return "application/json" if response["status"] < 400 else "application/problem+json"


def pause_s(headers: dict[str, str]) -> float:
    """Return how many seconds `Retry-After` asks for, in either form."""
    pause = headers.get("Retry-After", "0")
    if pause.isdigit():
        return float(pause)
    return (parsedate_to_datetime(pause) - parsedate_to_datetime(headers["Date"])).total_seconds()


class Dialogue:
    """The exchanges of a fixture, the position in them, and the client's mistakes. Safe for threads."""

    def __init__(self, exchanges: list[dict[str, Any]], hold: int | None) -> None:
        self.mistakes: list[str] = []
        self._exchanges, self._hold = exchanges, hold
        self._next, self._not_before = 0, 0.0
        self._keys: list[str] = []
        self._lock = threading.Lock()

    def answer(self, asked: dict[str, Any], key: str | None) -> dict[str, Any] | None:
        """Return the response to a request with this Idempotency-Key, or None for one that is never answered."""
        with self._lock:
            if key is not None:
                self._keys += [] if key in self._keys else [key]
                asked["key"] = self._keys.index(key) + 1
            number = self._next
            if number == self._hold:
                self._hold = None
                print("held", flush=True)
                return None
            wanted = (
                self._exchanges[number]["request"] if number < len(self._exchanges) else "no more requests"
            )
            if asked != wanted:
                self.mistakes.append(
                    f"request {number}: got {json.dumps(asked)}; expected {json.dumps(wanted)}"
                )
                return {"status": 400, "body": UNEXPECTED}
            if time.monotonic() < self._not_before - LATENESS:
                self.mistakes.append(f"request {number} ignored Retry-After")
            self._next += 1
            response: dict[str, Any] = self._exchanges[number]["response"]
            if asked["path"] != "/v1/queue":
                self._not_before = time.monotonic() + pause_s(response.get("headers", {}))
            return response

    def finish(self) -> list[str]:
        """Return the mistakes, after the client has ended."""
        with self._lock:
            if self._next < len(self._exchanges):
                self.mistakes.append(
                    f"the client stopped before request {self._next} of {len(self._exchanges)}"
                )
            return self.mistakes


class ReplayHandler(BaseHTTPRequestHandler):
    """Answers with the dialogue of its server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    dialogue: Dialogue

    def do_GET(self) -> None:
        """Answer a GET."""
        self._serve()

    def do_POST(self) -> None:
        """Answer a POST."""
        self._serve()

    def do_DELETE(self) -> None:
        """Answer a DELETE."""
        self._serve()

    def log_message(self, *_: object) -> None:
        """Log nothing: the output is for the mistakes."""

    def _serve(self) -> None:
        asked: dict[str, Any] = {"method": self.command, "path": self.path}
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if content:
            asked["body"] = json.loads(content)
            if self.path == "/v1/turns":
                asked["body"].setdefault("moves", [])
        response = self.dialogue.answer(asked, self.headers.get("Idempotency-Key"))
        if response is None:
            self.rfile.read(1)  # Until the client gives up.
            self.close_connection = True
            return
        if response.get("cut") == "before":
            self.close_connection = True
            return
        body = (response["text"] if "text" in response else json.dumps(response["body"])).encode()
        self.send_response_only(response["status"])
        for name, value in {"Content-Type": content_type(response), **response.get("headers", {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if "cut" in response:
            body = body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(body)


class ReplayServer(ThreadingHTTPServer):
    """A server on a free port of this machine, which does not wait for held requests."""

    daemon_threads = True
    block_on_close = False


def main() -> int:
    """Serve the fixture until the standard input ends. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fixture", type=Path)
    parser.add_argument("--first", type=int, help="serve only the first N exchanges")
    parser.add_argument(
        "--hold", type=int, help="print `held` and never answer request N, from 0, the first time"
    )
    parser.add_argument("--stops", action="store_true", help="expect `wait` 0 in the last request")
    options = parser.parse_args()
    exchanges = json.loads(options.fixture.read_text(encoding="utf-8"))["exchanges"][: options.first]
    if options.stops:
        exchanges[-1]["request"]["body"]["wait"] = 0
    ReplayHandler.dialogue = Dialogue(exchanges, options.hold)
    server = ReplayServer(("127.0.0.1", 0), ReplayHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()
    mistakes = ReplayHandler.dialogue.finish()
    for mistake in mistakes:
        print(mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
