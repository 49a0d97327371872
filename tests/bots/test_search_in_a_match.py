"""The search bot in a match: it runs in a job outside any commit, has no clock, and its time is recorded."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bots.search import Determinizer, Iterations, SearchBot, table
from bots.search.policies import POLICIES
from engine.game import Game
from records.match import views
from records.match.session import Ending, Status
from redisio.connection import Redis
from server.config.settings import Settings
from server.container import Container
from server.house import THINKERS
from tests.referee.world import CLOCK, World, house, remote


@pytest.fixture
def redis(plain_redis: Redis) -> Redis:
    """Return a plain Redis: the kind of server doesn't matter here."""
    return plain_redis


@pytest.fixture
def world(redis: Redis) -> World:
    """A referee whose monotonic clock is the machine's."""
    return World(redis, monotonic=time.monotonic)


class SlowThinker:
    """A bot that plays its first legal move and keeps its arguments. `meanwhile` runs while it thinks."""

    name, version = "search", "1"

    def __init__(self) -> None:
        self.calls: list[tuple[Mapping[str, Any], list[str], list[Mapping[str, Any]]]] = []
        self.meanwhile: Any = None

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Sequence[Mapping[str, Any]],
        rng: random.Random,
    ) -> str:
        self.calls.append((observation, list(legal_moves), list(history)))
        if self.meanwhile is not None:
            self.meanwhile()
        return legal_moves[0]


OPTIONS = {"first_attacker": "dealer_left"}


def test_search_bots_play_a_match_to_the_end_in_jobs(world: World) -> None:
    world.thinkers["search"] = SearchBot("search", Iterations(4))
    match = world.match([house("search"), house("first"), house("search")], deals=2)
    assert world.outbox(match)[-1].startswith(f"house {match} ")
    while world.referee.go_on(match, 0.0):
        assert world.outbox(match)[-1].startswith(f"house {match} ")
    assert world.look(match).progress.ending is Ending.RULES


@pytest.mark.parametrize("game", ["kryt", "king", "svoi_kozyri"])
def test_search_plays_every_game_in_a_match(world: World, game: str) -> None:
    world.thinkers["search"] = SearchBot("search", Iterations(2))
    match = world.match([house("search"), *[house("first")] * 3], game)
    while world.referee.go_on(match, 0.0):
        pass
    loaded = world.look(match)
    assert loaded.progress.ending is Ending.RULES
    assert {entry.seat for entry in world.log(match) if entry.answers} == {0, 1, 2, 3}


def test_a_referee_without_search_bots_leaves_the_match_to_another(world: World) -> None:
    match = world.match([remote(0), house("search")], options=OPTIONS, dealer=0)
    assert world.referee.go_on(match, 1.0) is False
    assert world.look(match).progress.to_move == 1
    world.thinkers["search"] = SlowThinker()
    assert world.referee.go_on(match, 1.0) is False
    assert world.look(match).progress.to_move == 0


def test_search_receives_what_its_seat_sees_and_has_seen_in_the_deal(world: World) -> None:
    world.thinkers["search"] = thinker = SlowThinker()
    match = world.match([remote(0), house("search")], options=OPTIONS, dealer=0)
    world.referee.go_on(match, 1.0)
    world.act(match, "take")
    world.referee.go_on(match, 1.0)
    ((first, _, begun), (_, _, history)) = thinker.calls[:2]
    wire = world.referee.events(world.look(match), 1, 0, 1000)
    unnumbered = [{name: value for name, value in event.items() if name != "n"} for event in wire]
    assert history == unnumbered[1 : 1 + len(history)]
    assert history[: len(begun)] == begun
    assert begun[0] == {"type": "deal", "deal": 1, "dealer": 0}
    assert first["hand"] == begun[1]["hand"]


@pytest.mark.parametrize("game", ["durak", "kryt", "king", "svoi_kozyri"])
def test_data_from_the_wire_suffices_for_determinizations(world: World, game: str) -> None:
    match, rng = world.match(4, game), random.Random(5)
    for _ in range(45):
        if world.look(match).progress.ending is not None:
            match = world.match(4, game)
        loaded = world.look(match)
        seat = loaded.progress.to_move
        assert seat is not None
        sent = json.loads(
            json.dumps([views.observation(loaded, seat), world.referee.events(loaded, seat, 0, 10**6)])
        )
        rules = table(game, 4, loaded.config.options)
        drawn = Determinizer(rules, POLICIES[game].read, sent[0], sent[1]).draw(rng)
        assert drawn.to_move == seat
        world.act(match, rng.choice(world.legal(match)))


def test_search_has_no_clock_and_its_time_is_recorded(redis: Redis) -> None:
    class ThinkingClock:
        now = 1000.0

        def __call__(self) -> float:
            return self.now

    clock, thinker = ThinkingClock(), SlowThinker()
    world = World(redis, monotonic=clock)
    thinker.meanwhile = lambda: setattr(clock, "now", clock.now + 7.5)
    world.thinkers["search"] = thinker
    match = world.match([remote(0), house("search")], options=OPTIONS, dealer=0)
    assert world.look(match).progress.to_move == 1
    world.referee.go_on(match, 1.0)
    entry = world.log(match)[-1]
    assert (entry.seat, entry.ms, entry.charged) == (1, 7500, 0)
    assert world.look(match).progress.bank == (CLOCK.bank_ms, CLOCK.bank_ms)


def test_a_move_chosen_too_late_is_dropped(world: World) -> None:
    world.thinkers["search"] = thinker = SlowThinker()
    match = world.match([remote(0), house("search")], options=OPTIONS, dealer=0)
    thinker.meanwhile = lambda: world.referee.resign(match, "bot-0")
    assert world.referee.go_on(match, 1.0) is False
    loaded = world.look(match)
    assert loaded.progress.status is Status.FINISHED
    assert len(thinker.calls) == 1
    assert [entry.seat for entry in world.log(match) if entry.answers] == []


def test_only_workers_run_the_house_search_bots() -> None:
    settings = Settings(redis_url="redis://127.0.0.1:1/0", secret="s" * 32)
    assert {"search", "search-100ms"} <= THINKERS.keys()
    parts = Container(settings)
    assert parts.referee.thinkers == {}
    assert not parts.referee.players.keys() & THINKERS.keys()
    assert Container(settings, asks_thinkers=True).referee.thinkers == THINKERS
    bot = parts.accounts.bot("house", "search")
    assert (bot.full_name, bot.version, bot.house) == ("house/search", THINKERS["search"].version, True)
