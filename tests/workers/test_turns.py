"""Turns of house bots: the matches of one owner delay nobody else's by more than a turn each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pytest

from engine.game import Game
from league.ladders.model import RoundState
from league.rounds import Rounds
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch
from redisio.connection import Redis
from tests.support.league import LeagueWorld, WallClock
from workers import jobs
from workers.context import WorkerServices, use
from workers.deadline_loop import DeadlineLoop, FeedRelay, HouseRelay
from workers.queue import JobQueue
from workers.run import HOUSE_EVERY, make_worker
from workers.turns import SHARE, HouseTurn

LONG = 60
"""How many long matches the owner `flood` has."""


class Deep:
    """A house bot that thinks: each of its moves is a turn, since these tests give a turn no time for more."""

    name, version = "deep", "1"

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Sequence[Mapping[str, Any]],
        rng: Random,
    ) -> str:
        return legal_moves[0]


class House:
    """A league with a clock process and one worker, which takes jobs when a test asks it."""

    def __init__(self, redis: Redis, queue: JobQueue) -> None:
        self.queue = queue
        self.league = LeagueWorld(redis, WallClock())
        self.league.thinkers["deep"] = Deep()
        self.league.rounds = Rounds(self.league.ladders, self.league.referee, self.league.groups, queue)
        relay = HouseRelay(self.league.referee.store, queue.play_house)
        self.clock = DeadlineLoop(
            self.league.referee,
            {"index": FeedRelay(self.league.referee, self.league.feed), "house": relay},
            self.league.rounds.tick,
        )
        self.services = WorkerServices(self.league, queue)

    def match(self, owner: str, deals: int) -> LoadedMatch:
        """Return a new match of `house/deep` against itself that this owner requested. All have the same cards."""
        seat = self.league.accounts.bot("house", "deep").seat
        new = NewMatch(
            game="durak", seats=[seat, seat], options={}, deals=deals, requested_by=owner, secret=bytes(32)
        )
        (made,) = self.league.referee.create_all([new])
        return made

    def turn(self) -> None:
        """Let the clock relay what is due, then the worker play one turn."""
        self.clock.tick()
        use(self.services)
        jobs.play_house("")

    def jobs(self, most: int) -> None:
        """Let the clock relay what is due, then the worker do this many jobs."""
        self.clock.tick()
        worker = make_worker(self.services)
        worker.work(burst=True, max_jobs=most, with_scheduler=False, logging_level="WARNING")

    def over(self, match: str) -> bool:
        return self.league.referee.look(match).finished


@pytest.fixture
def house(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(jobs, "BUDGET_S", 0.0)
    redis = Redis(redis_url)
    redis.one("FLUSHALL")
    with contextlib.closing(JobQueue(redis_url, "test")) as queue:
        yield House(redis, queue)
    redis.close()


def test_another_owner_has_every_second_turn_whatever_one_owner_requests(house: House) -> None:
    alone = house.match("anna", 1)
    turns = 0
    while not house.over(alone.id):
        house.turn()
        turns += 1
    for _ in range(LONG):
        house.match("flood", 1000)
    match, shared = house.match("anna", 1), 0
    while not house.over(match.id):
        house.turn()
        shared += 1
        assert shared < 1000, "the match waits behind those of the other owner"
    assert shared <= 2 * turns + SHARE


def test_the_round_of_a_ladder_starts_and_ends_beside_long_matches(house: House) -> None:
    for _ in range(LONG):
        house.match("flood", 1000)
    house.clock.tick()
    assert house.queue.house.count == LONG
    ladder = house.league.ladder("deep", "a1", deals=1)
    house.queue.start_due(ladder.id, 0)
    started = house.services.league.rounds.start(ladder.id)
    house.jobs(HOUSE_EVERY)
    matches = [loaded for loaded in house.league.matches() if loaded.config.ladder == ladder.id]
    assert len(matches) == started.planned, "the job of the round passed the turns"
    for _ in range(200):
        house.turn()
        if house.league.ladders.round(ladder.id, started.number).state is RoundState.DONE:
            break
    else:
        pytest.fail("the ladder's match waits behind those of the owner")


def test_ladders_come_first_and_leave_turns_to_others(house: House) -> None:
    turns = house.queue.turns
    for number in range(8):
        turns.add(HouseTurn(f"o{number}", "anna"))
        turns.add(HouseTurn(f"l{number}", "boris", is_of_ladder=True))
    taken = [turns.take() or "" for _ in range(16)]
    assert taken[:8] == ["l0", "l1", "l2", "o0", "l3", "l4", "l5", "o1"]
    assert sorted(taken) == sorted(
        [f"o{number}" for number in range(8)] + [f"l{number}" for number in range(8)]
    )
    assert turns.take() is None


def test_owners_of_ladders_take_turns_too(house: House) -> None:
    turns = house.queue.turns
    for number in range(5):
        turns.add(HouseTurn(f"a{number}", "anna", is_of_ladder=True))
    turns.add(HouseTurn("b0", "boris", is_of_ladder=True))
    assert [turns.take(), turns.take()] == ["a0", "b0"]


def test_a_match_waits_once_and_in_front_if_somebody_waits_for_its_house_bot(house: House) -> None:
    turns = house.queue.turns
    assert turns.add(HouseTurn("m1", "anna"))
    assert not turns.add(HouseTurn("m1", "anna"))
    assert turns.add(HouseTurn("m2", "anna", is_awaited=True))
    assert turns.waiting("anna") == 2
    assert [turns.take(), turns.take(), turns.take()] == ["m2", "m1", None]
    assert turns.add(HouseTurn("m1", "anna"))


@pytest.mark.parametrize("seed", range(5))
def test_the_wait_that_is_shown_is_that_which_follows(house: House, seed: int) -> None:
    rng, turns = Random(seed), house.queue.turns
    for number in range(60):
        turns.add(HouseTurn(f"m{number}", f"owner {rng.randrange(5)}", rng.random() < 0.3))
    shown = {f"m{number}": turns.ahead(f"m{number}") for number in range(60)}
    for actual in range(60):
        match = turns.take() or ""
        said = shown[match]
        assert said is not None
        assert abs(said - actual) <= SHARE, match
    assert turns.ahead("m1") is None


def test_a_turn_that_a_killed_worker_took_comes_again(house: House) -> None:
    match = house.match("anna", 1)
    house.clock.tick()
    assert house.queue.turns.take() == match.id  # its worker is killed
    loaded = house.league.referee.look(match.id)
    house.queue.play_house(
        HouseTurn.of(loaded.config), loaded.version + 1
    )  # as after the deadline of house bots
    house.jobs(2)
    assert house.league.referee.look(match.id).version > loaded.version


def test_a_match_uses_the_turns_of_its_requester_or_of_the_first_owner_with_a_seat(house: House) -> None:
    _, bot = house.league.bot("boris", "fool")
    deep = house.league.accounts.bot("house", "deep").seat
    new = NewMatch(game="durak", seats=[deep, bot.seat], options={}, deals=1)
    (early, asked) = house.league.referee.create_all([new, new._replace(requested_by="anna")])
    assert HouseTurn.of(early.config) == HouseTurn(early.id, "boris", is_awaited=True)
    assert HouseTurn.of(asked.config) == HouseTurn(asked.id, "anna", is_awaited=True)
