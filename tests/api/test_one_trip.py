"""A move on a remembered match with a remembered token takes one round trip, and what is remembered is verified."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from redis.exceptions import ConnectionError as LostConnection
from werkzeug.test import TestResponse

from api.app import create_app
from redisio.connection import Reply
from tests.api.conftest import ApiWorld, Person, compose, legal, refused, world_of
from tests.referee.world import ManualClock

STANDS_AT = [0.0]
"""The instant at which the referee's clocks stand: the beginning of the test."""


def standing() -> float:
    return STANDS_AT[0]


class RememberedTable:
    """A bot in a long match against a house bot, whose token and match the application remembers."""

    def __init__(self, world: ApiWorld, url: str) -> None:
        self.world, self.url = world, url
        self.owner = world.owner()
        self.bot = world.bot(self.owner)
        world.match(self.bot, deals=50, clock={"move_ms": 600_000, "bank_ms": 600_000})
        self.turn = world.turn(self.bot)
        self.match = self.turn["match"]
        for _ in range(3):
            self.moved()
        assert self.trips(self.moved) == 1

    @property
    def redis(self) -> Any:
        return self.world.services.store.redis  # type: ignore[attr-defined]  # the port hides it

    def send(self, **more: Any) -> TestResponse:
        """Send a legal move."""
        return self.bot("POST", f"/v1/matches/{self.match}/moves", legal(self.turn, **more))

    def moved(self) -> dict[str, Any]:
        """Send a legal move, which is made."""
        response = self.send()
        assert response.status_code == 200, response.text
        self.turn = response.json["next"]
        found: dict[str, Any] = response.json
        return found

    def trips(self, call: Callable[[], object]) -> int:
        """Return the round trips that this takes."""
        before: int = self.redis.round_trips
        call()
        return int(self.redis.round_trips) - before


@pytest.fixture
def world(redis_url: str, redis_client: redis.Redis) -> ApiWorld:
    """An application whose service time and whose referee's clock stand at one instant."""
    STANDS_AT[:] = [time.monotonic()]
    services = compose(redis_url, monotonic=standing)
    ManualClock(services.store.redis)  # type: ignore[attr-defined]  # the port hides it
    return world_of(services)


@pytest.fixture
def table(world: ApiWorld, redis_url: str) -> RememberedTable:
    return RememberedTable(world, redis_url)


def test_many_moves_take_one_round_trip_and_the_poll(table: RememberedTable) -> None:
    poll = table.trips(lambda: table.bot("POST", "/v1/turns", {"wait": 0}))
    moves = {"moves": [legal(table.turn, match=table.match)]}
    assert table.trips(lambda: table.bot("POST", "/v1/turns", moves)) <= poll


def revoke(table: RememberedTable) -> None:
    token = table.bot("GET", "/v1/token").json["id"]
    assert table.owner("DELETE", f"/v1/tokens/{token}").status_code == 204


def disable_bot(table: RememberedTable) -> None:
    table.world.services.accounts.set_bot_disabled(table.bot.id, "cheating")


@pytest.mark.parametrize("end", [revoke, disable_bot])
def test_no_move_is_made_with_a_token_after_it_has_ended(
    table: RememberedTable, end: Callable[[RememberedTable], None]
) -> None:
    end(table)
    refused(table.send(), 401, "token_invalid")
    (loaded,) = table.world.services.referee.look_at([table.match])
    assert loaded is not None
    assert loaded.progress.turn == table.turn["turn"]


def test_another_process_ends_a_token_that_this_one_remembers(table: RememberedTable) -> None:
    other = compose(table.url, monotonic=standing)
    token = table.bot("GET", "/v1/token").json["id"]
    other.accounts.revoke(token)
    refused(table.send(), 401, "token_invalid")


def test_another_process_ends_a_token_whose_bot_polls(table: RememberedTable) -> None:
    other = compose(table.url, monotonic=standing)
    token = table.bot("GET", "/v1/token").json["id"]
    assert table.bot("GET", "/v1/turns").status_code == 200
    other.accounts.revoke(token)
    refused(table.bot("GET", "/v1/turns"), 401, "token_invalid")


def test_moves_of_another_process_are_noticed(table: RememberedTable) -> None:
    elsewhere = create_app(compose(table.url, monotonic=standing)).test_client()
    here, there = table.bot, Person(elsewhere, table.bot.name, table.bot.token, table.bot.id)
    trips = []
    for _ in range(3):
        table.bot = there
        table.moved()
        table.bot = here
        trips.append(table.trips(table.moved))
    assert trips[1:] == [2, 2], "a match that moves between processes costs no more than reading it"
    assert table.trips(table.moved) == 1
    assert table.trips(table.moved) == 1


def test_nothing_is_made_on_memory_after_the_store_may_have_lost_commits(table: RememberedTable) -> None:
    table.world.services.referee.forget()
    assert table.trips(table.moved) == 2
    assert table.trips(table.moved) == 1


def test_a_refused_move_is_decided_on_a_fresh_snapshot(table: RememberedTable) -> None:
    response = table.send(move="take 9Z")
    problem = refused(response, 422, "not_a_move")
    assert problem["view"]["turn"] == table.turn["turn"]
    refused(table.send(turn=table.turn["turn"] + 5), 409, "stale_turn")
    table.moved()


@pytest.mark.parametrize("ms", [-2, 101, 5_000])
def test_nothing_is_made_on_memory_if_service_time_is_not_as_estimated(
    table: RememberedTable, ms: int
) -> None:
    ManualClock(table.redis).advance(ms)
    assert table.trips(table.moved) == 3
    assert table.trips(table.moved) == 1


def test_a_refused_cursor_makes_no_move(world: ApiWorld, table: RememberedTable) -> None:
    moves = {"moves": [legal(table.turn, match=table.match)], "since": "forged"}
    refused(table.bot("POST", "/v1/turns", moves), 400, "bad_cursor")
    assert world.turn(table.bot)["turn"] == table.turn["turn"]
    table.moved()


def test_moves_on_memory_and_others_are_made_in_one_request(world: ApiWorld, table: RememberedTable) -> None:
    world.match(table.bot, deals=50)
    turns = {turn["match"]: turn for turn in table.bot("GET", "/v1/turns?wait=1").json["turns"]}
    assert len(turns) == 2
    moves = [legal(turn, match=match) for match, turn in turns.items()]
    response = table.bot("POST", "/v1/turns", {"moves": [*moves, moves[0]]})
    assert [each.get("replayed", each.get("problem")) for each in response.json["results"]] == [
        False,
        False,
        True,
    ]


def test_a_move_takes_one_round_trip_if_the_opponent_is_remote_too(world: ApiWorld) -> None:
    bots = [world.bot(), world.bot()]
    world.match(bots[0], bots[1].name, deals=50, clock={"move_ms": 600_000, "bank_ms": 600_000})
    redis = world.services.store.redis  # type: ignore[attr-defined]  # the port hides it
    for bot in bots:
        bot("GET", "/v1/turns")
    trips = set()
    for _ in range(8):
        bot, turn = next((bot, turns[0]) for bot in bots if (turns := bot("GET", "/v1/turns").json["turns"]))
        before = redis.round_trips
        bot.move(turn)
        trips.add(redis.round_trips - before)
    assert 1 in trips
    assert trips <= {1, 2}, "the first move of a bot looks up its token"


# A move that the first round trip made keeps its result, whatever happens to the others.


def lost(*_: Any, **__: Any) -> Any:
    raise LostConnection


def unknown_match(table: RememberedTable, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return a move in a match that this process does not remember. Its commit fails."""
    elsewhere = create_app(compose(table.url, monotonic=standing)).test_client()
    there = Person(elsewhere, table.bot.name, table.bot.token, table.bot.id)
    match = table.world.match(there, deals=50)["id"]
    body = move_in(there, match)
    patch.setattr(table.world.services.referee.store, "commit", lost)
    return body


def outdated_match(table: RememberedTable) -> dict[str, Any]:
    """Return a move in a match that this process remembers and another one has ended."""
    match = table.world.match(table.bot, deals=50)["id"]
    body = move_in(table.bot, match)
    assert table.bot("POST", "/v1/turns", {"moves": [body]}).json["results"][0]["replayed"] is False
    body = move_in(table.bot, match)
    elsewhere = compose(table.url, monotonic=standing)
    assert elsewhere.referee.resign(match, table.bot.id).finished
    return body


def move_in(bot: Person, match: str) -> dict[str, Any]:
    turns = bot("GET", "/v1/turns?wait=1").json["turns"]
    turn = next(turn for turn in turns if turn["match"] == match)
    return legal(turn, match=match)


def without_a_token(table: RememberedTable, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return a move in an outdated match. The round trip that verifies the token fails."""
    body = outdated_match(table)
    patch.setattr(table.world.services.accounts, "ask_token", lost)
    return body


def unreadable_match(table: RememberedTable, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return a move in an outdated match that can't be read."""
    body = outdated_match(table)
    patch.setattr(table.world.services.referee.store, "_readable", lost)
    return body


def without_its_answer(table: RememberedTable, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return a move in a match that this process does not remember. The token's answer can't be read."""
    body = unknown_match(table, patch)
    patch.setattr(table.world.services.accounts, "ask_token", lambda *_, **__: Reply(lost))
    return body


def with_a_revoked_token(table: RememberedTable, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return a move in an outdated match. The token is revoked before the round trip that verifies it."""
    body = outdated_match(table)
    accounts, token = table.world.services.accounts, table.bot("GET", "/v1/token").json["id"]
    ask = accounts.ask_token

    def revoke_and_ask(*words: Any, **more: Any) -> Any:
        accounts.revoke(token)
        return ask(*words, **more)

    patch.setattr(accounts, "ask_token", revoke_and_ask)
    return body


@pytest.mark.parametrize(
    ("break_", "why"),
    [
        (unknown_match, "may have been made"),
        (unreadable_match, "may have been made"),
        (without_a_token, "token could not be verified"),
        (without_its_answer, "token could not be verified"),
        (with_a_revoked_token, "token could not be verified"),
    ],
)
def test_a_later_failure_costs_no_made_move_its_result(
    table: RememberedTable,
    monkeypatch: pytest.MonkeyPatch,
    break_: Callable[[RememberedTable, pytest.MonkeyPatch], dict[str, Any]],
    why: str,
) -> None:
    moves = [legal(table.turn, match=table.match)]
    with monkeypatch.context() as patch:
        moves.append(break_(table, patch))
        response = table.bot("POST", "/v1/turns", {"moves": moves})
    assert response.status_code == 200, response.text
    made, failed = response.json["results"]
    assert made["replayed"] is False
    assert (failed["problem"]["code"], failed["problem"]["retryable"]) == ("busy", True)
    assert why in failed["problem"]["detail"]
