"""The tables of a round."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.pairing.plan import DeckMode, Entrant, plan, size


def entrants(count: int, owners: int = 0) -> list[Entrant]:
    return [Entrant(f"b{i}", f"o{i}/b{i}", f"o{i % owners if owners else i}", "1") for i in range(count)]


@given(count=st.integers(2, 7), seats=st.integers(2, 5), rounds=st.integers(0, 3))
def test_all_pairs_meet_equally_often_and_all_bots_have_all_seats_equally_often(
    count: int, seats: int, rounds: int
) -> None:
    if seats > count:
        return
    found = plan(entrants(count), seats, seats, rounds * 1 + 1, "seed")
    tables = [table.entrants for table in found.tables]
    assert len(tables) == size(count, seats, seats)
    assert found.excluded == 0
    met = Counter(frozenset(entrant.id for entrant in table) for table in tables)
    assert set(met.values()) == {seats}
    assert all(len(table) == len({entrant.id for entrant in table}) == seats for table in tables)
    sat = Counter((entrant.id, seat) for table in tables for seat, entrant in enumerate(table))
    assert len(set(sat.values())) == 1


def test_a_plan_is_deterministic() -> None:
    first = plan(entrants(6), 3, 2, 4, "seed")
    assert plan(entrants(6), 3, 2, 4, "seed") == first
    assert plan(entrants(6), 3, 2, 4, "other").tables != first.tables
    # A round that is under way during an upgrade must keep its tables.
    names = [
        [entrant.id for entrant in table.entrants] for table in plan(entrants(4), 2, 1, 1, "fixed").tables
    ]
    assert names == PLANNED


PLANNED = [["b2", "b1"], ["b0", "b2"], ["b1", "b3"], ["b3", "b0"], ["b3", "b2"], ["b1", "b0"]]


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_a_rotated_group_gives_each_bot_each_seat_once_in_one_circular_order(seats: int) -> None:
    found = plan(entrants(seats + 1), seats, 2, 1, "seed", DeckMode.ROTATED)
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
    found = plan([*entrants(4, owners=1), *house], 3, 2, 1, "seed", DeckMode.ONCE_ONLY)
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
    assert plan(entrants(4), 2, 1, 1, "seed", DeckMode.ONCE_ONLY).tables == []
