"""The comparison of twin worlds detects leaks, errors reveal nothing, and house bots receive only what their seats see.

The processes have flaws, which tests turn on one at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest

from engine.match import MatchState
from tests.live.leaks.plays import Play, twins
from tests.live.leaks.viewer import ViewedTable
from tests.live.leaks.worlds import Leak, TwinWorlds
from tests.support.flawed_process import HANDED, next_card, set_flaw, trumps_in_hands
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

MEASURED = re.compile(rb'"ms": \d+')


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwinWorlds]:
    with TwinWorlds(tmp_path_factory.mktemp("flaws"), "tests.support.flawed_process") as both:
        yield both


@pytest.fixture(scope="module")
def table(worlds: TwinWorlds) -> ViewedTable:
    """A twin match on the viewer's turn. All values that the flaws leak are hidden from the viewer and differ."""
    play = twins("durak", 2, 0, "flaws", {}, most=8, wanted=differ)
    made = ViewedTable(worlds, play, "flaws")
    made.sit_down()
    made.play_on()
    return made


@pytest.fixture
def flaw(worlds: TwinWorlds) -> Iterator[Callable[[str], None]]:
    """Turn on a flaw in both worlds. After the test, turn it off and discard the metrics and logs."""

    def turn_on(name: str) -> None:
        for world in worlds.both:
            set_flaw(world.rig, name)

    worlds.begin_anew()
    yield turn_on
    turn_on("")
    worlds.begin_anew()


def differ(one: MatchState, other: MatchState) -> bool:
    hidden = [
        (next_card(state), trumps_in_hands(state)) for state in (one, other) if state.deal.bout.left > 3
    ]
    return len(hidden) == 2 and one.to_move == 0 and all(a != b for a, b in zip(*hidden, strict=True))


def look(worlds: TwinWorlds, table: ViewedTable) -> None:
    """Run the comparisons of test_leaks.py."""
    table.poll("")
    table.look_around()
    worlds.check_metrics()
    worlds.check_logs()


def test_without_a_flaw_there_is_no_leak(
    worlds: TwinWorlds, table: ViewedTable, flaw: Callable[[str], None]
) -> None:
    flaw("")
    look(worlds, table)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("view", r"GET /v1/turns.*next_card"),
        ("cursor", r"GET /v1/turns.*Content-Length"),
        ("event", r"GET /v1/matches/<flaws match>/events.*trumps_in_hands"),
        ("header", r"GET /v1/matches/<flaws match> .*ETag"),
        ("error", r"POST .*/moves.*next comes the"),
        ("readiness", r"GET /readyz.*warnings"),
        ("metric", r"/metrics.*kozyr_moves"),
        ("log", r"the log of api.*trumps in hands"),
    ],
)
def test_a_leak_is_detected(
    worlds: TwinWorlds, table: ViewedTable, flaw: Callable[[str], None], name: str, where: str
) -> None:
    flaw(name)
    with pytest.raises(Leak, match=f"(?s){where}"):
        look(worlds, table)


def house_play(house: str) -> Play:
    """Return a play of three seats. Seat 1 is a house bot and the viewer."""
    return twins("durak", 3, 1, house, {}, most=14, house=[1], wanted=lambda one, _: one.deal.bout.left > 3)


def play_with(worlds: TwinWorlds, house: str, name: str) -> list[list[bytes]]:
    """Return the arguments of the house bot's calls in each world, without its own thinking times.

    One world may be a call ahead, so only calls made in both worlds are returned. Repeated calls, after a commit that
    lost a race, are left out.
    """
    for world in worlds.both:
        (world.rig / HANDED).write_bytes(b"")
    table = ViewedTable(worlds, house_play(house), name, {1: f"house/{house}"})
    table.sit_down()
    for step in table.play.steps:
        table.move(step)
    table.wait_for_turn(max((step.turn or 0 for step in table.play.steps), default=0) + 1)
    texts = [MEASURED.sub(b'"ms": 0', (world.rig / HANDED).read_bytes()) for world in worlds.both]
    asked = [list(dict.fromkeys(text.splitlines())) for text in texts]
    shared = min(map(len, asked))
    assert shared >= sum(step.seat in table.house for step in table.play.steps)
    return [lines[:shared] for lines in asked]


@pytest.mark.parametrize("house", ["greedy", "search-100ms"])
def test_a_house_bot_receives_only_what_its_seat_sees(worlds: TwinWorlds, house: str) -> None:
    one, other = play_with(worlds, house, f"house-{house}")
    assert json.loads(one[-1])[0] == house
    assert one == other


def test_a_house_bot_that_receives_more_is_detected(worlds: TwinWorlds, flaw: Callable[[str], None]) -> None:
    flaw("house")
    one, other = play_with(worlds, "greedy", "house-spoilt")
    assert one != other


def test_an_error_in_a_request_reveals_nothing_about_the_match(
    worlds: TwinWorlds, table: ViewedTable, flaw: Callable[[str], None]
) -> None:
    """The exception has the log of the match with its decks, and its secret."""
    flaw("fault")
    path = f"/v1/matches/{table.match}"
    body = {"turn": 1, "move": "no move"}
    for eye in (table.token, None):
        assert worlds.ask("GET", path, None, eye).status == 500
    assert worlds.ask("POST", f"{path}/moves", body, table.token).status == 500
    moves = {"moves": [{"match": table.match, **body}]}
    assert worlds.ask("POST", "/v1/turns", moves, table.token).status == 500
    worlds.check_logs()
    check_secrets(worlds, table)
    assert "internal error" in worlds.both[0].service.log("api")


def test_an_error_in_the_deadline_loop_reveals_nothing_about_the_match(
    worlds: TwinWorlds, table: ViewedTable, flaw: Callable[[str], None]
) -> None:
    flaw("fault")
    body = {"game": "durak", "seats": [f"{table.name}/bot-0", "house/random"]}
    assert worlds.ask("POST", "/v1/matches", body, table.token).status == 500
    for world in worlds.both:
        eventually(lambda: "deadline loop: index" in world.service.log("clock"), "the error is logged")  # noqa: B023
    check_secrets(worlds, table)


def test_an_error_in_a_job_reveals_nothing_about_the_match(
    worlds: TwinWorlds, flaw: Callable[[str], None]
) -> None:
    flaw("fault in a job")
    play = twins("durak", 3, 1, "job", {}, most=0, house=[1], wanted=lambda one, _: one.to_move == 1)
    table = ViewedTable(worlds, play, "job", {1: "house/search-100ms"})
    table.sit_down()
    for world in worlds.both:
        eventually(lambda: "RuntimeError" in world.service.log("worker"), "the error is logged")  # noqa: B023
    check_secrets(worlds, table)


def check_secrets(worlds: TwinWorlds, table: ViewedTable) -> None:
    worlds.check_secrets([world.behind(table.match).secret.hex() for world in worlds.both])
