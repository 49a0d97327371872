"""Conformance checks over HTTP: which faults a bot meets, and which reactions pass."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from werkzeug.test import TestResponse

from api.moves import faults
from league.fitness.checks import Fault
from records.instants import ms_of
from tests.api.conftest import ApiWorld, Person, refused

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record delays instead of waiting."""
    found: list[float] = []
    monkeypatch.setattr(faults, "hold", found.append)
    return found


class CheckedBot:
    """A bot that polls and repeats each move until it gets a response.

    `again` chooses the move to send after a lost response, and `first` the move to send first.
    """

    def __init__(self, person: Person, *, many: bool = False) -> None:
        self.person, self.many, self.rng = person, many, Random(1)
        self.met: list[str] = []
        self.left: list[float] = []
        """Of each turn as it was handed over, the seconds until its deadline."""
        self.again: Callable[[Json, str], str | None] = lambda turn, move: move
        self.first: Callable[[Json], str] = lambda turn: self.rng.choice(answers(turn))

    def ask(self, *request: Any) -> TestResponse | None:
        """Return the response, or `None` if it was lost."""
        try:
            answer = self.person(*request)
        except ConnectionResetError:
            self.met.append("cut")
            return None
        if answer.status_code == 503:
            assert answer.json["code"] == "store_unavailable"
            assert answer.json["retryable"]
            assert answer.headers["Retry-After"] == "1"
            self.met.append("503")
            return None
        for turn in [*answer.json.get("turns", ()), *filter(None, [answer.json.get("next")])]:
            self.left.append((ms_of(turn["deadline"]) - ms_of(turn["now"])) / 1000)
        return answer

    def turns(self) -> list[Json]:
        while True:
            response = self.ask("GET", "/v1/turns?wait=0")
            if response is not None:
                found: list[Json] = response.json["turns"]
                return found

    def move(self, turn: Json) -> None:
        move: str | None = self.first(turn)
        while move is not None:
            body = {"turn": turn["turn"], "move": move}
            if self.many:
                response = self.ask("POST", "/v1/turns", {"moves": [{"match": turn["match"], **body}]})
            else:
                response = self.ask("POST", f"/v1/matches/{turn['match']}/moves", body)
            if response is not None:
                return
            move = self.again(turn, move)

    def play(self) -> None:
        """Play until there is no turn."""
        for _ in range(400):
            turns = self.turns()
            if not turns:
                return
            numbers = [turn["turn"] for turn in turns]
            if len(set(numbers)) < len(numbers):
                self.met.append("twice")
            self.move(turns[0])
        pytest.fail("a match goes on and on")


def answers(turn: Json) -> list[str]:
    """Return the legal moves that answer the turn, which an exchange does not."""
    return [move for move in turn["observation"]["legal_moves"] if move != "exchange"]


def begun(world: ApiWorld, **body: Any) -> tuple[CheckedBot, Json]:
    person = world.bot()
    response = person("POST", "/v1/checks", body)
    assert response.status_code == 201, response.text
    assert response.json["status"] == "waiting"
    return CheckedBot(person), response.json


def looked(bot: CheckedBot, check: Json) -> Json:
    response = bot.person("GET", f"/v1/checks/{check['match']}")
    assert response.status_code == 200, response.text
    found: Json = response.json
    return found


def other_move(turn: Json, move: str) -> str:
    return next((legal for legal in answers(turn) if legal != move), move)


@pytest.mark.parametrize(("game", "many"), [("durak", False), ("durak", True), ("king", True)])
def test_a_bot_that_repeats_its_moves_passes_after_meeting_every_fault_once(
    world: ApiWorld, held: list[float], game: str, many: bool
) -> None:
    bot, check = begun(world, game=game)
    bot.many = many
    bot.play()
    found = looked(bot, check)
    assert (found["status"], found["reasons"]) == ("passed", []), (found, bot.met)
    assert sorted(one["fault"] for one in found["faults_met"]) == sorted(Fault)
    assert found["faults_left"] == []
    assert (bot.met.count("503"), bot.met.count("cut"), bot.met.count("twice")) == (3, 3, 1)
    assert found["moves"]["replayed"] == 3, "after each answer that was lost"
    assert len(held) == 1
    assert 1.0 < held[0] <= 1.5
    late, *others = sorted(bot.left)
    assert (late, others[0] > 2.5) == (pytest.approx(1.5), True), (
        "a turn delivered late shows the current time"
    )


def test_a_different_move_after_a_lost_response_fails_the_check(world: ApiWorld) -> None:
    bot, check = begun(world)
    bot.again = other_move
    bot.play()
    found = looked(bot, check)
    assert found["status"] == "failed"
    assert "to turn" in found["reasons"][0]
    assert "and then" in found["reasons"][0]
    assert "the bot must repeat the same move" in found["reasons"][0]


def test_a_bot_that_polls_after_a_lost_response_passes(world: ApiWorld) -> None:
    """It repeats moves that were not made, and sees those that were."""
    bot, check = begun(world)
    sent: dict[int, str] = {}

    def first(turn: Json) -> str:
        return sent.setdefault(turn["turn"], answers(turn)[0])

    bot.first, bot.again = first, lambda turn, move: None
    bot.play()
    assert looked(bot, check)["reasons"] == []


def test_too_many_illegal_moves_fail_the_check(world: ApiWorld) -> None:
    bot, check = begun(world)
    turn = bot.turns()[0]["turn"]
    for _ in range(5):
        bot.ask("POST", f"/v1/matches/{check['match']}/moves", {"turn": turn, "move": "declare last"})
    bot.play()
    reasons = looked(bot, check)["reasons"]
    assert reasons == ["4 moves were illegal; at most 3 are allowed"], "the first was refused as a fault"


def test_a_bot_has_one_check_at_a_time(world: ApiWorld) -> None:
    bot, check = begun(world)
    assert bot.person("POST", "/v1/checks", {}).json["match"] == check["match"]
    bot.turns()
    bot.person("POST", f"/v1/matches/{check['match']}/resign")
    found = looked(bot, check)
    assert (found["status"], found["reasons"]) == ("failed", ["the bot resigned"])
    again = bot.person("POST", "/v1/checks")
    assert again.status_code == 201
    assert again.json["match"] != check["match"]


def test_other_matches_and_other_bots_meet_no_fault(world: ApiWorld) -> None:
    bot, check = begun(world)
    world.match(bot.person)
    other, turn = world.started()
    for _ in range(4):
        bot.turns()
    mine = next(one for one in bot.turns() if one["match"] != check["match"])
    for person, one in ((bot.person, mine), (other, turn)):
        assert [person.move(one)["replayed"] for _ in range(2)] == [False, True]


def test_a_check_is_for_its_bot_and_its_owner(world: ApiWorld) -> None:
    owner = world.owner()
    person = world.bot(owner)
    address = person("POST", "/v1/checks").headers["Location"]
    assert person("GET", address).status_code == owner("GET", address).status_code == 200
    refused(world.bot()("GET", address), 403, "not_your_bot")
    refused(person("GET", "/v1/checks/nothing"), 404, "no_such_check")
    refused(person("GET", "/v1/checks/" + world.match(person)["id"]), 404, "no_such_check")


def test_the_owner_and_the_bot_see_the_last_passed_check(world: ApiWorld) -> None:
    owner = world.owner()
    bot = CheckedBot(world.bot(owner))
    address = f"/v1/bots/{bot.person.name}/health"
    assert owner("GET", address).json == {"bot": bot.person.name, "passed": None, "suspended": None}
    check = bot.person("POST", "/v1/checks").json
    bot.play()
    looked(bot, check)
    assert bot.person("GET", address).json["passed"]["check"] == check["match"]
    refused(world.owner()("GET", address), 403, "not_your_bot")


def test_a_rated_ladder_requires_a_passed_check_unless_its_owner_waives_it(world: ApiWorld) -> None:
    owner = world.owner()
    bot = CheckedBot(world.bot(owner))
    entry = {"bot": bot.person.name}

    def entries(**more: Any) -> str:
        made = owner("POST", "/v1/ladders", {"name": "L", "game": "durak", "seats": 2, **more})
        assert made.json["check"] is more.get("check", more.get("rated", True))
        return f"/v1/ladders/{made.json['id']}/entries"

    rated = entries()
    assert owner("POST", rated, {"bot": "house/greedy"}).status_code == 200
    assert "kozyr check" in refused(owner("POST", rated, entry), 409, "entry_refused")["detail"]
    for address in (entries(rated=False), entries(check=False)):
        assert owner("POST", address, entry).status_code == 200
    refused(owner("POST", entries(rated=False, check=True), entry), 409, "entry_refused")
    check = bot.person("POST", "/v1/checks").json
    bot.play()
    assert looked(bot, check)["status"] == "passed"
    assert owner("POST", rated, entry).status_code == 200


def test_a_check_of_an_unknown_game_is_refused(world: ApiWorld) -> None:
    person = world.bot()
    assert "durak" in refused(person("POST", "/v1/checks", {"game": "chess"}), 404, "no_such_game")["detail"]
    refused(world.owner()("POST", "/v1/checks"), 403, "scope_missing")
    refused(person("POST", "/v1/checks", {"deals": 1}), 422, "invalid_body")
