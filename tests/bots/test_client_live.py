"""The client at a real service behind a proxy that loses responses. The records show which moves were made."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from kozyr_client import AsyncClient, Client, KozyrError, Turn
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

QUICK = {"move_ms": 30_000, "bank_ms": 0}


class Author:
    """An owner with bots at a live service."""

    def __init__(self, url: str, name: str, *bots: str) -> None:
        with Client(url) as client:
            self.token = client.register_owner(name)["token"]
        with Client(url, self.token) as mine:
            self.bots = {f"{name}/{bot}": str(mine.create_bot(bot)["token"]) for bot in bots}


class Noted:
    """A random `choose`, slow on demand, that keeps its choices."""

    def __init__(self, seed: int) -> None:
        self.chosen: dict[str, list[str]] = {}
        self._rng = random.Random(seed)

    def __call__(self, turn: Turn) -> str:
        assert 0 < turn.seconds_left < 60, "30 and what the service credited for its own trouble"
        move = self._rng.choice(turn.legal_moves + turn.free_moves)
        self.chosen.setdefault(turn.match, []).append(move)
        return move

    async def slowly(self, turn: Turn) -> str:
        await asyncio.sleep(self._rng.choice([0, 0, 0.01]))
        return self(turn)


@contextlib.contextmanager
def lossy(url: str, seed: int) -> Iterator[str]:
    """A proxy that breaks about every fifth request: before forwarding it, before the response or within it."""
    rng = random.Random(seed)
    upstream = httpx.Client(base_url=url, trust_env=False, timeout=90)

    class LossyHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._pass_on(b"")

        def do_POST(self) -> None:
            self._pass_on(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _pass_on(self, body: bytes) -> None:
            trouble = rng.choice(["before", "after", "cut short", "bad gateway", *["none"] * 16])
            if trouble != "none":
                self.close_connection = True
            if trouble == "before":
                return
            wanted = ("Authorization", "Content-Type", "Idempotency-Key", "Accept")
            headers = {name: self.headers[name] for name in wanted if name in self.headers}
            answer = upstream.request(self.command, self.path, content=body, headers=headers)
            if trouble == "after":
                return
            with contextlib.suppress(OSError):
                if trouble == "bad gateway":
                    self.send_error(502)
                    return
                self.send_response(answer.status_code)
                self.send_header("Content-Type", answer.headers["Content-Type"])
                self.send_header("Content-Length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(
                    answer.content[: len(answer.content) // 2 if trouble == "cut short" else None]
                )

    server = ThreadingHTTPServer(("127.0.0.1", 0), LossyHandler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        upstream.close()


def judge(client: Client, ids: list[str], players: dict[str, Noted]) -> None:
    """Assert that every match ended by the rules, and that its record holds each bot's choices once and in order."""
    for ident in ids:
        record = client.record(ident)
        assert record["ending"] == "rules"
        for seat, sitting in enumerate(record["seats"]):
            moves = [move for move in record["moves"] if move["seat"] == seat]
            if sitting["bot"] in players:
                assert not any("by" in move for move in moves)
                assert [move["move"] for move in moves] == players[sitting["bot"]].chosen[ident]


@pytest.mark.ci
def test_two_bots_make_their_chosen_moves_over_a_lossy_connection(service: LiveService) -> None:
    author, both = Author(service.url, "lossy", "one", "two"), {}
    with lossy(service.url, 1) as url, Client(url, author.token) as owner:
        table = ["lossy/one", "lossy/two", "house/random"]
        ids = [owner.create_match("durak", table, clock=QUICK)["id"] for _ in range(3)]
        threads = []
        for number, (name, token) in enumerate(author.bots.items()):
            both[name] = Noted(number)

            def play(token: str = token, choose: Noted = both[name]) -> None:
                with Client(url, token, sleep=lambda seconds: None) as client:
                    client.play(choose, until_finished=ids)

            threads.append(threading.Thread(target=play))
            threads[-1].start()
        for thread in threads:
            thread.join(90)
    with Client(service.url) as client:
        judge(client, ids, both)


def test_the_asyncio_client_chooses_concurrently_and_makes_its_chosen_moves(
    service: LiveService,
) -> None:
    author, choose = Author(service.url, "slow", "bot"), Noted(3)

    async def run(url: str) -> list[str]:
        async with AsyncClient(url, author.bots["slow/bot"]) as client:
            made = [
                await client.create_match("durak", ["slow/bot", "house/random"], clock=QUICK)
                for _ in range(10)
            ]
            ids = [each["id"] for each in made]
            await client.play(choose.slowly, until_finished=ids)
            return ids

    with lossy(service.url, 2) as url:
        ids = asyncio.run(asyncio.wait_for(run(url), 120))
    with Client(service.url) as client:
        judge(client, ids, {"slow/bot": choose})


@pytest.mark.ci
def test_a_bot_keeps_playing_when_workers_and_the_whole_api_are_killed(tmp_path: Path) -> None:
    with LiveService(tmp_path) as service:
        author, choose = Author(service.url, "steady", "bot"), Noted(4)
        causes: list[Callable[[], object]] = [service.kill_one_api_worker, lambda: service.restart("api")]
        trouble = iter(causes * 2)
        moves = 0

        def troubled(turn: Turn) -> str:
            nonlocal moves
            moves += 1
            if moves % 15 == 0:
                for cause in itertools.islice(trouble, 1):
                    cause()
            return choose(turn)

        with Client(service.url, author.bots["steady/bot"]) as client:
            ids = [
                client.create_match("durak", ["steady/bot", "house/random"], clock=QUICK)["id"]
                for _ in range(4)
            ]
            client.play(troubled, until_finished=ids)
            assert next(trouble, None) is None
            judge(client, ids, {"steady/bot": choose})


def test_two_bots_find_each_other_match_after_match(service: LiveService) -> None:
    author, choose = Author(service.url, "seeker", "one", "two"), Noted(5)
    wish, found = {"game": "durak", "clock": QUICK, "rating_band": None}, {}

    def play() -> None:
        with Client(service.url, author.bots["seeker/one"]) as client:
            found["one"] = client.play(choose, matches=3, find=wish)

    async def play_too() -> None:
        async with AsyncClient(service.url, author.bots["seeker/two"]) as client:
            found["two"] = await client.play(choose.slowly, matches=3, find=wish)

    thread = threading.Thread(target=play)
    thread.start()
    asyncio.run(asyncio.wait_for(play_too(), 120))
    thread.join(90)
    one, two = ([each.match for each in found[name]] for name in ("one", "two"))
    assert len(set(one)) == 3
    assert sorted(one) == sorted(two)
    with Client(service.url, author.bots["seeker/one"]) as client:
        assert client.queue_entry()["state"] == "matched"


def test_a_stopped_bot_leaves_the_queue(service: LiveService) -> None:
    author, stopped = Author(service.url, "quitter", "bot"), threading.Event()
    with Client(service.url, author.bots["quitter/bot"], wait=0.05) as client:

        def play() -> None:
            client.play(Noted(6), find={"game": "king"})
            stopped.set()

        thread = threading.Thread(target=play)
        thread.start()
        with Client(service.url, author.bots["quitter/bot"]) as watcher:
            eventually(lambda: _state(watcher) == "waiting")
            client.stop()
            thread.join(60)
            assert stopped.is_set()
            assert _state(watcher) == "left"


def _state(client: Client) -> str:
    try:
        return str(client.queue_entry()["state"])
    except KozyrError as error:
        return error.code


def test_every_call_of_the_client_works_at_a_real_service(service: LiveService) -> None:
    author, other = Author(service.url, "caller", "bot", "rival"), Author(service.url, "joiner", "bot")
    with Client(service.url, author.bots["caller/bot"]) as client:
        assert "durak" in {game["id"] for game in client.games()["games"]}
        assert client.limits()["max_moves"] > 0
        ident = client.create_match("durak", ["caller/bot", None], options={"turn_limit": 50}, clock=QUICK)[
            "id"
        ]
        with Client(service.url, other.bots["joiner/bot"]) as rival:
            assert rival.join(ident)["seat"] == 1
            with pytest.raises(KozyrError, match="already_seated"):
                rival.join(ident)
            rival.turns()
            client.turns()
            asked = next(each for each in (client, rival) for turn in each.turns()["turns"])
            turn = Turn(asked.turns()["turns"][0])
            first = asked.move(ident, turn.legal_moves[0], turn=turn.number)
            again = asked.move(ident, turn.legal_moves[0], turn=turn.number)
            assert (first["replayed"], again["replayed"]) == (False, True)
            with pytest.raises(KozyrError) as caught:
                asked.move(ident, "pass", turn=turn.number)
            assert (caught.value.code, caught.value.status) == ("stale_turn", 409)
            assert caught.value.problem["view"]["id"] == ident
            assert client.events(ident)["events"][0]["n"] == 1
            rival.resign(ident)
        assert client.match(ident)["status"] == "finished"
        assert client.record(ident)["ending"] == "resigned"
        assert [record["id"] for record in client.records(bot="caller/bot", limit=1)] == [ident]
        assert len(client.play(lambda turn: turn.legal_moves[0], until_finished=ident)) == 1


def test_records_are_read_in_pages(service: LiveService) -> None:
    author = Author(service.url, "reader", "bot")
    with Client(service.url, author.bots["reader/bot"]) as client:
        ids = [
            client.create_match("durak", ["reader/bot", "house/random"], clock=QUICK)["id"] for _ in range(5)
        ]
        client.play(Noted(5), until_finished=ids)
        found = [record["id"] for record in client.records(bot="reader/bot", limit=2)]
    assert sorted(found) == sorted(ids)


def test_an_unknown_token_ends_the_loop(service: LiveService) -> None:
    with Client(service.url, "kozyr_nobody") as client, pytest.raises(KozyrError) as caught:
        client.play(lambda turn: turn.legal_moves[0])
    assert caught.value.status == 401
