"""A service on this machine with the routes that `kozyr mcp` needs, which serves the turns of a bench.

It never deals: the bench asks it one question after another, and its bot, the agent, answers over HTTP.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from kozyr.lines.protocol import table_of
from kozyr.local.match import BotAnswer, BotQuestion
from records.match import views
from records.words.turn import turn_text

MAX_WAIT_S: Final = 30.0
"""How long a poll may wait, in seconds."""
MOST_BYTES: Final = 262_144
"""The longest body of a request."""
Json = dict[str, Any]


class ServiceProblem(Exception):
    """A refusal, as a problem document."""

    def __init__(self, status: int, code: str, title: str) -> None:
        super().__init__(title)
        self.status, self.code, self.title = status, code, title


class OpenQuestion(NamedTuple):
    """A question that waits for its answer."""

    question: BotQuestion
    turn: Json
    asked: float
    """A monotonic instant."""


class ToolsService:
    """The service. `ask`, `withdraw` and `end` are called by the bench, the rest by its HTTP server."""

    def __init__(self) -> None:
        self.token = f"kozyr_{secrets.token_hex(16)}"
        self.refused = 0
        """How many moves it has refused."""
        self._changed = threading.Condition()
        self._version = 0
        self._open: OpenQuestion | None = None
        self._answer: BotAnswer | None = None
        self._answered: dict[tuple[str, int], str] = {}
        """The moves that were made, by match and turn. They may be repeated."""
        self._last: Json | None = None
        """The view of the match that was asked last."""
        self._over: Json | None = None
        """The end of the match that ended last."""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), partial(ToolsHandler, self))
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The address of the service."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def close(self) -> None:
        """Stop the service."""
        self._http.shutdown()
        self._http.server_close()

    # The bench

    def ask(self, question: BotQuestion) -> None:
        """Show a question to the agent."""
        now = int(1000 * time.time())
        with self._changed:
            if self._last is not None and self._last["id"] != question.match:
                self._answered.clear()
            self._last = views.match_view(question.loaded(now), question.seat, masked=False)
            self._open = OpenQuestion(question, question.turn(now), time.monotonic())
            self._answer = None
            self._change()

    def answer(self, wait_s: float) -> BotAnswer | None:
        """Return the answer to the question, or `None` if there is none within these seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._answer is not None, max(0.0, wait_s))
            return self._answer

    def withdraw(self) -> None:
        """Let nobody answer the question any more."""
        with self._changed:
            self._open = None
            self._change()

    def end(self, over: Json) -> None:
        """Tell the agent that its match is over, as `records.match.views.finished_view` says it."""
        with self._changed:
            if self._last is not None:
                self._last |= {"status": "finished", "turn": None, "to_move": None, **over}
            self._open, self._over = None, over
            self._change()

    def _change(self) -> None:
        self._version += 1
        self._changed.notify_all()

    # The agent

    def get(self, path: str) -> Any:
        """Return the document at a path, or a text for turns. Raise `ServiceProblem`."""
        if path == "/v1/limits":
            return {"version": version("kozyr"), "max_wait_s": MAX_WAIT_S, "max_moves": 0}
        if path == "/v1/token":
            return {"kind": "bot", "name": "bench/agent", "owner": "bench", "scope": "play"}
        with self._changed:
            if path == "/v1/turns":
                return self._words()
            if path.startswith("/v1/matches/"):
                return self._match(path.removeprefix("/v1/matches/"))
        raise ServiceProblem(404, "not_found", "The bench has no such route")

    def post(self, path: str, body: Json) -> Any:
        """Return the answer to a request. Raise `ServiceProblem`."""
        with self._changed:
            if path == "/v1/turns":
                return self._poll(body)
            _, _, _, match, *rest = [*path.split("/"), ""]
            if path.startswith("/v1/matches/") and rest[:1] == ["moves"]:
                return self._move(match, body)
        raise ServiceProblem(403, "forbidden", "The bench chooses the matches: call wait, then play")

    def _words(self) -> str:
        if self._open is None:
            return ""
        question, game = self._open.question, self._open.question.game
        table = table_of(game.id, game.seats, game.options)
        return turn_text(self._open.turn, table, question.events(0))

    def _match(self, match: str) -> Json:
        if self._last is None or self._last["id"] != match:
            raise ServiceProblem(404, "no_such_match", "There is no such match now")
        return self._last

    def _poll(self, body: Json) -> Json:
        since, wait = body.get("since"), min(MAX_WAIT_S, float(body.get("wait", 0)))
        self._changed.wait_for(lambda: since != str(self._version), wait)
        is_new = since != str(self._version)
        return {
            "results": [],
            "turns": [self._open.turn] if self._open is not None and is_new else [],
            "finished": [self._over] if self._over is not None and is_new else [],
            "since": str(self._version),
        }

    def _move(self, match: str, body: Json) -> Json:
        turn, move, asked = body.get("turn"), str(body.get("move")), self._open
        if asked is None or asked.question.match != match or ("turn" in body and turn != asked.turn["turn"]):
            if isinstance(turn, int) and self._answered.get((match, turn)) == move:
                return {"match": match, "turn": turn, "move": move, "replayed": True}
            self.refused += 1
            raise ServiceProblem(409, "stale_turn", "This turn is not being asked now")
        if move not in asked.question.legal_moves() + asked.question.observation()["free_moves"]:
            self.refused += 1
            raise ServiceProblem(409, "illegal_move", "This is none of the moves")
        facts: Mapping[str, Any] = body["facts"] if isinstance(body.get("facts"), dict) else {}
        self._answer = BotAnswer(move, int(1000 * (time.monotonic() - asked.asked)), facts)
        self._answered[match, asked.turn["turn"]] = move
        self._open = None
        self._last = {**self._match(match), "turn": None, "to_move": None}
        self._change()
        return {"match": match, "turn": turn, "move": move, "replayed": False}


class ToolsHandler(BaseHTTPRequestHandler):
    """Reads requests with the agent's token, and writes JSON or a text."""

    protocol_version = "HTTP/1.1"

    def __init__(self, tools: ToolsService, *request: Any) -> None:
        """Answer the requests of a connection."""
        self.tools = tools
        super().__init__(*request)

    def do_GET(self) -> None:
        """Answer a `GET`."""
        self._respond(lambda path: self.tools.get(path))

    def do_POST(self) -> None:
        """Answer a `POST`."""
        text = self.headers.get("Content-Length", "0")
        length = int(text) if text.isascii() and text.isdigit() else 0
        if length > MOST_BYTES:
            self.close_connection = True  # the rest of the body is no request
        raw = self.rfile.read(min(length, MOST_BYTES))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        self._respond(lambda path: self.tools.post(path, body if isinstance(body, dict) else {}))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- as http.server has it
        """Log nothing."""

    def _called(self, call: Any) -> Any:
        """Return the answer. Raise `ServiceProblem`."""
        try:
            return call(urlsplit(self.path).path)
        except (TypeError, ValueError) as why:
            raise ServiceProblem(400, "bad_request", f"The request has a wrong value: {why}") from why

    def _respond(self, call: Any) -> None:
        try:
            if not secrets.compare_digest(
                self.headers.get("Authorization", "").encode(), f"Bearer {self.tools.token}".encode()
            ):
                raise ServiceProblem(401, "token_invalid", "The token is not that of the bench")
            status, document = 200, self._called(call)
        except ServiceProblem as why:
            status = why.status
            document = {
                "type": f"about:blank#{why.code}",
                "status": status,
                "code": why.code,
                "title": why.title,
                "detail": why.title,
            }
        words = isinstance(document, str)
        data = document.encode() if words else json.dumps(document).encode()
        kind = "text/plain; charset=utf-8" if words else "application/json"
        with suppress(OSError):  # the client has left
            self.send_response(status)
            self.send_header("Content-Type", kind if status == 200 else "application/problem+json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
