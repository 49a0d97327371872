"""`kozyr compare`: what it starts, what it counts, when it ends, and what it does about a service in trouble."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest
from rich.console import Console
from rich.text import Text

from kozyr.cli.comparison.result import ABSENT_IN_A_ROW, Comparison, ComparisonEnding, UncountedGroup
from kozyr.cli.comparison.run import AWAY_S, LOOK_S, PATIENCE_S, SHARE, ComparisonRun, GroupRequest
from kozyr.cli.comparison.show import document, failure, last_lines, notices, tables
from kozyr.systems import interruptions
from kozyr_client import Client, KozyrError
from records.results.points import Tally
from records.results.sprt import Sprt, hypotheses

ONE, OTHER = NAMES = ("me/fool", "me/fool-next")
VERSIONS = ("1.0", "1.1")
Answer = httpx.Response | Exception | None


class FakeClock:
    """A clock that only pauses advance."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)


class FakeGroups:
    """A service that plays groups. Group number n ends after `looks(n)` looks, with `points(n)` for the first bot."""

    def __init__(
        self,
        points: Callable[[int], int] = lambda number: 1,
        looks: Callable[[int], int] = lambda number: 1,
        slots: int = 100,
    ) -> None:
        self.points, self.looks, self.slots = points, looks, slots
        self.status: Callable[[int], str] = lambda number: "over"
        self.versions: Callable[[int], tuple[str, str]] = lambda number: VERSIONS
        self.rates: dict[str, Any] = {}
        self.keys: dict[str, int] = {}
        """The groups by the Idempotency-Key of their request."""
        self.bodies: list[dict[str, Any]] = []
        self.looked: dict[int, int] = {}
        self.most_running = 0
        self.before: list[Answer] = []
        """The answers to the next requests that start groups, in place of starting one. `None` starts one."""
        self.offline: set[str] = set()
        self.lost: set[int] = set()
        """Groups that are started without an answer."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/limits":
            return httpx.Response(200, json={"rates": self.rates, "max_moves": 256})
        if request.url.path.startswith("/v1/bots/"):
            bot = request.url.path.removeprefix("/v1/bots/")
            return httpx.Response(200, json={"bot": bot, "online": bot not in self.offline})
        if request.method == "POST":
            return self._start(request)
        return httpx.Response(200, json=self._group(int(request.url.path.removeprefix("/v1/groups/g"))))

    def running(self) -> list[int]:
        return [number for number in self.keys.values() if self.looked.get(number, 0) < self.looks(number)]

    def _start(self, request: httpx.Request) -> httpx.Response:
        answer = self.before.pop(0) if self.before else None
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            return answer
        key = request.headers["Idempotency-Key"]
        if key not in self.keys:
            if 2 * len(self.running()) + 2 > self.slots:
                return busy(self.slots)
            self.keys[key] = len(self.keys)
            self.bodies.append(json.loads(request.content))
            self.most_running = max(self.most_running, len(self.running()))
            if self.keys[key] in self.lost:
                raise httpx.ReadError("the connection is gone")
        return httpx.Response(201, json={"id": f"g{self.keys[key]}", "status": "running"})

    def _group(self, number: int) -> dict[str, Any]:
        self.looked[number] = self.looked.get(number, 0) + 1
        ident = f"g{number}"
        if self.looked[number] < self.looks(number):
            return {"id": ident, "status": "running", "result": None}
        status = self.status(number)
        points = self.points(number)
        lines = [
            {
                "bot": bot,
                "id": bot,
                "version": version,
                "points": each,
                "deals": 2,
                "forfeits": 0,
                "advantage": 0,
            }
            for bot, version, each in zip(NAMES, self.versions(number), (points, -points), strict=True)
        ]
        return {"id": ident, "status": status, "result": {"bots": lines} if status == "over" else None}


def busy(most: int = 16) -> httpx.Response:
    problem = {
        "code": "bot_unavailable",
        "detail": f"{ONE} already plays its maximum of matches ({most})",
        "retryable": False,
        "reason": "busy",
        "bot": ONE,
        "match_policy": {"max_matches": most},
    }
    return problem_response(409, problem)


def refusal(status: int, code: str, *, retryable: bool = False, after: int | None = None) -> httpx.Response:
    headers = {} if after is None else {"Retry-After": str(after)}
    return problem_response(status, {"code": code, "detail": "no", "retryable": retryable}, **headers)


def problem_response(status: int, problem: dict[str, Any], **headers: str) -> httpx.Response:
    headers["Content-Type"] = "application/problem+json"
    return httpx.Response(status, json={"type": f"#{problem['code']}", **problem}, headers=headers)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


Compare = Callable[..., ComparisonRun]


@pytest.fixture
def compare(clock: FakeClock) -> Iterator[Compare]:
    """A function that prepares a comparison at a fake service."""
    clients: list[Client] = []

    def prepared(
        service: FakeGroups,
        most: int | None = 5,
        *,
        at_once: int = 3,
        sprt: Any = None,
        against: Sequence[str] = (),
    ) -> ComparisonRun:
        transport = httpx.MockTransport(service)
        client = Client("http://service.test", "t", transport=transport, sleep=clock.sleep, clock=clock)
        clients.append(client)
        request = GroupRequest("durak", {}, {}, NAMES, tuple(against))
        comparison = Comparison(NAMES, most, sprt)
        return ComparisonRun(client, request, comparison, at_once, sleep=clock.sleep, clock=clock)

    yield prepared
    for client in clients:
        client.close()


def idle() -> None:
    """The step of a run that nobody watches."""


def shown(run: ComparisonRun, width: int = 80) -> str:
    screen = Console(width=width, highlight=False)
    with screen.capture() as captured:
        for part in tables(run):
            screen.print(part)
        for line in last_lines(run):
            screen.print(Text(line))
    return captured.get()


def test_groups_run_several_at_a_time_and_exactly_as_many_count_as_were_asked_for(compare: Compare) -> None:
    service = FakeGroups(points=lambda number: (1, 0, -1, 2)[number % 4], looks=lambda number: 1 + number % 3)
    run = compare(service, 10)
    run.play(idle)
    assert run.comparison.ending is ComparisonEnding.COMPLETE
    assert [group.id for group in run.comparison.groups] == [f"g{number}" for number in range(10)]
    assert (len(service.keys), service.most_running, run.running) == (10, 3, {})
    assert service.bodies[0] == {"game": "durak", "bots": list(NAMES)}
    assert run.comparison.balance() == (5, 3, 2)


def test_the_result_is_that_of_the_tally_and_of_the_test(compare: Compare) -> None:
    def points(number: int) -> int:
        return (2, -1, 1, 1)[number % 4]

    tested = hypotheses(0, 0.5)
    run = compare(FakeGroups(points, looks=lambda number: 1 + number * 7 % 5), None, sprt=tested)
    run.play(idle)
    tally, sprt = Tally(), Sprt(tested)
    for number in range(1000):
        tally.count(f"g{number}", ONE, points(number), 2)
        tally.count(f"g{number}", OTHER, -points(number), 2)
        if sprt.add(tally.lead(f"g{number}", ONE, OTHER)):
            break
    assert run.comparison.ending is ComparisonEnding.VERDICT
    assert run.comparison.sprt is not None
    assert (run.comparison.sprt.groups, run.comparison.sprt.verdict) == (sprt.groups, sprt.verdict)
    assert run.comparison.lead() == tally.difference(ONE, OTHER)
    assert run.comparison.points_per_deal(OTHER) == tally.of(OTHER)


def test_a_lost_answer_starts_no_second_group(compare: Compare) -> None:
    service = FakeGroups()
    service.lost = {0, 2, 3}
    run = compare(service, 5)
    run.play(idle)
    assert [group.id for group in run.comparison.groups] == [f"g{number}" for number in range(5)]
    assert len(service.keys) == 5


def test_a_group_whose_answer_was_lost_long_ago_is_found_again(compare: Compare, clock: FakeClock) -> None:
    """The client has given the request up; the next attempt has the same key."""
    fake = FakeGroups()
    fake.lost = {2}

    def service(request: httpx.Request) -> httpx.Response:
        if len(fake.keys) == 3 and clock.now < 2 * PATIENCE_S:
            raise httpx.ConnectError("refused")
        return fake(request)

    run = compare(service, 5)
    run.play(idle)
    assert [group.id for group in run.comparison.groups] == [f"g{number}" for number in range(5)]
    assert len(fake.keys) == 5


def test_a_group_waits_for_those_that_started_before_it(compare: Compare) -> None:
    """The order of the test must not depend on how long a group takes, which may depend on its result."""
    service = FakeGroups(looks=lambda number: 50 if number == 1 else 1)
    run = compare(service, 20, sprt=hypotheses(0, 0.1))
    counted: list[int] = []

    def stop_soon() -> None:
        counted.append(len(run.comparison.groups))
        if len(counted) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.play(stop_soon)
    assert set(counted) == {1}
    run.comparison.end(ComparisonEnding.INTERRUPTED)
    assert [group.id for group in run.comparison.groups] == ["g0", *(f"g{number}" for number in range(2, 20))]
    assert run.comparison.sprt is not None
    assert run.comparison.sprt.groups == 1
    assert list(last_lines(run)) == ["stopped after 19 groups", "1 group still running, not counted: g1"]


def test_aborted_and_void_groups_are_replaced(compare: Compare) -> None:
    service = FakeGroups()
    service.status = lambda number: {1: "aborted", 2: "aborted", 4: "aborted", 5: "void", 6: "aborted"}.get(
        number, "over"
    )
    run = compare(service, 4)
    run.play(idle)
    assert [group.id for group in run.comparison.groups] == ["g0", "g3", "g7", "g8"]
    assert run.comparison.uncounted == {UncountedGroup.ABORTED: 4, UncountedGroup.VOID: 1}
    assert "not counted: 4 groups aborted, because a bot did not show up" in shown(run)


def test_bots_that_never_show_up_end_the_comparison(compare: Compare) -> None:
    service = FakeGroups()
    service.status = lambda number: "over" if number == 0 else "aborted"
    run = compare(service, None, sprt=hypotheses(0, 0.1))
    run.play(idle)
    assert run.comparison.ending is ComparisonEnding.ABSENT
    assert (len(run.comparison.groups), run.comparison.uncounted[UncountedGroup.ABORTED]) == (
        1,
        ABSENT_IN_A_ROW,
    )
    assert failure(run.comparison) == (
        "the last groups were aborted because a bot did not show up: start me/fool and me/fool-next"
    )


def test_a_new_version_ends_the_comparison_and_does_not_count(compare: Compare) -> None:
    service = FakeGroups()
    service.versions = lambda number: ("1.0", "1.2") if number >= 4 else VERSIONS
    run = compare(service, 50)
    run.play(idle)
    assert run.comparison.ending is ComparisonEnding.CHANGED
    assert {group.versions for group in run.comparison.groups} == {VERSIONS}
    assert len(run.comparison.groups) == 4
    assert failure(run.comparison) == (
        "me/fool-next from version 1.1 to 1.2: a result belongs to one pair of versions, so the comparison ends; "
        "run the command again for the new ones"
    )
    assert document(run)["changed"] == ["1.0", "1.2"]


def test_a_bot_without_free_slots_is_waited_for(compare: Compare, clock: FakeClock) -> None:
    service = FakeGroups(looks=lambda number: 2, slots=4)
    service.before = [busy(), busy()]  # it plays elsewhere at first
    run = compare(service, 6, at_once=5)
    waited: list[str] = []

    def step() -> None:
        waited.append("" if run.waits_for is None else run.waits_for.code)

    run.play(step)
    assert (len(run.comparison.groups), service.most_running) == (6, 2)
    assert waited[:3] == ["bot_unavailable"] * 3
    assert all(pause >= LOOK_S for pause in clock.slept)


@pytest.mark.parametrize(
    "answer", [refusal(404, "no_such_bot"), refusal(422, "bad_table"), refusal(500, "internal_error")]
)
def test_a_refusal_ends_the_comparison(compare: Compare, answer: httpx.Response) -> None:
    service = FakeGroups()
    service.before = [None, answer]
    run = compare(service)
    with pytest.raises(KozyrError):
        run.play(idle)
    assert (len(service.keys), run.unsure) == (1, False)


def test_a_pause_of_the_service_is_waited_for_however_long_it_takes(
    compare: Compare, clock: FakeClock
) -> None:
    service = FakeGroups()
    paused = refusal(503, "service_paused", retryable=True, after=20)
    service.before = [None, *[paused] * 100]
    run = compare(service, 2)
    seen: set[str] = set()

    def step() -> None:
        if run.waits_for is not None:
            seen.add(run.waits_for.code)
            assert not run.unsure

    run.play(step)
    assert clock.now > 2 * AWAY_S
    assert (len(run.comparison.groups), seen) == (2, {"service_paused"})


@pytest.mark.parametrize("minutes", [5, 30])
def test_a_service_that_is_away_for_too_long_ends_the_comparison(
    compare: Compare, clock: FakeClock, minutes: int
) -> None:
    fake = FakeGroups(looks=lambda number: 30)

    def service(request: httpx.Request) -> httpx.Response:
        if 1.0 < clock.now < 60 * minutes:
            raise httpx.ConnectError("refused")
        return fake(request)

    run = compare(service, 20)
    if 60 * minutes < AWAY_S:
        run.play(idle)
        assert len(run.comparison.groups) == 20
        return
    with pytest.raises(KozyrError, match="unreachable"):
        run.play(idle)
    assert clock.now > AWAY_S
    run.comparison.end(ComparisonEnding.FAILED)
    assert list(run.running) == ["g0", "g1", "g2"]
    assert list(last_lines(run)) == ["3 groups still running, not counted: g0 g1 g2"]


def test_a_group_that_may_have_started_unseen_is_reported(compare: Compare) -> None:
    fake = FakeGroups()

    def service(request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and len(fake.keys) == 1:
            raise KeyboardInterrupt  # the user's, while the request is under way
        return fake(request)

    run = compare(service)
    with pytest.raises(KeyboardInterrupt):
        run.play(idle)
    run.comparison.end(ComparisonEnding.INTERRUPTED)
    assert list(last_lines(run)) == [
        "stopped after 0 groups",
        "1 group still running, not counted; another one may have started: g0",
    ]


def test_a_bot_that_is_offline_is_named_until_the_first_group_is_over(compare: Compare) -> None:
    service = FakeGroups(looks=lambda number: 2)
    service.offline = {OTHER}
    run = compare(service)
    reported: list[list[str]] = []
    run.play(lambda: reported.append(list(notices(run))))
    assert reported[0] == ["me/fool-next is offline: start it, or its groups will be aborted"]
    assert reported[1:] == [[]] * (len(reported) - 1)


def test_house_bots_fill_the_table_and_the_seat_changes_from_group_to_group(compare: Compare) -> None:
    service = FakeGroups()
    run = compare(service, 4, against=["house/greedy", "house/random"])
    run.play(idle)
    assert [body["seat"] for body in service.bodies] == [0, 1, 2, 0]
    assert service.bodies[0] == {
        "game": "durak",
        "bots": list(NAMES),
        "kind": "once_only",
        "against": ["house/greedy", "house/random"],
        "seat": 0,
    }


def test_the_document_has_every_group_with_its_versions(compare: Compare) -> None:
    run = compare(FakeGroups(), 2)
    run.play(idle)
    found = json.loads(json.dumps(document(run)))
    assert (found["ending"], found["sprt"], found["running"]) == ("complete", None, [])
    assert [(bot["bot"], bot["version"]) for bot in found["bots"]] == list(zip(NAMES, VERSIONS, strict=True))
    assert found["lead"]["mean"] == 1.0
    assert [group["group"] for group in found["groups"]] == ["g0", "g1"]
    assert found["groups"][0]["bots"][1] == {
        "bot": OTHER, "version": "1.1", "points": -1, "deals": 2, "forfeits": 0
    }  # fmt: skip


def test_a_bot_that_can_never_have_enough_slots_is_an_error_that_says_what_to_do(compare: Compare) -> None:
    run = compare(FakeGroups(slots=1), 6)
    with pytest.raises(KozyrError, match="bot_unavailable"):
        run.play(idle)
    assert (run.started, run.unsure) == (0, False)


def test_looking_takes_at_most_its_share_of_the_rate(compare: Compare, clock: FakeClock) -> None:
    service = FakeGroups(looks=lambda number: 9)
    service.rates = {"requests": {"limit": 60, "window_s": 60}}
    run = compare(service, 3)
    run.play(idle)
    looks = sum(service.looked.values())
    assert looks / clock.now <= SHARE * 60 / 60 + 0.2
    assert clock.slept[0] == 6.0


def test_a_comparison_ends_when_it_is_told_to_stop(compare: Compare) -> None:
    run = compare(FakeGroups(), 8)
    run.play(idle, lambda: len(run.comparison.groups) >= 2)
    assert run.comparison.ending is ComparisonEnding.INTERRUPTED
    assert len(run.comparison.groups) < 8


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_a_request_at_once_and_is_not_lost_in_a_destructor(number: int) -> None:
    class Destroyed:
        def __del__(self) -> None:
            os.kill(os.getpid(), number)
            for _ in range(100):  # here the handler runs, and Python ignores what it raises
                pass

    def wait_for_an_answer() -> None:
        os.kill(os.getpid(), number)
        threading.Event().wait(20.0)

    usual = signal.getsignal(number)
    with interruptions(at_once=True) as interrupted, pytest.raises(KeyboardInterrupt):
        wait_for_an_answer()
    assert interrupted == [number]
    with interruptions(at_once=True) as interrupted:
        Destroyed()
        assert interrupted == [number]
    assert signal.getsignal(number) == usual
