"""The client against a service that injects faults: no move is lost, and none is made twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from kozyr_client import AsyncClient, Client, Finished, KozyrError, MoveRefused, Turn
from kozyr_client.loop import LoopState
from tests.bots.fake_service import (
    CUT_SHORT,
    LOST_AFTER,
    LOST_BEFORE,
    TIMES_OUT,
    Answer,
    FaultyService,
    problem,
    response_of,
)

ROOT = Path(__file__).resolve().parents[2]
UNAVAILABLE: Answer = (503, {"Retry-After": "3"}, problem("store_unavailable", 503, retryable=True))
BAD_GATEWAY: Answer = (502, {}, "<html>nginx</html>")
PAGE: Answer = (404, {}, "<html>nginx</html>")
OTHER: Answer = (200, {}, {"ok": True})
NOTHING: Answer = (204, {}, "")
MOVED: Answer = (302, {"Location": "/login"}, "")
LOST = [LOST_BEFORE, LOST_AFTER, CUT_SHORT, TIMES_OUT]
TROUBLES: list[str | Answer] = [*LOST, UNAVAILABLE, BAD_GATEWAY, PAGE, OTHER, NOTHING, MOVED]


class ClientClock:
    """A clock that advances only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def asleep(self, seconds: float) -> None:
        self.sleep(seconds)
        await asyncio.sleep(0)


class Chooser:
    """A random `choose` that counts its calls."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, int]] = Counter()
        self._rng = random.Random(1)

    def __call__(self, turn: Turn) -> str:
        self.asked[turn.match, turn.number] += 1
        return self._rng.choice([move for move in turn.legal_moves if move != "exchange"])


def client_of(service: FaultyService, clock: ClientClock | None = None, **more: Any) -> Client:
    clock = clock or ClientClock()
    return Client(
        "http://service.test", "token", transport=service.transport, sleep=clock.sleep, clock=clock,
        jitter=lambda: 0.0, **more,
    )  # fmt: skip


def play(service: FaultyService, choose: Callable[[Turn], str], **more: Any) -> list[Finished]:
    with client_of(service) as client:
        return client.play(choose, until_finished=list(service.matches), **more)


def play_async(
    service: FaultyService, choose: Callable[[Turn], str | Awaitable[str]], **more: Any
) -> list[Finished]:
    clock = ClientClock()

    async def run() -> list[Finished]:
        async with AsyncClient(
            "http://service.test", "token", transport=service.transport, sleep=clock.asleep, clock=clock,
            jitter=lambda: 0.0,
        ) as client:  # fmt: skip
            return await client.play(choose, until_finished=list(service.matches), **more)

    return asyncio.run(asyncio.wait_for(run(), 60))


both = pytest.mark.parametrize("run", [play, play_async], ids=["sync", "async"])


# 1. No move is lost, and none is made twice


@both
@pytest.mark.parametrize("trouble", TROUBLES, ids=str)
@pytest.mark.parametrize("at", range(7))
def test_every_turn_is_answered_once_whatever_fault_occurs(
    run: Callable[..., Any], trouble: Any, at: int
) -> None:
    service, choose = FaultyService(4, 3), Chooser()
    service.troubles.extend([None] * at + [trouble, trouble])
    run(service, choose)
    assert service.all_over
    assert choose.asked == service.committed()
    assert all(len(moves) == 1 for moves in service.moves_sent().values())


@both
def test_a_move_without_a_result_is_sent_again(run: Callable[..., Any]) -> None:
    service, choose = FaultyService(2), Chooser()
    service.troubles.extend([None, (200, {}, {"results": [], "turns": [], "finished": [], "since": None})])
    run(service, choose)
    assert choose.asked == service.committed()


@both
def test_moves_that_a_restored_service_lost_are_made_again_without_choosing(
    run: Callable[..., Any],
) -> None:
    service, choose = FaultyService(6), Chooser()
    forgotten = False

    def choose_and_forget(turn: Turn) -> str:
        nonlocal forgotten
        if turn.number == 4 and not forgotten:
            forgotten = True
            del service.matches["m0"].made[3]
            service.matches["m0"].turn = 3
            service.epoch = "second"
        return choose(turn)

    run(service, choose_and_forget)
    assert service.all_over
    assert choose.asked[("m0", 3)] == 1
    assert service.moves_sent()[("m0", 3)] == {service.matches["m0"].made[3]}


@both
def test_after_a_free_move_choose_is_called_with_the_updated_turn(run: Callable[..., Any]) -> None:
    service = FaultyService(4)
    service.matches["m0"].exchange_at = 2
    service.troubles.extend([None, None, LOST_AFTER])
    seen = []

    def choose(turn: Turn) -> str:
        seen.append((turn.number, turn.observation["exchanged"]))
        return [*turn.free_moves, *turn.legal_moves][0]

    run(service, choose)
    assert seen == [(1, False), (2, False), (3, True), (4, True)]
    free = [move for body in service.bodies for move in body["moves"] if move["move"] == "exchange"]
    assert len(free) == 2, "the first response was lost"
    assert all(move == {"match": "m0", "deal": 1, "move": "exchange"} for move in free)


# 2. Refusals


def test_a_turn_that_expires_in_the_queue_logs_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service, clock = FaultyService(1, 1), ClientClock()

    def choose(turn: Turn) -> str:
        if clock.now < 1007.0:
            clock.sleep(7.0)
            service.next_time = lambda: 50.0
        return turn.legal_moves[0]

    with client_of(service, clock) as client:
        client.play(choose, until_finished=list(service.matches))
    late = [record.getMessage() for record in caplog.records if "late by" in record.getMessage()]
    assert len(late) == 1
    assert late[0].startswith("turn 1 of match m1 was late by 2.00 s")


@both
def test_the_first_legal_move_can_replace_an_illegal_one(
    run: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    service = FaultyService(2)
    run(service, lambda turn: "cheat", on_illegal="first")
    assert service.matches["m0"].made == {1: "play 1", 2: "play 2"}
    assert "'cheat' is not legal" in caplog.text


@both
def test_any_move_is_sent_where_a_match_lists_none(run: Callable[..., Any]) -> None:
    service = FaultyService(2)
    service.lists = False
    run(service, lambda turn: f"play {turn.number}")
    assert service.matches["m0"].made == {1: "play 1", 2: "play 2"}


@both
def test_a_free_move_that_was_not_listed_is_sent_for_the_deal(run: Callable[..., Any]) -> None:
    service = FaultyService(2)
    service.lists, service.matches["m0"].exchange_at = False, 1
    exchanged = []

    def choose(turn: Turn) -> str:
        if not exchanged:
            exchanged.append(turn.number)
            return "exchange"
        return f"play {turn.number}x"

    run(service, choose)
    assert service.matches["m0"].exchanged
    assert service.matches["m0"].made == {2: "play 2x"}


def test_where_no_moves_are_listed_an_illegal_one_costs_only_its_turn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    state = LoopState("first", ClientClock())
    service = FaultyService(2)
    service.lists = False
    request = state.next_request(0)
    state.apply(request, service.answer("POST", "/v1/turns", request.body, {})[2])
    state.choose(state.next_turn(), "cheat")
    request = state.next_request(0)
    state.apply(request, service.answer("POST", "/v1/turns", request.body, {})[2])
    assert state.next_turn() is None
    assert state.next_request(0).moves == []
    assert "its time runs out" in caplog.text


@both
def test_a_refusal_of_the_replacement_move_ends_the_loop(run: Callable[..., Any]) -> None:
    service = FaultyService(1)
    refused = problem("illegal_move", 422, legal_moves=["play 1"])
    service.refusals["m0", 1] = deque([refused, refused, refused])
    with pytest.raises(MoveRefused):
        run(service, lambda turn: "pass", on_illegal="first")
    assert len(service.refusals["m0", 1]) == 1


@both
def test_a_refusal_in_one_match_does_not_affect_others(run: Callable[..., Any]) -> None:
    service, choose = FaultyService(2, 2), Chooser()
    service.refusals["m1", 1] = deque([problem("not_your_match", 403)])
    run(service, choose)
    assert service.all_over


@both
def test_a_move_refused_as_busy_is_retried_after_a_pause(
    run: Callable[..., Any],
) -> None:
    service, choose = FaultyService(2), Chooser()
    service.refusals["m0", 1] = deque([problem("busy", 503, retryable=True)] * 3)
    run(service, choose)
    assert choose.asked == service.committed()


@both
def test_a_choice_that_is_not_a_string_raises_a_type_error(run: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="choose returned None in turn 1 of m0"):
        run(FaultyService(1), lambda turn: None)


@both
def test_a_cursor_from_before_a_restore_lists_all_turns(run: Callable[..., Any]) -> None:
    service, choose = FaultyService(4, 4), Chooser()

    def changing(turn: Turn) -> str:
        service.epoch = f"epoch {turn.number}"
        return choose(turn)

    run(service, changing)
    assert choose.asked == service.committed()


# 3. Waiting


def test_retry_after_is_obeyed_as_seconds_and_as_a_date() -> None:
    service, clock = FaultyService(1), ClientClock()
    date = (503, {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, "")
    service.troubles.extend([UNAVAILABLE, (429, {"Retry-After": "7"}, ""), date])
    with client_of(service, clock) as client:
        client.play(Chooser(), until_finished="m0")
    assert clock.slept == [3.0, 7.0, 0.2]


def test_pauses_grow_to_a_bound_with_jitter() -> None:
    service, clock = FaultyService(1), ClientClock()
    service.troubles.extend([LOST_BEFORE] * 9)
    with client_of(service, clock) as client:
        client.play(Chooser(), until_finished="m0")
    assert clock.slept == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.5, 2.5, 2.5]


def test_the_read_timeout_is_the_wait_and_a_margin() -> None:
    seen = []

    def note(request: httpx.Request) -> httpx.Response:
        seen.append((request.url.path, request.extensions["timeout"]["read"]))
        return service._handle(request)

    service = FaultyService(1)
    service.limits["max_wait_s"] = 8.0
    with Client("http://service.test", "token", transport=httpx.MockTransport(note), wait=25.0) as client:
        client.play(Chooser(), until_finished="m0")
    assert ("/v1/turns", 13.0) in seen
    assert max(read for _, read in seen) == 13.0
    assert max(body["wait"] for body in service.bodies) == 8.0


def test_a_poll_does_not_wait_while_turns_are_open() -> None:
    service, clock = FaultyService(1, 1, 1, 1), ClientClock()

    def slowly(turn: Turn) -> str:
        clock.sleep(0.15)
        return turn.legal_moves[0]

    with client_of(service, clock) as client:
        client.play(slowly, until_finished=service.matches)
    assert [(len(body["moves"]), body["wait"]) for body in service.bodies] == [(0, 25.0), (2, 0), (2, 1.0)]


def test_a_request_holds_at_most_the_service_limit_of_moves() -> None:
    service, choose = FaultyService(*[2] * 10), Chooser()
    service.limits["max_moves"] = 3
    play(service, choose)
    assert max(len(body["moves"]) for body in service.bodies) == 3
    assert choose.asked == service.committed()


# 4. Time to choose


def test_seconds_left_count_down_from_the_arrival_whatever_the_local_date() -> None:
    service, clock, left = FaultyService(1), ClientClock(), []

    def choose(turn: Turn) -> str:
        left.append(turn.seconds_left)
        clock.sleep(1.5)
        left.append(turn.seconds_left)
        return turn.legal_moves[0]

    with client_of(service, clock) as client:
        client.play(choose, until_finished="m0")
    assert left == pytest.approx([5.0, 3.5])


def test_the_most_urgent_turn_is_chosen_for_first() -> None:
    service, asked = FaultyService(1, 1, 1), []
    seconds = iter([9.0, 1.0, 5.0])
    service.next_time = lambda: next(seconds, 3.0)

    def choose(turn: Turn) -> str:
        asked.append(turn.match)
        return turn.legal_moves[0]

    play(service, choose)
    assert asked == ["m1", "m2", "m0"]


def test_a_turn_that_expires_while_choosing_for_others_is_polled_for_again() -> None:
    service, clock, choose = FaultyService(1, 1), ClientClock(), Chooser()

    def slowly(turn: Turn) -> str:
        clock.sleep(0.1 if choose.asked else 6.0)
        return choose(turn)

    with client_of(service, clock) as client:
        client.play(slowly, until_finished=service.matches)
    assert choose.asked == service.committed()
    assert "since" not in service.bodies[2]


def test_with_asyncio_a_slow_choose_delays_no_other_match() -> None:
    service, order = FaultyService(1, 3), []

    async def choose(turn: Turn) -> str:
        if turn.match == "m0":
            while not service.matches["m1"].over:
                await asyncio.sleep(0)
        order.append(turn.match)
        return turn.legal_moves[0]

    play_async(service, choose)
    assert order == ["m1", "m1", "m1", "m0"]


def test_with_asyncio_choosing_for_a_turn_that_is_over_is_cancelled() -> None:
    service, order = FaultyService(2), []

    async def choose(turn: Turn) -> str:
        order.append(f"asked {turn.number}")
        if turn.number == 1:
            service.matches["m0"].made[1] = "by the referee"
            service.matches["m0"].turn = 2
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                order.append("cancelled")
                raise
        return turn.legal_moves[0]

    play_async(service, choose)
    assert order == ["asked 1", "cancelled", "asked 2"]


def test_a_cursor_from_before_a_reset_is_ignored() -> None:
    data = {"match": "m0", "turn": 1, "seat": 0, "observation": {"legal_moves": ["pass"]}}
    state = LoopState("raise", ClientClock())
    state.apply(state.next_request(25), {"turns": [data], "since": "s1"})
    turn = state.next_turn()
    assert turn is not None
    poll = state.next_request(25)
    state.choose(turn, "pass")
    stale = {"problem": {"code": "stale_turn"}}
    state.apply(state.next_request(0), {"results": [stale], "turns": [], "since": "s1"})
    state.apply(poll, {"turns": [], "since": "s2"})
    assert "since" not in state.next_request(25).body


def test_an_outdated_response_repeats_no_turn_and_loses_none() -> None:
    def turn(number: int) -> dict[str, Any]:
        return {
            "match": "m0",
            "turn": number,
            "seat": 0,
            "observation": {"legal_moves": ["pass"]},
        }

    state = LoopState("raise", ClientClock())
    state.apply(state.next_request(25), {"turns": [turn(1)], "since": "s1"})
    first = state.next_turn()
    assert first is not None
    poll = state.next_request(25)
    state.choose(first, "pass")
    state.apply(state.next_request(0), {"results": [{"turn": 1}], "turns": [], "since": "s1"})
    state.apply(poll, {"turns": [turn(1)], "since": "s2"})
    assert state.next_turn() is None
    fresh = state.next_request(25)
    assert "since" not in fresh.body
    _, must_pause = state.apply(fresh, {"turns": [turn(1)], "since": "s3"})
    assert must_pause, "the turn is open again: the service lost a move"
    assert state.next_turn() is None
    assert [chosen.move for chosen in state.ready] == ["pass"]


# 5. The end


def test_finished_matches_are_reported_once_and_older_ones_never() -> None:
    service, reported = FaultyService(1, 0, 2), []
    service.repeat = True
    with client_of(service) as client:
        finished = client.play(Chooser(), matches=2, on_finished=lambda each: reported.append(each.match))
    assert sorted(reported) == ["m0", "m2"]
    assert [each.match for each in finished] == reported
    assert (finished[0].seat, finished[0].places, finished[0].scores) == (0, [1, 2], [0, -1])


def test_stop_ends_the_loop_after_sending_the_move() -> None:
    service = FaultyService(5)
    with client_of(service) as client:

        def choose(turn: Turn) -> str:
            if turn.number == 3:
                client.stop()
            return turn.legal_moves[0]

        assert client.play(choose) == []
        assert list(service.matches["m0"].made) == [1, 2, 3]
        assert service.bodies[-1]["wait"] == 0
        client.play(Chooser(), until_finished="m0")
    assert service.all_over


def test_stop_ends_the_asyncio_loop_after_sending_the_chosen_moves() -> None:
    service = FaultyService(5)

    async def run() -> None:
        async with AsyncClient("http://service.test", transport=service.transport) as client:

            def choose(turn: Turn) -> str:
                if turn.number == 3:
                    client.stop()
                return turn.legal_moves[0]

            await client.play(choose)

    asyncio.run(asyncio.wait_for(run(), 60))
    assert list(service.matches["m0"].made) == [1, 2, 3]


def test_stop_repeats_the_moves_of_a_cancelled_poll() -> None:
    service = FaultyService(2)

    async def run() -> None:
        async def handle(request: httpx.Request) -> httpx.Response:
            answer = service._handle(request)
            if service.bodies and service.bodies[-1]["moves"] and not cut_off:
                cut_off.append(True)
                client.stop()
                await asyncio.sleep(3600)
            return answer

        cut_off: list[bool] = []
        async with AsyncClient("http://service.test", transport=httpx.MockTransport(handle)) as client:
            await client.play(lambda turn: turn.legal_moves[0])

    asyncio.run(asyncio.wait_for(run(), 60))
    assert service.replays == 1
    assert list(service.matches["m0"].made) == [1]


def test_an_exception_in_choose_ends_the_loop_and_the_next_loop_takes_up_the_turn() -> None:
    service, choose = FaultyService(2), Chooser()
    with client_of(service) as client:
        with pytest.raises(ZeroDivisionError):
            client.play(lambda turn: str(1 // 0))
        client.play(choose, until_finished="m0")
    assert choose.asked == service.committed()


# 6. The other calls


def test_a_creating_request_keeps_its_idempotency_key_in_all_attempts() -> None:
    keys: list[str | None] = []

    def handle(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers.get("Idempotency-Key"))
        if len(keys) in (1, 3):
            raise httpx.ReadTimeout("too late", request=request)
        return httpx.Response(201, json={"token": "t"})

    clock = ClientClock()
    with Client("http://service.test", transport=httpx.MockTransport(handle), sleep=clock.sleep) as client:
        assert client.register_owner("me") == {"token": "t"}
        client.create_match("durak", ["me/bot", "house/random"], deals=2)
    assert keys[0] == keys[1] != keys[2] == keys[3]
    assert len(keys[0] or "") >= 16


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ConnectTimeout])
def test_a_client_that_fails_fast_does_not_retry_its_first_connection(
    error: type[httpx.TransportError],
) -> None:
    calls: list[str] = []
    there = False

    def handle(request: httpx.Request) -> httpx.Response:
        calls.append(request.url.path)
        if not there:
            raise error("refused", request=request)
        return httpx.Response(200, json={"max_moves": 256})

    clock, transport = ClientClock(), httpx.MockTransport(handle)
    address = "http://service.test"

    async def ask() -> None:
        async with AsyncClient(address, fail_fast=True, transport=transport, sleep=clock.asleep) as client:
            await client.limits()

    with Client(address, fail_fast=True, transport=transport, sleep=clock.sleep, clock=clock) as client:
        for fails in (lambda: client.limits(), lambda: list(client.records()), lambda: asyncio.run(ask())):
            with pytest.raises(KozyrError, match="unreachable"):
                fails()
        assert (len(calls), clock.slept) == (3, [])
        there = True
        client.limits()
        there = False
        # The client retries an outage after a first success.
        with pytest.raises(KozyrError, match="unreachable"):
            client.limits()
        assert len(clock.slept) > 3


def test_a_join_succeeds_after_a_lost_response() -> None:
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path}")
        if len(asked) == 1:
            raise httpx.ReadTimeout("too late", request=request)
        if request.method == "POST":
            return response_of(409, {}, problem("already_seated", 409))
        return httpx.Response(200, json={"seat": 1})

    clock = ClientClock()
    with Client("http://service.test", transport=httpx.MockTransport(handle), sleep=clock.sleep) as client:
        assert client.join("m0") == {"seat": 1}
        with pytest.raises(KozyrError, match="already_seated"):
            client.join("m0")
    assert asked[2] == "GET /v1/matches/m0"


def test_url_and_token_can_come_from_the_environment_together(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str | None]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append((request.url.host, request.headers.get("Authorization")))
        return httpx.Response(200, json={})

    monkeypatch.setenv("KOZYR_URL", "http://own.test/")
    monkeypatch.setenv("KOZYR_TOKEN", "secret")
    Client(transport=httpx.MockTransport(handle)).games()
    Client("http://other.test", transport=httpx.MockTransport(handle)).games()
    assert seen == [("own.test", "Bearer secret"), ("other.test", None)]


@pytest.mark.parametrize("url", [None, "", "localhost:8000", "ftp://service.test"])
def test_an_address_must_be_given_and_be_http(monkeypatch: pytest.MonkeyPatch, url: str | None) -> None:
    monkeypatch.delenv("KOZYR_URL", raising=False)
    with pytest.raises(ValueError, match="address"):
        Client(url)


def test_the_end_of_a_line_after_a_token_is_no_part_of_it() -> None:
    seen: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["Authorization"])
        return httpx.Response(200, json={})

    Client("http://service.test", "secret\n", transport=httpx.MockTransport(handle)).games()
    assert seen == ["Bearer secret"]


def test_a_web_page_instead_of_a_problem_is_named() -> None:
    page = httpx.Response(404, headers={"Content-Type": "text/html"}, text="<h1>Not found</h1>")
    named = "^http_404: the response is text/html, not a problem of a Kozyr service$"
    transport = httpx.MockTransport(lambda _: page)
    with Client("http://service.test", transport=transport) as client, pytest.raises(KozyrError, match=named):
        client.games()


def test_a_redirect_is_an_error_that_names_its_address() -> None:
    seen: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(f"{request.method} {request.url.path}")
        return httpx.Response(302, headers={"Location": "/moved"})

    named = "^http_302: .* redirects to '/moved'; set the address of the service$"
    with Client("http://service.test", transport=httpx.MockTransport(handle)) as client:
        with pytest.raises(KozyrError, match=named):
            client.request("POST", "/v1/moves", body={"moves": []})
        with pytest.raises(KozyrError, match=named):
            client.play(lambda turn: turn.legal_moves[0])
    assert seen == ["POST /v1/moves", "GET /v1/limits"]


def test_an_error_has_the_code_the_status_and_the_whole_problem() -> None:
    service = FaultyService()
    service.other["GET", "/v1/matches/mine"] = (404, {}, problem("no_such_match", 404, request_id="r1"))
    with client_of(service) as client, pytest.raises(KozyrError) as caught:
        client.match("mine")
    assert (caught.value.code, caught.value.status) == ("no_such_match", 404)
    assert caught.value.problem["request_id"] == "r1"


def test_turns_in_words_are_read_after_an_absence_and_never_from_a_page_of_others() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if len(asked) == 1:
            return response_of(*UNAVAILABLE)
        return httpx.Response(200, text="Ваш ход.\n\n")

    time = ClientClock()
    client = Client("http://x", "token", transport=httpx.MockTransport(answer), sleep=time.sleep)
    assert client.turns_in_words("ru") == "Ваш ход.\n\n"
    assert time.slept[0] >= 3
    assert (asked[1].headers["Accept"], asked[1].headers["Accept-Language"]) == ("text/plain", "ru")
    page = httpx.MockTransport(lambda _: httpx.Response(200, html="<html>nginx</html>"))
    with pytest.raises(KozyrError, match="text/html"):
        Client("http://x", "token", transport=page).turns_in_words()


@pytest.mark.parametrize("broken", ["no answer", "half a line"])
def test_records_are_yielded_once_even_if_a_page_breaks_off(broken: str) -> None:
    pages = {None: ["r1", "r2"], "c1": ["r3", "r4"], "c2": []}
    asked: list[str | None] = []

    def handle(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        asked.append(cursor)
        assert request.url.params["game"] == "durak"
        text = "".join(f'{{"id": "{record}"}}\n' for record in pages[cursor])
        if asked == [None, "c1"]:
            if broken == "no answer":
                raise httpx.ReadTimeout("too late", request=request)
            text = text[:-5]
        following = {None: {"Kozyr-Cursor": "c1"}, "c1": {"Kozyr-Cursor": "c2"}, "c2": {}}
        return httpx.Response(200, text=text, headers=following[cursor])

    clock = ClientClock()
    with Client("http://service.test", transport=httpx.MockTransport(handle), sleep=clock.sleep) as client:
        assert [record["id"] for record in client.records(game="durak")] == ["r1", "r2", "r3", "r4"]
    assert asked == [None, "c1", "c1", "c2"]

    async def run() -> list[str]:
        async with AsyncClient("http://service.test", transport=httpx.MockTransport(handle)) as client:
            return [record["id"] async for record in client.records(game="durak")]

    assert asyncio.run(run()) == ["r1", "r2", "r3", "r4"]


@both
def test_a_note_is_sent_with_its_move_and_cut_to_what_is_accepted(run: Callable[..., Any]) -> None:
    service = FaultyService(6)
    texts = ["", "two\nlines", "x" * 300]

    def choose(turn: Turn) -> str:
        turn.note = texts[turn.number % 3]
        return turn.legal_moves[0]

    run(service, choose)
    moves = [move for body in service.bodies for move in body.get("moves", [])]
    expected: list[str | None] = [None, "two lines", "x" * 200]
    assert [move.get("note") for move in moves] == [expected[move["turn"] % 3] for move in moves]
    assert len(moves) >= 6


@both
def test_facts_are_sent_with_their_move_without_what_is_not_accepted(run: Callable[..., Any]) -> None:
    service = FaultyService(6)

    def choose(turn: Turn) -> str:
        turn.facts = {"input_tokens": 7, "output_tokens": -1, "mended": [], "thoughts": "ж" * 5000, "odd": 1}
        return turn.legal_moves[0]

    run(service, choose)
    moves = [move for body in service.bodies for move in body.get("moves", [])]
    assert len(moves) >= 6
    assert all(move["facts"] == {"input_tokens": 7, "thoughts": "ж" * 4096} for move in moves)
