"""Tables of every registered game with short deals, and random matches on them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pytest

from adapters.table import AdapterPosition, AdapterTable
from engine.game import CHANCE, NOBODY
from engine.registry import GAMES
from tests.engine.lines import covering_tables

TURN_LIMIT = 60


class GivenTable(NamedTuple):
    """The parameters of a table."""

    game: str
    seats: int
    options: dict[str, Any]

    @property
    def table(self) -> AdapterTable:
        return AdapterTable.get(*self)


def _short(game: str, options: dict[str, Any]) -> dict[str, Any]:
    return {"turn_limit": TURN_LIMIT, **options} if "turn_limit" in GAMES[game].option_schemas else options


ALL = {
    f"{game}-{name}": GivenTable(game, seats, _short(game, options))
    for game, cls in GAMES.items()
    for name, seats, options in covering_tables(cls)
}
"""Tables by name, with each number of seats and each value of each option of every game."""
SOME = {
    f"{game}-{name}": ALL[f"{game}-{name}"]
    for game, cls in GAMES.items()
    for name in dict.fromkeys(f"seats-{seats}" for seats in (min(cls.seat_counts), max(cls.seat_counts)))
} | {name: given for name, given in ALL.items() if given.options.get("batch_attacks")}
"""The tables with the fewest and the most seats of each game, and that with spelt moves."""
EVERYWHERE = pytest.mark.parametrize(
    "given",
    [
        pytest.param(given, id=name, marks=[] if name in SOME else [pytest.mark.ci])
        for name, given in ALL.items()
    ],
)
"""Tries all tables; those that are not in `SOME` only in `make test-ci`."""


def played(table: AdapterTable, rng: random.Random, most: int = 10**9) -> list[AdapterPosition]:
    """Yield the positions of a match, or of its first actions, with random actions of chance and all seats."""
    line = [table.start()]
    while line[-1].to_move != NOBODY and len(line) <= most:
        now = line[-1]
        line.append(now.after(rng.choice(now.chances() if now.to_move == CHANCE else now.legal())))
    return line


def dealt(table: AdapterTable, places: list[int]) -> AdapterPosition:
    """Return the position after chance has dealt these cards, given by their places in the pack."""
    position = table.start()
    for place in places:
        position = position.after(place)
    return position
