"""Matches among house bots that are played before they are stored look like any others."""

from __future__ import annotations

from typing import Any

import pytest

from engine.match import checked_deals
from engine.registry import GAMES
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch
from records.match.session import Ending, Status
from redisio.connection import Redis
from tests.referee.world import ARRIVAL, World, house

OF_ITS_OWN = ("id", "started", "ended", "shuffle")
"""The fields of a record that differ between two equal matches."""
TABLES: list[dict[str, Any]] = [
    {"game": "durak", "seats": 2, "deals": 1},
    {"game": "durak", "seats": 4, "deals": 5, "options": {"teams": True}},
    {"game": "king", "seats": 4},
    {"game": "kryt", "seats": 3, "deals": 2},
    {"game": "svoi_kozyri", "seats": 2, "deals": 2},
]
LATER = ARRIVAL + 600


def new(
    ident: str,
    game: str,
    seats: int,
    options: dict[str, Any] | None = None,
    *,
    deals: int | None = None,
    **more: Any,
) -> NewMatch:
    sitting = [house("dice") for _ in range(seats)]
    return NewMatch(
        game=game,
        seats=sitting,
        options=options or {},
        deals=checked_deals(GAMES[game], deals),
        id=ident,
        **more,
    )


def an_id(number: int) -> str:
    return f"{number % 64:02d}" + "a" * 25 + "bcdefghijkmnpqrstuvwxyz"[number % 23]


def published(world: World, loaded: LoadedMatch) -> tuple[Any, ...]:
    """Return everything readable of a finished match, except for ids and instants."""
    record = world.referee.record(loaded).to_json()
    events = world.referee.events(world.look(loaded.id), None, 0, 100_000)
    return {name: value for name, value in record.items() if name not in OF_ITS_OWN}, events, loaded.log


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table["game"]))
def test_a_match_played_before_storing_has_the_same_record_and_events(
    world: World, redis: Redis, table: dict[str, Any]
) -> None:
    other = World(redis)
    (stepped,) = world.referee.create_all([new(an_id(1), secret=b"s" * 32, **table)])
    while world.referee.go_on(stepped.id, 600):
        pass
    (whole,) = other.referee.create_all([new(an_id(2), secret=b"s" * 32, **table)], LATER)
    assert whole.finished
    assert whole.progress.ending is Ending.RULES
    assert published(other, whole) == published(world, world.look(stepped.id))


def test_a_match_created_twice_exists_once(world: World) -> None:
    first = world.referee.create_all([new(an_id(n), "durak", 2) for n in (1, 2)], LATER)
    again = world.referee.create_all([new(an_id(n), "durak", 2) for n in (3, 2, 1)], LATER)
    assert [loaded.id for loaded in again] == [an_id(n) for n in (3, 2, 1)]
    assert [loaded.log for loaded in again[:0:-1]] == [loaded.log for loaded in first]


def test_a_match_not_over_in_time_goes_on_like_any_other(world: World) -> None:
    (loaded,) = world.referee.create_all([new(an_id(1), "durak", 2, deals=60)], ARRIVAL)
    assert loaded.progress.status is Status.RUNNING
    assert loaded.progress.number > 1, "the first deal was played"
    assert world.look(loaded.id).log == loaded.log
    while world.referee.go_on(loaded.id, 600):
        pass
    over = world.look(loaded.id)
    assert over.progress.ending is Ending.RULES
    assert sum(line.startswith("- ") for line in over.log.splitlines()) == 60
