"""A fake service that speaks the wire format, injects faults, and keeps the requests that it received.

Each match has `length` turns. `FaultyService.answer` is the service, `transport` connects it to httpx, and `serve` runs
it behind a real socket, where responses really get lost.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

Json = dict[str, Any]
Answer = tuple[int, dict[str, str], Any]

LOST_BEFORE = "the connection breaks before the request arrives"
LOST_AFTER = "the request is served and the response lost"
CUT_SHORT = "the request is served and the response cut short"
TIMES_OUT = "the request is served and the response comes too late"


@dataclass
class FakeMatch:
    """A match of `length` turns. In turn `exchange_at` an `exchange` is possible, which replaces the turn."""

    length: int
    exchange_at: int = 0
    turn: int = 1
    exchanged: bool = False
    made: dict[int, str] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        return self.turn > self.length

    @property
    def legal(self) -> list[str]:
        return [f"play {self.turn}{'x' if self.exchanged else ''}", "pass"]

    @property
    def free(self) -> list[str]:
        return ["exchange"] if self.turn == self.exchange_at and not self.exchanged else []


def problem(code: str, status: int, **more: Any) -> Json:
    own = {"type": f"/docs/problems#{code}", "code": code, "status": status, "title": code}
    return {**own, "detail": f"{code}!", "retryable": False, **more}


def response_of(status: int, headers: dict[str, str], payload: Any) -> httpx.Response:
    """Return a response with this JSON document, or with a text from something else than the service."""
    if isinstance(payload, str):
        return httpx.Response(status, headers={"Content-Type": "text/html", **headers}, text=payload)
    kind = "application/json" if status < 400 else "application/problem+json"
    return httpx.Response(status, headers={"Content-Type": kind, **headers}, json=payload)


class FaultyService:
    """The fake service.

    `troubles` holds a fault for each of the next calls of `POST /v1/turns`: `None`, one of the texts above, or a
    response (status, headers, body) that replaces the service's own.
    """

    def __init__(self, *lengths: int) -> None:
        self.matches = {f"m{number}": FakeMatch(length) for number, length in enumerate(lengths)}
        self.troubles: deque[str | Answer | None] = deque()
        self.refusals: dict[tuple[str, int], deque[Json]] = {}
        self.bodies: list[Json] = []
        self.calls: list[tuple[str, str, dict[str, str]]] = []
        self.replays = 0
        self.other: dict[tuple[str, str], Answer] = {}
        self.epoch = "first"
        self.game = "a game"
        self.limits: Json = {"max_wait_s": 60, "max_moves": 256}
        self.unbegun: set[str] = set()
        """Matches for which a bot that leaves does not show up."""
        self.lists = True
        """Whether turns and refusals list moves."""
        self.reverse = False
        self.repeat = False
        self.next_time: Callable[[], float] = lambda: 5.0
        self.lock = threading.Lock()

    # Queries of the tests

    def committed(self) -> Counter[tuple[str, int]]:
        """Return how often each turn was answered: once, by the rules of the service."""
        return Counter((match, turn) for match, each in self.matches.items() for turn in each.made)

    def moves_sent(self) -> dict[tuple[str, int], set[str]]:
        """Return the moves sent for each turn; free moves are under turn 0."""
        sent: dict[tuple[str, int], set[str]] = {}
        for body in self.bodies:
            for move in body["moves"]:
                sent.setdefault((move["match"], move.get("turn", 0)), set()).add(move["move"])
        return sent

    @property
    def all_over(self) -> bool:
        return all(match.over for match in self.matches.values())

    # The service

    def answer(self, method: str, path: str, body: Json | None, headers: dict[str, str]) -> Answer:
        """Return the response of the service, without faults."""
        with self.lock:
            self.calls.append((method, path, headers))
            if (method, path) in self.other:
                return self.other[method, path]
            if (method, path) == ("GET", "/v1/limits"):
                return 200, {}, self.limits
            if (method, path) == ("POST", "/v1/turns"):
                assert body is not None
                self.bodies.append(body)
                return self._turns(body)
            ident = path.removeprefix("/v1/matches/")
            if method == "GET" and ident in self.matches:
                over = self.matches[ident].over
                return 200, {}, {"id": ident, "status": "finished" if over else "running", **self._end(ident)}
            return 404, {}, problem("not_found", 404)

    def _turns(self, body: Json) -> Answer:
        results = [self._move(move) for move in body["moves"]]
        known: set[str] = set()
        if body.get("since") is not None:
            given = json.loads(body["since"])
            if given["epoch"] == "made up":
                return 400, {}, problem("bad_cursor", 400)
            known = set(given["known"]) if given["epoch"] == self.epoch else set()
        turns, finished, now_known = [], [], []
        for ident, match in self.matches.items():
            name = f"{ident} {'over' if match.over else match.turn}"
            now_known.append(name)
            if name in known and not self.repeat:
                continue
            if match.over:
                finished.append({"match": ident, **self._end(ident)})
            else:
                turns.append(self._turn(ident, match))
        if self.reverse:
            turns.reverse()
        since = json.dumps({"epoch": self.epoch, "known": now_known})
        answer = {"results": results, "turns": turns, "finished": finished, "since": since}
        if body.get("leaving"):
            answer["turns"] = [turn for turn in turns if turn["match"] not in self.unbegun]
            begun = [match for ident, match in self.matches.items() if ident not in self.unbegun]
            answer["running"] = len([match for match in begun if not match.over])
        return 200, {}, answer

    def _turn(self, ident: str, match: FakeMatch) -> Json:
        # This clock differs widely from the client's own, because only differences count.
        return {
            "match": ident,
            "turn": match.turn,
            "deal": 1,
            "seat": 0,
            "observation": {
                "game": self.game,
                "legal_moves": match.legal if self.lists else [],
                "free_moves": match.free if self.lists else [],
                "exchanged": match.exchanged,
            },
            "clocks": [],
            "deadline": f"1999-12-31T23:00:{self.next_time():06.3f}Z",
            "now": "1999-12-31T23:00:00.000Z",
        }

    def _end(self, ident: str) -> Json:
        return {
            "seat": 0,
            "ending": "rules",
            "scores": [0, -1],
            "places": [1, 2],
            "forfeits": [],
            "ended": "…",
        }

    def _move(self, move: Json) -> Json:
        free = "deal" in move
        key = (move["match"], move.get("turn", 0))
        refusals = self.refusals.get(key)
        if refusals:
            return {"problem": refusals.popleft()}
        match = self.matches[move["match"]]
        result = {"match": move["match"], "seat": 0, "turn": move.get("turn"), "move": move["move"], "ms": 1}
        if match.exchanged if free else match.made.get(move["turn"]) == move["move"]:
            self.replays += 1
            return {**result, "charged_ms": 0, "replayed": True}
        if not free and move["turn"] != match.turn:
            return {"problem": problem("match_over" if match.over else "stale_turn", 409, view={})}
        if not free and move["move"] in match.free:
            return {"problem": problem("free_move_with_turn", 422, deal=1)}
        if move["move"] not in (match.free if free else match.legal):
            legal = match.legal if self.lists else []
            return {"problem": problem("illegal_move", 422, legal_moves=legal)}
        if free:
            match.exchanged = True
            match.turn += 1
            return {**result, "charged_ms": 0, "replayed": False}
        assert move["turn"] not in match.made
        match.made[move["turn"]] = move["move"]
        match.turn += 1
        return {**result, "charged_ms": 0, "replayed": False}

    # Connected to httpx

    @property
    def transport(self) -> httpx.MockTransport:
        """Return a transport to the service without a socket."""
        return httpx.MockTransport(self._handle)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else None
        trouble = self.troubles.popleft() if request.url.path == "/v1/turns" and self.troubles else None
        if trouble == LOST_BEFORE:
            raise httpx.ConnectError("refused", request=request)
        if isinstance(trouble, tuple):
            return response_of(*trouble)
        status, headers, payload = self.answer(request.method, request.url.path, body, dict(request.headers))
        if trouble == LOST_AFTER:
            raise httpx.RemoteProtocolError(
                "Server disconnected without sending a response.", request=request
            )
        if trouble == TIMES_OUT:
            raise httpx.ReadTimeout("too late", request=request)
        if trouble == CUT_SHORT:
            text = json.dumps(payload)
            return httpx.Response(
                status, headers={"Content-Type": "application/json"}, text=text[: len(text) // 2]
            )
        return response_of(status, headers, payload)

    # Behind a socket

    @contextlib.contextmanager
    def serve(self) -> Iterator[str]:
        """Run the service on the loopback address, with connections that really break."""
        service = self

        class FaultyHandler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                self._serve(None)

            def do_POST(self) -> None:
                self._serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _serve(self, body: Json | None) -> None:
                trouble = (
                    service.troubles.popleft() if self.path == "/v1/turns" and service.troubles else None
                )
                if trouble == LOST_BEFORE:
                    self.close_connection = True
                    return
                status, _, payload = service.answer(self.command, self.path, body, {})
                self.close_connection = trouble is not None
                if trouble == LOST_AFTER:
                    return
                content = json.dumps(payload).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if trouble == CUT_SHORT else content)

        server = ThreadingHTTPServer(("127.0.0.1", 0), FaultyHandler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
