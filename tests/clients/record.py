"""Record the wire fixtures of the clients at a live service: python -m tests.clients.record [NAME ...]

Each scenario plays real matches with the Python client. A transport between the client and the service injects the
scenario's faults and keeps the dialogue. clients/fixtures/README.md specifies the format of the files.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import logging
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx

from kozyr_client import Client, KozyrError, Turn
from tests.support.live import ROOT, LiveService
from tests.support.strict_schemas import published

FOLDER: Final = ROOT / "clients" / "fixtures"
ADMIN: Final = "an admin of the recorder, with a token of its own"
PAGE: Final = "<html><body>This page is not the service's.</body></html>\n"
ODD: Final[dict[str, tuple[int, dict[str, str], str]]] = {
    "edge_520": (520, {"Content-Type": "text/html"}, PAGE),
    "page_400": (400, {"Content-Type": "text/html"}, PAGE),
    "page_403": (403, {"Content-Type": "text/html"}, PAGE),
    "page_404": (404, {"Content-Type": "text/html"}, PAGE),
    "other_404": (404, {"Content-Type": "application/json"}, '{"code": "no_route", "message": "no such route"}'),
    "other_problem": (
        400, {"Content-Type": "application/problem+json"}, '{"type": "about:blank", "title": "Bad Request"}'
    ),
    "page_200": (200, {"Content-Type": "text/html"}, PAGE),
    "ok_true": (200, {"Content-Type": "application/json"}, '{"ok": true}'),
    "cut_json": (200, {"Content-Type": "application/json"}, '{"results": [], "turns": [{"match": "60v'),
    "empty_204": (204, {}, ""),
    "moved_302": (302, {"Location": "https://login.example.org/"}, ""),
    "date_503": (
        503,
        {"Date": "Thu, 26 Nov 2026 12:00:00 GMT", "Retry-After": "Thu, 26 Nov 2026 12:00:01 GMT"},
        "Service Unavailable\n",
    ),
}  # fmt: skip
"""Responses that do not come from the service, by the name of their fault."""
KEPT_HEADERS: Final = ("Retry-After", "Deprecation", "Sunset", "Link")
CALM: Final = {"move_ms": 60_000, "bank_ms": 0}
WISH: Final[dict[str, Any]] = {"game": "durak", "clock": CALM, "rating_band": 500}
"""The match that the recorded bot looks for in the queue."""

Json = dict[str, Any]
Fault = Callable[[int, Json], str | None]
"""Return the fault for a request, given its number from 0 and its exchange's `request`: `lost`, `cut`, `refused`,
`hidden`, `gateway`, `deprecated`, `forgotten_cursor`, `no_news`, a name in `ODD`, or None. A fault of `ODD` with
`hidden ` before it comes after the request was served."""


class Recorder(httpx.BaseTransport):
    """Pass requests on to the service, inject faults, and keep the dialogue."""

    def __init__(self, fault: Fault) -> None:
        self.exchanges: list[Json] = []
        self._fault = fault
        self._keys: list[str] = []
        self._http = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request on and keep it, with the response that the client gets."""
        body = json.loads(request.content) if request.content else None
        asked: Json = {"method": request.method, "path": request.url.path}
        if body is not None:
            asked["body"] = body
        if key := request.headers.get("Idempotency-Key"):
            self._keys += [] if key in self._keys else [key]
            asked["key"] = self._keys.index(key) + 1
        fault = self._fault(len(self.exchanges), asked)
        answer: Json = {}
        self.exchanges.append({"request": asked, "response": answer})
        changes: dict[str, Json] = {"forgotten_cursor": {"since": "forgotten"}, "no_news": {"wait": 0}}
        if fault in changes:
            changed = json.dumps({**(body or {}), **changes[fault]})
            request = httpx.Request(
                request.method, request.url, headers=self._headers(request), content=changed
            )
        if fault in ODD:
            return self._odd(answer, fault)
        if fault == "refused":
            return self._answer(answer, 503, unavailable_problem(), {"Retry-After": "1"})
        response = self._http.handle_request(request)
        content, headers = response.read(), response.headers
        if fault == "hidden":
            return self._answer(answer, 503, unavailable_problem(), {"Retry-After": "1"})
        if fault == "gateway":
            return self._answer(answer, 502, None, {})
        if fault and fault.startswith("hidden "):
            return self._odd(answer, fault.removeprefix("hidden "))
        if fault in ("lost", "cut"):
            answer |= {"cut": "before" if fault == "lost" else "inside"}
            if fault == "cut":
                answer |= {"status": response.status_code, "body": json.loads(content)}
            raise httpx.ReadError("the connection was cut")
        kept = {name: headers[name] for name in KEPT_HEADERS if name in headers}
        if fault == "deprecated":
            kept |= {
                "Deprecation": "@1798761600",
                "Sunset": "Thu, 01 Jul 2027 00:00:00 GMT",
                "Link": '<https://example.org/changelog>; rel="deprecation"',
            }
        return self._answer(answer, response.status_code, json.loads(content), kept)

    @staticmethod
    def _headers(request: httpx.Request) -> list[tuple[str, str]]:
        return [(name, value) for name, value in request.headers.items() if name != "content-length"]

    @staticmethod
    def _answer(answer: Json, status: int, body: Json | None, headers: dict[str, str]) -> httpx.Response:
        answer["status"] = status
        if headers:
            answer["headers"] = headers
        if body is None:
            answer["text"] = "Bad Gateway\n"
            return httpx.Response(status, text=answer["text"], headers=headers)
        answer["body"] = body
        kind = "application/json" if status < 400 else "application/problem+json"
        return httpx.Response(status, json=body, headers={"Content-Type": kind, **headers})

    @staticmethod
    def _odd(answer: Json, fault: str) -> httpx.Response:
        status, headers, text = ODD[fault]
        answer |= {"status": status, "headers": headers, "text": text}
        return httpx.Response(status, headers=headers, content=text)


@functools.cache
def unavailable_problem() -> Json:
    """Return the contract's example of a 503."""
    examples = published()["components"]["examples"]
    problem: Json = examples["store_unavailable"]["value"]
    return problem


class RecordingStage:
    """A live service with two bots: `mine` is recorded, `other` is its opponent."""

    _numbers = itertools.count(1)

    def __init__(self, service: LiveService) -> None:
        self.service, number = service, next(self._numbers)
        self.mine, self._token = self._bot(f"example-{number}")
        self.other, self._other_token = self._bot(f"opponent-{number}")
        self.opponent = Client(service.url, self._other_token)
        self.choices: Json = {}

    def _bot(self, owner: str) -> tuple[str, str]:
        with Client(self.service.url) as anyone:
            token = anyone.register_owner(owner)["token"]
        with Client(self.service.url, token) as own:
            policy = {"max_matches": 100}
            return f"{owner}/fool", str(own.create_bot("fool", match_policy=policy)["token"])

    def client(self) -> Client:
        """Return a client of the recorded bot that is not recorded itself."""
        return Client(self.service.url, self._token)

    def match(self, seats: list[str] | None = None, game: str = "durak", **more: Any) -> str:
        """Create a match, by default of both bots with the recorded one dealing."""
        with self.client() as client:
            made = client.create_match(game, seats or [self.mine, self.other], **{"clock": CALM, **more})
            return str(made["id"])

    @contextlib.contextmanager
    def opponent_plays(self, turns: int) -> Iterator[None]:
        """Let the opponent play legal moves, and resign each match after `turns` turns."""
        seen: Counter[str] = Counter()

        def choose(turn: Turn) -> str:
            seen[turn.match] += 1
            if seen[turn.match] > turns:
                self.opponent.resign(turn.match)
            return turn.legal_moves[0]

        playing = Client(self.service.url, self._other_token, wait=1.0)
        thread = threading.Thread(target=playing.play, args=(choose,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            playing.stop()
            thread.join(20)
            playing.close()

    def keep_one_with_a_free_move(self) -> None:
        """Create matches of Kryt' until the recorded bot may begin one with a free move; resign all others."""
        with self.client() as client:
            for _ in range(20):
                created = [self.match(game="kryt") for _ in range(10)]
                self.opponent.turns()
                turns = client.turns(wait=2.0)["turns"]
                kept = [turn["match"] for turn in turns if turn["observation"]["free_moves"]][:1]
                for match in created:
                    if match not in kept:
                        client.resign(match)
                if kept:
                    return
        raise AssertionError("no free move in 200 matches")

    def opponent_joins_queue(self) -> None:
        """Let the opponent look for an opponent that wants the same."""
        self.opponent.join_queue(**WISH)

    def leave_queue(self) -> None:
        """Take the recorded bot from the queue, as another of its processes might."""
        with self.client() as client:
            client.leave_queue()

    def admin(self, act: str) -> None:
        """Pause, drain or resume the service."""
        with self.service.http(headers={"Authorization": f"Bearer {ADMIN}"}) as http:
            http.post(f"/v1/service/{act}", json={}).raise_for_status()

    def record(
        self,
        *,
        matches: int,
        choose: Callable[[Turn], str] = lambda turn: turn.legal_moves[0],
        finish_at: int | None = None,
        fault: Fault = lambda number, asked: None,
        token: str | None = None,
        find: Json | None = None,
        **expected: Any,
    ) -> Json:
        """Play until `matches` matches are over, and return the fixture. In choice number `finish_at`, from 1, the
        bot is told to finish. `expected` are fields of its `expect`."""
        play: Json = {"matches": matches, "on_illegal": "first", **({"find": find} if find else {})}
        transport, choices = Recorder(fault), {}
        error: Json | None = None

        def noted(turn: Turn) -> str:
            began = time.monotonic()
            move = choose(turn)
            took = round(time.monotonic() - began, 1)
            key = f"{turn.match}/{turn.number}"
            assert key not in choices, f"{key} was chosen twice"
            choices[key] = {"move": move, "delay_ms": int(took * 1000)} if took else {"move": move}
            if len(choices) == finish_at:
                choices[key]["finish"] = True
                client.finish()
            return move

        over: list[str] = []
        with Client(self.service.url, token or self._token, transport=transport) as client:
            try:
                finished = client.play(noted, **play)
                over = [match["match"] for match in finished]
            except KozyrError as why:
                error = {"code": why.code, "status": why.status}
        return {
            "play": play,
            "choices": choices,
            "expect": {"finished": over, "error": error, "warnings": [], **expected},
            "exchanges": transport.exchanges,
        }


# --- the scenarios; their docstrings are the `about` of their fixtures ------------------------------


def normal_play(stage: RecordingStage) -> Json:
    """A whole match of Durak against a house bot, played by the rules."""
    stage.match([stage.mine, "house/random"])
    return stage.record(matches=1)


def lost_responses(stage: RecordingStage) -> Json:
    """Connections end after the request, or in the middle of the response, and a gateway answers in place of the
    service. The moves were made. The client sends the same requests again and gets the first results, with
    `replayed` true."""
    faults = {1: "lost", 3: "lost", 4: "lost", 6: "cut", 8: "gateway"}
    stage.match()
    with stage.opponent_plays(9):
        return stage.record(matches=1, fault=lambda number, asked: faults.get(number), warnings=["retry"])


def unavailable(stage: RecordingStage) -> Json:
    """503 `store_unavailable` with `Retry-After: 1`: for the limits, for a poll, for a move that was not made, and
    for a move that was made. The client waits as long as the header says and sends the same request again."""
    faults = {0: "refused", 2: "refused", 4: "hidden", 6: "refused"}
    stage.match()
    with stage.opponent_plays(5):
        return stage.record(matches=1, fault=lambda number, asked: faults.get(number), warnings=["retry"])


def odd_answers(stage: RecordingStage) -> Json:
    """After the first response of the service, others come from something between: pages with 404, 400, 403 and
    200, a 520, JSON of another service, a foreign problem, a cut document, an empty response, a redirect, and a
    503 whose `Retry-After` is a date. None of them ends the client: it sends the same request
    again."""
    faults = {1: "page_404", 3: "edge_520", 5: "hidden page_400", 7: "hidden ok_true", 9: "hidden cut_json"}
    faults |= {11: "page_403", 12: "empty_204", 14: "moved_302", 16: "other_404", 18: "hidden other_problem"}
    faults |= {20: "page_200", 22: "date_503"}
    stage.match()
    with stage.opponent_plays(15):
        return stage.record(matches=1, fault=lambda number, asked: faults.get(number), warnings=["retry"])


def no_service(stage: RecordingStage) -> Json:
    """Another service answers the first request with 200 and JSON. The client ends, since no Kozyr service is at
    this address."""
    return stage.record(matches=1, fault=lambda number, asked: "ok_true")


def leaves(stage: RecordingStage) -> Json:
    """A signal comes while the bot thinks about its second turn. It leaves the queue, and ends its match with
    `leaving`. It does not begin a match that is created meanwhile. When the service says that none of its
    matches is `running`, the client ends."""
    seen: list[str] = []

    def choose(turn: Turn) -> str:
        seen.append(turn.match)
        if len(seen) == 2:
            stage.match()
        return turn.legal_moves[0]

    stage.match()
    with stage.opponent_plays(4):
        fixture = stage.record(matches=9, find=WISH, choose=choose, finish_at=2)
    assert len(set(seen)) == 1
    return fixture


def free_moves(stage: RecordingStage) -> Json:
    """The bot makes the free move `exchange` on turn. The client sends it with `deal`, not with `turn`. The
    service withdraws the turn and sends the next number, for which the bot chooses."""
    free: list[str] = []

    def choose(turn: Turn) -> str:
        if turn.free_moves:
            free.append(turn.match)
            return turn.free_moves[0]
        return turn.legal_moves[0]

    stage.keep_one_with_a_free_move()
    with stage.opponent_plays(3):
        fixture = stage.record(matches=1, choose=choose)
    assert free
    return fixture


def unlisted_moves(stage: RecordingStage) -> Json:
    """The match lists no legal moves. The client sends what the bot chooses."""

    def choose(turn: Turn) -> str:
        question, hand = turn.observation["question"], turn.observation["hand"]
        return {"attack": f"attack {hand[0]}", "defend": "take"}.get(question, "pass")

    stage.match([stage.mine, "house/greedy"], assist="none")
    return stage.record(matches=1, choose=choose)


def pause_and_drain(stage: RecordingStage) -> Json:
    """The service is paused, drains and runs again. Moves count in a pause. The client plays on."""
    acts = iter(["pause", "drain", "resume"])

    def choose(turn: Turn) -> str:
        with contextlib.suppress(StopIteration):
            stage.admin(next(acts))
        return turn.legal_moves[0]

    stage.match()
    with stage.opponent_plays(4):
        return stage.record(matches=1, choose=choose)


def match_ends(stage: RecordingStage) -> Json:
    """One match ends by the rules, one because the opponent resigns, and one while the bot thinks: its move gets
    409 `match_over`. A match that ended before the first poll is not reported."""
    early = stage.match()
    stage.opponent.resign(early)
    thinking = stage.match()
    stage.match([stage.mine, "house/random"])
    stage.match()
    moves: Counter[str] = Counter()

    def choose(turn: Turn) -> str:
        moves[turn.match] += 1
        if turn.match == thinking and moves[thinking] == 2:
            stage.opponent.resign(thinking)
        return turn.legal_moves[0]

    with stage.opponent_plays(3):
        return stage.record(matches=3, choose=choose)


def batch(stage: RecordingStage) -> Json:
    """Eight concurrent matches. The client sends the moves of one round in one request, the most urgent turn
    first."""
    for _ in range(8):
        stage.match()
    with stage.opponent_plays(4):
        return stage.record(matches=8)


def late_moves(stage: RecordingStage) -> Json:
    """The first move is chosen close to its deadline. The second is late: the service has made the safe move and
    refuses the bot's with 409 `stale_turn`. The client warns and plays on."""
    thinking = iter([0.7, 1.5])

    def choose(turn: Turn) -> str:
        time.sleep(next(thinking, 0.0))
        return turn.legal_moves[0]

    clock = {"move_ms": 1000, "bank_ms": 0, "grace_ms": 0, "strikes": 100}
    stage.match(clock=clock)
    with stage.opponent_plays(9):
        return stage.record(matches=1, choose=choose, warnings=["near_deadline", "late"])


def answered_elsewhere(stage: RecordingStage) -> Json:
    """Another process answers a turn first. The move gets 409 `stale_turn`. The client forgets the turn and polls
    without `since`."""
    answered: list[int] = []

    def choose(turn: Turn) -> str:
        if len(turn.legal_moves) > 1 and not answered:
            answered.append(turn.number)
            with stage.client() as client:
                client.move(turn.match, turn.legal_moves[1], turn=turn.number)
        return turn.legal_moves[0]

    stage.match()
    with stage.opponent_plays(3):
        return stage.record(matches=1, choose=choose)


def illegal_move(stage: RecordingStage) -> Json:
    """The bot chooses a move that is not legal. With `on_illegal` `first` the client sends the first legal move in
    its place and warns."""
    chosen: list[int] = []

    def choose(turn: Turn) -> str:
        chosen.append(turn.number)
        return "nonsense" if len(chosen) == 2 else turn.legal_moves[0]

    stage.match()
    with stage.opponent_plays(3):
        return stage.record(matches=1, choose=choose, warnings=["illegal_move"])


def forgotten_cursor(stage: RecordingStage) -> Json:
    """The service refuses the cursor with 400 `bad_cursor`. The client sends the same moves again without `since`."""
    stage.match()
    with stage.opponent_plays(3):
        return stage.record(
            matches=1,
            fault=lambda number, asked: "forgotten_cursor" if number == 3 else None,
        )


def finds_opponents(stage: RecordingStage) -> Json:
    """The client looks for opponents. The first response of the queue is lost, and the next one is a 503: after
    each, the client polls for a second, and sends the join again with the same key. After a poll without news
    it looks at its entry: it still waits, then another process has left the queue, and the client joins again.
    The next two matches come from the queue; the second is there when the bot joins. Two challenges end while
    the bot waits; it stays in the queue after the first, and leaves after the second."""
    steps: list[tuple[str, str | None, Callable[[], object]]] = [
        ("POST /v1/queue", "lost", lambda: None),
        ("POST /v1/turns", "no_news", lambda: None),
        ("POST /v1/queue", "refused", lambda: None),
        ("POST /v1/turns", "no_news", lambda: None),
        ("POST /v1/queue", None, lambda: None),
        ("POST /v1/turns", "no_news", lambda: None),
        ("GET /v1/queue", None, lambda: None),
        ("POST /v1/turns", "no_news", lambda: None),
        ("GET /v1/queue", None, stage.leave_queue),
        ("POST /v1/queue", None, lambda: None),
        ("POST /v1/turns", None, stage.opponent_joins_queue),
        ("GET /v1/queue", None, lambda: None),
        ("POST /v1/queue", None, stage.opponent_joins_queue),
        ("POST /v1/queue", None, lambda: None),
        ("POST /v1/turns", None, stage.match),
        ("GET /v1/queue", None, lambda: None),
        ("POST /v1/turns", None, stage.match),
        ("DELETE /v1/queue", "lost", lambda: None),
        ("DELETE /v1/queue", None, lambda: None),
    ]

    def fault(number: int, asked: Json) -> str | None:
        """Take the next step if this is its request. Other polls carry on a match."""
        wanted, fault, act = steps[0] if steps else ("", None, lambda: None)
        if f"{asked['method']} {asked['path']}" != wanted:
            return None
        steps.pop(0)
        act()
        return fault

    with stage.opponent_plays(3):
        fixture = stage.record(matches=4, find=WISH, fault=fault, warnings=["retry"])
    assert not steps, f"{steps[0][0]} did not come"
    return fixture


def queue_refuses(stage: RecordingStage) -> Json:
    """The bot waits in the queue for another game. The queue refuses it with 409 `already_queued`, which is not
    retryable, so the client ends with its code."""
    with stage.client() as client:
        client.join_queue("king")
    return stage.record(matches=1, find=WISH)


def bad_token(stage: RecordingStage) -> Json:
    """The token is not valid. The refusal is not retryable, so the client ends with its code."""
    return stage.record(matches=1, token="kozyr_" + "x" * 20)


def deprecated_route(stage: RecordingStage) -> Json:
    """The responses of `POST /v1/turns` have the header `Deprecation`. The client warns once."""
    stage.match()
    with stage.opponent_plays(1):
        return stage.record(
            matches=1,
            fault=lambda number, asked: "deprecated" if number else None,
            warnings=["deprecated"],
        )


def conformance_check(stage: RecordingStage) -> Json:
    """A conformance check of the service with all its faults."""
    with stage.client() as client:
        check = client.request("POST", "/v1/checks", body={"game": "durak"})["match"]
        fixture = stage.record(matches=1)
        for exchange in fixture["exchanges"]:
            if not exchange["response"]:  # The service cut the connection itself.
                exchange["response"]["cut"] = "before"
        verdict = client.request("GET", f"/v1/checks/{check}")
        assert verdict["status"] == "passed", verdict
    fixture["expect"]["warnings"] = ["retry"]
    return fixture


SCENARIOS: Final = (
    normal_play,
    lost_responses,
    odd_answers,
    no_service,
    leaves,
    unavailable,
    free_moves,
    unlisted_moves,
    pause_and_drain,
    match_ends,
    batch,
    late_moves,
    answered_elsewhere,
    illegal_move,
    forgotten_cursor,
    finds_opponents,
    queue_refuses,
    bad_token,
    deprecated_route,
    conformance_check,
)


def written(fixture: Json) -> str:
    """Return a fixture as JSON with one line for each exchange and each field."""
    exchanges = ",\n".join(json.dumps(each, separators=(", ", ": ")) for each in fixture["exchanges"])
    head = [f'  "{key}": {json.dumps(value)}' for key, value in fixture.items() if key != "exchanges"]
    return "{\n" + ",\n".join(head) + f',\n  "exchanges": [\n{exchanges}\n  ]\n}}\n'


def main(names: list[str]) -> None:
    """Record the scenarios named, or all."""
    logging.basicConfig(level=logging.ERROR)
    settings = {"KOZYR_TICK_MS": "20", "KOZYR_ADMIN_TOKEN": ADMIN}
    with tempfile.TemporaryDirectory() as folder, LiveService(Path(folder), settings=settings) as service:
        for scenario in SCENARIOS:
            if not names or scenario.__name__ in names:
                about = " ".join((scenario.__doc__ or "").split())
                fixture = {"format": 1, "about": about, **scenario(RecordingStage(service))}
                path = FOLDER / f"{scenario.__name__}.json"
                path.write_text(written(fixture))
                print(f"{path.name}: {len(fixture['exchanges'])} exchanges, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
