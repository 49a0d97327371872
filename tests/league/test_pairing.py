"""The tables of a round."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from league.pairing.formats.field import Field
from league.pairing.formats.round_robin import RoundRobin
from league.pairing.plan import DeckMode, Entrant, plan, size


def entrants(count: int, owners: int = 0) -> list[Entrant]:
    return [Entrant(f"b{i}", f"o{i}/b{i}", f"o{i % owners if owners else i}", "1") for i in range(count)]


@given(count=st.integers(2, 7), seats=st.integers(2, 5), repeats=st.integers(1, 3), rounds=st.integers(1, 3))
def test_every_set_of_a_round_robin_meets_in_another_circular_order_each_time(
    count: int, seats: int, repeats: int, rounds: int
) -> None:
    assume(seats <= count)
    players, orders = entrants(count), defaultdict[frozenset[str], list[tuple[str, ...]]](list)
    for number in range(1, 1 + rounds):
        field = Field(players, range(seats), number, f"seed {number}")
        for meeting in RoundRobin(repeats).pair(field).meetings:
            circle = [each.id for each in meeting]
            first = circle.index(min(circle))
            orders[frozenset(circle)].append((*circle[first:], *circle[:first]))
    assert len(orders) == math.comb(count, seats)
    for met in orders.values():
        assert len(met) == repeats * rounds
        assert len(set(met)) == min(len(met), math.factorial(seats - 1))


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_a_rotated_group_gives_each_bot_each_seat_once_in_one_circular_order(seats: int) -> None:
    meetings = RoundRobin(2).pair(Field(entrants(seats + 1), range(seats), 1, "seed")).meetings
    found = plan((), seats, 1, "seed", DeckMode.ROTATED, meetings)
    assert len(found.tables) == size(seats + 1, seats, 2, DeckMode.ROTATED) == len(found.groups) * seats
    for number, group in enumerate(found.groups):
        tables = [found.tables[table] for table in group.tables]
        assert [(table.group, table.slot) for table in tables] == [(number, slot) for slot in range(seats)]
        for table, seating in zip(tables, group.seatings, strict=True):
            assert table.entrants == tuple(group.bots[member] for member in seating)
        sat = Counter((entrant.id, seat) for table in tables for seat, entrant in enumerate(table.entrants))
        assert set(sat.values()) == {1}
        circles = {
            (circle[seat].id, circle[(seat + 1) % seats].id) for circle, *_ in tables for seat in range(seats)
        }
        assert len(circles) == seats


def test_a_once_only_group_gives_each_bot_each_deck_once_in_one_seat_against_the_same_house_bots() -> None:
    house = [Entrant(f"house-{i}", f"house/{i}", "house", "1", True) for i in range(2)]
    found = plan([*entrants(4, owners=1), *house], 3, 2, "seed", DeckMode.ONCE_ONLY, ())
    assert len(found.groups) == 6
    assert len(found.tables) == size(6, 3, 2, DeckMode.ONCE_ONLY) == 36
    for number, group in enumerate(found.groups):
        tables = [found.tables[table].entrants for table in group.tables]
        seat = number % 3
        assert {table[seat].id for table in tables} == {f"b{i}" for i in range(4)} | {"house-0", "house-1"}
        others = {tuple(entrant for at, entrant in enumerate(table) if at != seat) for table in tables}
        assert len(others) == 1
        assert all(entrant.house for entrant in next(iter(others)))


def test_once_only_decks_need_a_house_bot() -> None:
    assert plan(entrants(4), 2, 1, "seed", DeckMode.ONCE_ONLY, ()).tables == []


def test_a_once_only_round_that_is_under_way_during_an_upgrade_keeps_its_tables() -> None:
    house = [Entrant(f"house-{i}", f"house/{i}", "house", "1", True) for i in range(2)]
    found = plan([*entrants(2), *house], 2, 1, "fixed", DeckMode.ONCE_ONLY, ())
    assert [[entrant.id for entrant in table.entrants] for table in found.tables] == PLANNED


PLANNED = [
    ["house-1", "house-0"],
    ["b1", "house-0"],
    ["house-0", "house-0"],
    ["b0", "house-0"],
    ["house-0", "b0"],
    ["house-0", "house-0"],
    ["house-0", "b1"],
    ["house-0", "house-1"],
]
