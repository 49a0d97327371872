"""Bad input over real HTTP under gunicorn gets a problem document with its code, and changes nothing."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import httpx
import pytest

from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

BODY_TIMEOUT_S: Final = 0.5
QUIET: Final = {"KOZYR_LOG_LEVEL": "warning", "KOZYR_BODY_TIMEOUT_S": str(BODY_TIMEOUT_S)}
JSON: Final = {"Content-Type": "application/json"}
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
TABLE: Final = {"game": "durak", "seats": ["house/random", "house/greedy"]}


class HostileStage:
    """A service with a bot in the middle of a match, and a bot that has no seat there."""

    def __init__(self, service: LiveService) -> None:
        self.service = service
        self.league = LiveLeague(service)
        self.http = service.http()
        self.bot, self.thief = self.league.bot("victim"), LiveLeague(service, "thief").bot("thief")
        self.match = self.league.match([self.bot, "house/random"], deals=100)
        (self.turn,) = self.turns()
        self.play()
        (self.turn,) = self.turns()
        self.over = self.league.match([self.bot, "house/random"])
        self.ask("bot", "POST", f"/v1/matches/{self.over}/resign")
        reader = {"bot": "victim", "scopes": ["read"]}
        revoked = self.league.post("/v1/tokens", {"bot": "victim"}, self.league.token)
        self.tokens = {
            "owner": self.league.token,
            "bot": self.bot.token,
            "thief": self.thief.token,
            "reader": self.league.post("/v1/tokens", reader, self.league.token)["token"],
            "revoked": revoked["token"],
            "wrong": "kozyr_" + "a" * 32,
        }
        self.ask("owner", "DELETE", f"/v1/tokens/{revoked['details']['id']}")

    def turns(self) -> list[dict[str, Any]]:
        """Return the bot's open turns."""
        found: list[dict[str, Any]] = self.league.get("/v1/turns", self.bot.token, params={"wait": 5})[
            "turns"
        ]
        return found

    def play(self) -> None:
        """Make a move for the bot."""
        body = {"turn": self.turn["turn"], "move": self.legal}
        self.league.post(f"/v1/matches/{self.match}/moves?wait=5", body, self.bot.token)

    @property
    def legal(self) -> str:
        """A legal move of the bot."""
        move: str = self.turn["observation"]["legal_moves"][0]
        return move

    def ask(self, who: str | None, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request with the token of one of the roles."""
        tokens = getattr(self, "tokens", {"owner": self.league.token, "bot": self.bot.token})
        headers = {} if who is None else {"Authorization": f"Bearer {tokens[who]}"}
        return self.http.request(method, path, headers=headers | more.pop("headers", {}), **more)

    def all_there_is(self) -> Any:
        """Return everything that a refused request must not change."""
        public = ("/v1/matches?limit=200", "/v1/bots?limit=200", "/v1/ladders?limit=200")
        view = self.ask("bot", "GET", f"/v1/matches/{self.match}").json()
        view.pop("now")
        tokens = self.ask("owner", "GET", "/v1/tokens").json()
        return [self.ask(None, "GET", path).json() for path in public], view, tokens


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileStage]:
    folder = tmp_path_factory.mktemp("hostile")
    with LiveService(folder, ["redis", "api"], settings=QUIET) as service:
        yield HostileStage(service)


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Return the problem document of a refusal."""
    assert answer.status_code == status, answer.text[:500]
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert (problem["status"], problem["code"]) == (status, code), problem
    assert "Traceback" not in answer.text
    return problem


def moves(stage: HostileStage) -> str:
    return f"/v1/matches/{stage.match}/moves"


def record(stage: HostileStage) -> str:
    return f"/v1/matches/{stage.match}/record"


Ask = Callable[[HostileStage], httpx.Response]


def post(path: str, body: Any, who: str | None = "owner") -> Ask:
    return lambda stage: stage.ask(who, "POST", path, json=body)


def raw(path: str, content: bytes, headers: dict[str, str] = JSON, who: str = "owner") -> Ask:
    return lambda stage: stage.ask(who, "POST", path, content=content, headers=headers)


def get(path: str, who: str | None = None) -> Ask:
    return lambda stage: stage.ask(who, "GET", path)


def table(**change: Any) -> Ask:
    return post("/v1/matches", {**TABLE, **change})


def move(who: str | None = "bot", **change: Any) -> Ask:
    return lambda stage: stage.ask(
        who, "POST", moves(stage), json={"turn": stage.turn["turn"], "move": stage.legal, **change}
    )


def names(number: int, more: bytes = b"") -> bytes:
    """Return a JSON object with this many names."""
    return b"{" + b",".join(b'"n%05d":0' % each for each in range(number)) + more + b"}"


BAD: Final[dict[str, tuple[Ask, int, str]]] = {
    "broken JSON": (raw("/v1/matches", b'{"game": '), 400, "bad_json"),
    "a name twice": (raw("/v1/matches", b'{"game": "durak", "game": "king"}'), 400, "bad_json"),
    "not UTF-8": (raw("/v1/bots", b'{"name": "\xff"}'), 400, "bad_json"),
    "nested deeply": (raw("/v1/matches", b"[" * 100_000), 400, "bad_json"),
    "oversized JSON": (raw("/v1/bots", b'{"name": "' + b"a" * 600_000 + b'"}'), 413, "body_too_large"),
    "oversized moves": (raw("/v1/turns", b" " * 600_000), 413, "body_too_large"),
    "more names than any request has": (raw("/v1/turns", names(18_000), who="bot"), 400, "bad_json"),
    "a name twice among many": (raw("/v1/turns", names(1_000, b',"n00001":1'), who="bot"), 400, "bad_json"),
    "many unknown fields": (raw("/v1/matches", names(1_000)), 422, "invalid_body"),
    "a number without end": (raw("/v1/turns", b'{"wait": 1' + b"0" * 100_000 + b"}", who="bot"), 400, "bad_json"),
    "a power beyond all bounds": (raw("/v1/turns", b'{"wait": 1e9999999}', who="bot"), 400, "bad_json"),
    "a compressed body": (
        raw("/v1/matches", gzip.compress(b"{}"), {**JSON, "Content-Encoding": "gzip"}), 415, "encoded_body"
    ),
    "too many parameters": (get("/v1/matches?" + "&".join(["limit=1"] * 700)), 422, "invalid_query"),
    "wrong content type": (raw("/v1/matches", b"{}", {"Content-Type": "text/plain"}), 415, "wrong_content_type"),
    "a form": (raw("/v1/bots", b"name=more", FORM), 415, "wrong_content_type"),
    "a form in JSON's name": (raw("/v1/bots", b"name=more"), 400, "bad_json"),
    "no body": (raw("/v1/matches", b"", {}), 415, "wrong_content_type"),
    "an unknown field": (table(colour="red"), 422, "invalid_body"),
    "a missing field": (post("/v1/matches", {"game": "durak"}), 422, "invalid_body"),
    "an unknown parameter": (get("/v1/matches?gaem=durak"), 422, "invalid_query"),
    "an unknown game": (table(game="chess"), 404, "no_such_game"),
    "an unknown option": (table(options={"colour": "red"}), 422, "bad_table"),
    "an option's wrong value": (table(options={"batch_attacks": "yes"}), 422, "bad_table"),
    "contradicting options": (table(options={"teams": True}), 422, "bad_table"),
    "too many seats": (table(seats=["house/random"] * 7), 422, "bad_table"),
    "one seat": (table(seats=["house/random"]), 422, "bad_table"),
    "no seat": (table(seats=[]), 422, "invalid_body"),
    "the same bot twice": (table(seats=["tester/victim", "tester/victim"]), 422, "bad_table"),
    "a bot that there is not": (table(seats=["house/random", "nobody/knows"]), 404, "no_such_bot"),
    "no token": (post("/v1/matches", TABLE, None), 401, "token_missing"),
    "a wrong token": (post("/v1/matches", TABLE, "wrong"), 401, "token_invalid"),
    "a revoked token": (get("/v1/turns", "revoked"), 401, "token_invalid"),
    "a scope that is missing": (post("/v1/turns", {}, "reader"), 403, "scope_missing"),
    "a bot's token for an owner's": (post("/v1/bots", {"name": "more"}, "bot"), 403, "scope_missing"),
    "somebody else's match": (move("thief"), 403, "not_your_match"),
    "a match that there is not": (post("/v1/matches/17nothing/resign", {}, "bot"), 404, "no_such_match"),
    "a stale turn": (move(turn=1, move="take"), 409, "stale_turn"),
    "a turn to come": (move(turn=10_000), 409, "stale_turn"),
    "an illegal move": (move(move="beat 6C 7C"), 422, "illegal_move"),
    "no move of the game": (move(move="castle"), 422, "not_a_move"),
    "a turn that is no number": (move(turn="1"), 422, "invalid_body"),
    "a cursor made up": (get("/v1/matches?cursor=bGl2ZSAxIGE"), 400, "bad_cursor"),
    "a cursor of bots made up": (get("/v1/bots?cursor=house-greedy"), 400, "bad_cursor"),
    "a since made up": (get("/v1/turns?since=AAAAAAAAAAAAAAAAAAAA", "bot"), 400, "bad_cursor"),
    "a wait too long": (get("/v1/turns?wait=100000", "bot"), 422, "invalid_query"),
    "a wait below nothing": (get("/v1/turns?wait=-1", "bot"), 422, "invalid_query"),
    "a wait too long in a body": (post("/v1/turns", {"wait": 1e9}, "bot"), 422, "invalid_body"),
    "a record too early": (lambda stage: stage.ask(None, "GET", record(stage)), 409, "record_not_ready"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_and_changes_nothing(stage: HostileStage, what: str) -> None:
    send, status, code = BAD[what]
    before = stage.all_there_is()
    problem = refused(send(stage), status, code)
    assert stage.all_there_is() == before
    if code in ("illegal_move", "stale_turn", "not_a_move"):
        assert problem["view"]["turn"] == stage.turn["turn"]
        assert problem["view"]["observation"]["legal_moves"] == stage.turn["observation"]["legal_moves"]


def test_a_move_after_the_end_is_refused(stage: HostileStage) -> None:
    body = {"turn": 1, "move": stage.legal}
    problem = refused(
        stage.ask("bot", "POST", f"/v1/matches/{stage.over}/moves", json=body), 409, "match_over"
    )
    assert problem["view"]["status"] == "finished"


def test_an_idempotency_key_with_another_body_is_refused(stage: HostileStage) -> None:
    headers = {"Idempotency-Key": "a-key-of-mine"}
    body = {"game": "durak", "seats": ["house/random", None]}
    first = stage.ask("owner", "POST", "/v1/matches", json=body, headers=headers)
    again = stage.ask("owner", "POST", "/v1/matches", json=body, headers=headers)
    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
    before = stage.all_there_is()
    other = stage.ask("owner", "POST", "/v1/matches", json={**body, "deals": 2}, headers=headers)
    refused(other, 422, "idempotency_key_reused")
    assert stage.all_there_is() == before


# Addresses and methods


@pytest.mark.parametrize(
    "path",
    [
        "/v2/turns",
        "/v1/games/",
        "/v1/%D0%B8%D0%B3%D1%80%D1%8B",
        "/v1/games/%D0%B4%D1%83%D1%80%D0%B0%D0%BA",
        "/v1/matches/%00",
        "/v1/matches/%ff%fe",
        "/v1/matches/a%2Fb",
        "/v1/matches/%2e%2e/events",
        "/v1/bots/%ff/%ff",
        "/v1/ladders/x/rounds/99999999999999999999",
        "/docs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    ],
)  # fmt: skip
def test_an_unknown_path_is_a_404(stage: HostileStage, path: str) -> None:
    head, body = sent(stage.service, f"GET {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n".encode())
    assert head.startswith(b"HTTP/1.1 404"), head
    assert b"application/problem+json" in head
    assert json.loads(body)["status"] == 404


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "BREW"])
def test_an_unsupported_method_is_a_405(stage: HostileStage, method: str) -> None:
    answer = stage.ask("bot", method, "/v1/turns")
    refused(answer, 405, "method_not_allowed")
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


def test_head_and_options_are_answered(stage: HostileStage) -> None:
    head = stage.ask(None, "HEAD", "/v1/games")
    assert (head.status_code, head.content) == (200, b"")
    assert stage.ask(None, "HEAD", "/v1/owners").status_code == 405
    options = stage.ask(None, "OPTIONS", "/v1/owners")
    assert (options.status_code, options.content) == (200, b"")
    assert "POST" in options.headers["Allow"]
    refused(stage.ask(None, "OPTIONS", "/v1/nothing"), 404, "not_found")


# The connection


def sent(service: LiveService, data: bytes, most_s: float = 10.0) -> tuple[bytes, bytes]:
    """Return the head and body of all that the server sends until it closes the connection."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=most_s) as client:
        pieces = []
        try:
            client.sendall(data)
            while piece := client.recv(65_536):
                pieces.append(piece)
        except ConnectionError:
            pass
    head, _, body = b"".join(pieces).partition(b"\r\n\r\n")
    return head, body


def test_a_slow_body_times_out(stage: HostileStage) -> None:
    request = b"POST /v1/owners HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    began = time.monotonic()
    head, body = sent(stage.service, request)
    assert time.monotonic() - began < BODY_TIMEOUT_S + 3
    assert head.startswith(b"HTTP/1.1 408")
    assert json.loads(body)["code"] == "body_timeout"
    assert json.loads(body)["retryable"] is True


def test_unfinished_headers_close_the_connection(stage: HostileStage) -> None:
    began = time.monotonic()
    head, _ = sent(stage.service, b"GET /v1/turns HTTP/1.1\r\nHost: t\r\nX-More: ")
    assert head == b""
    assert time.monotonic() - began < BODY_TIMEOUT_S + 3
    head, _ = sent(stage.service, b"GET /v1/turns HTTP/1.1\r\n" + b"X-More: again\r\n" * 20_000)
    assert head == b"" or head.startswith((b"HTTP/1.1 400", b"HTTP/1.1 431"))


@pytest.mark.parametrize(
    "garbage",
    [b"\x16\x03\x01\x02\x00\x01" + bytes(range(256)), b"\0" * 5000 + b"\r\n\r\n", b"a b c d\r\n\r\n"],
    ids=["TLS", "zeros", "words"],
)  # fmt: skip
def test_bytes_that_are_not_http_are_refused(stage: HostileStage, garbage: bytes) -> None:
    head, _ = sent(stage.service, garbage)
    assert head == b"" or head.startswith(b"HTTP/1.1 400")
    assert stage.ask(None, "GET", "/healthz").status_code == 200


def test_a_truncated_body_changes_nothing(stage: HostileStage) -> None:
    request = (
        f"POST {moves(stage)} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {stage.bot.token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n"
        + json.dumps({"turn": stage.turn["turn"], "move": stage.legal})
    )
    before = stage.all_there_is()
    with socket.create_connection(("127.0.0.1", stage.service.port), timeout=60) as client:
        client.sendall(request.encode())
        client.shutdown(socket.SHUT_WR)
        assert b"body_cut_short" in client.recv(65_536)
    assert stage.all_there_is() == before


# Redis


def test_the_api_survives_an_outage_of_redis(live_service: Callable[..., LiveService]) -> None:
    service = live_service(["redis", "api"], settings={**QUIET, "KOZYR_APPENDFSYNC": "always"})
    stage = HostileStage(service)
    worker = service.api_workers()
    requests: dict[str, Callable[[], httpx.Response]] = {
        "turns": lambda: stage.ask("bot", "GET", "/v1/turns?wait=20"),
        "move": lambda: move()(stage),
        "moves": lambda: stage.ask("bot", "POST", "/v1/turns", json={"wait": 20}),
        "match": lambda: stage.ask(None, "GET", f"/v1/matches/{stage.match}"),
        "matches": lambda: stage.ask(None, "GET", "/v1/matches"),
        "creation": lambda: table()(stage),
        "owner": lambda: stage.ask(None, "POST", "/v1/owners", json={"name": "late"}),
        "ladders": lambda: stage.ask(None, "GET", "/v1/ladders"),
    }

    def not_ready() -> httpx.Response | None:
        found = stage.ask(None, "GET", "/readyz")
        return found if found.json()["problems"] == ["Redis does not answer"] else None

    with ThreadPoolExecutor(1) as pool, service.http() as other:
        stage.play()
        since = stage.league.get("/v1/turns", stage.bot.token)["since"]
        (stage.turn,) = stage.turns()
        waiting = pool.submit(
            other.get,
            "/v1/turns",
            params={"wait": 30, "since": since},
            headers={"Authorization": f"Bearer {stage.bot.token}"},
        )
        time.sleep(0.3)
        service.kill("redis")
        for name, ask in requests.items():
            began = time.monotonic()
            answer = ask()
            assert time.monotonic() - began < 2, name
            problem = refused(answer, 503, "store_unavailable")
            assert problem["retryable"] is True
            assert int(answer.headers["Retry-After"]) >= 0
        # Readiness is as recent as the last heartbeat.
        assert eventually(not_ready, "a heartbeat finds Redis gone").status_code == 503
        assert stage.ask(None, "GET", "/healthz").status_code == 200
        assert stage.ask(None, "GET", "/v1/games").status_code == 200
        service.start("redis")
        service.wait_for("api")
        # A restart of Redis voids every cursor, so the waiting poll gets its turn again.
        polled = waiting.result(10).json()
        assert [turn["turn"] for turn in polled["turns"]] == [stage.turn["turn"]]
        assert move()(stage).json()["replayed"] is False
        news = stage.ask("bot", "GET", f"/v1/turns?wait=10&since={polled['since']}").json()
        assert [turn["turn"] > stage.turn["turn"] for turn in news["turns"]] == [True]
    assert service.api_workers() == worker, "no API process was restarted"


def test_the_token_of_a_disabled_bot_is_refused(stage: HostileStage) -> None:
    bot: LiveBot = stage.league.bot("disabled")
    stage.ask("owner", "PATCH", f"/v1/bots/{bot.name}", json={"disabled": True})
    answer = stage.http.get("/v1/turns", headers={"Authorization": f"Bearer {bot.token}"})
    refused(answer, 401, "token_invalid")
