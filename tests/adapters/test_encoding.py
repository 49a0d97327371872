"""The encoding of observations as numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from adapters.encoding import Encoding, Sizes, kind_of
from adapters.table import AdapterTable
from engine.cards import CARD_TEXT
from tests.adapters.tables import EVERYWHERE, GivenTable, played


def parts(table: AdapterTable, seen: dict[str, Any]) -> dict[str, Any]:
    """Return the encoding of each field as nested lists."""
    row, found = Encoding(table).blank()
    Encoding(table).write(found, seen)
    assert row.shape == (Encoding(table).size,)
    return {name: part.tolist() for name, part in found.items()}


@EVERYWHERE
def test_encoded_observations_are_between_minus_one_and_one(given: GivenTable) -> None:
    table = given.table
    encoding = Encoding(table)
    rows = {}
    for position in played(table, random.Random(1))[:: 2 if table.match.deals == 1 else 7]:
        for seat in (None, *range(given.seats)):
            seen = position.observe(seat)
            row = encoding.row(seen)
            assert row.shape == (encoding.size,)
            assert row.dtype == np.float32
            assert np.abs(row).max(initial=0) <= 1
            rows.setdefault(row.tobytes(), set()).add(position.to_move)
    # Equal encodings belong to positions with the same question.
    assert all(len(asked) == 1 for asked in rows.values())


@EVERYWHERE
def test_every_card_of_an_observation_changes_its_encoding(given: GivenTable) -> None:
    table = given.table
    for position in played(table, random.Random(2))[len(table.game.pack) :: 7]:
        seen = position.observe(0)
        found = parts(table, seen)
        for name in ("hand", "pickup", "taken", "known", "hands"):
            cards = seen.get(name) or []
            count = sum(len(some) if isinstance(some, list) else 1 for some in cards)
            assert name not in found or np.sum(found[name]) == count


def test_pairs_of_a_bout_keep_their_places() -> None:
    table = AdapterTable.get("durak")
    pack = [CARD_TEXT[card] for card in table.game.pack]
    found = parts(table, {"pairs": [["6C", "7C"], ["7D", None]]})["pairs"]
    assert [[(pack * 2)[at] for at, there in enumerate(pair) if there] for pair in found] == [
        ["6C", "7C"],
        ["7D"],
        *[[]] * 4,
    ]
    assert [pair.index(1) >= 36 for pair in found[:2]] == [False, False]


def test_a_value_without_a_place_raises() -> None:
    table = AdapterTable.get("durak")
    for wrong in ({"question": "why"}, {"hand": ["2C"]}, {"trump": "X"}):
        with pytest.raises((KeyError, ValueError)):
            parts(table, wrong)


def test_a_type_without_a_unit_has_no_encoding() -> None:
    sizes = Sizes(2, {"6C": 0}, 1, 100, 1)
    for vague in (str, int, list[int], "list[Card]", dict[str, int]):
        with pytest.raises(TypeError, match=r"engine\.seen"):
            kind_of(vague, sizes)
