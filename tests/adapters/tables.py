"""Tables of every registered game, with deals that are soon over, and matches played at random on them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from adapters.table import AdapterPosition, AdapterTable
from engine.game import CHANCE, NOBODY
from engine.registry import GAMES
from tests.engine.lines import covering_tables

TURN_LIMIT = 60


class GivenTable(NamedTuple):
    """What a table is made of."""

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
"""Each number of seats and each value of each option of each game, by name."""
SOME = {
    f"{game}-{name}": ALL[f"{game}-{name}"]
    for game, cls in GAMES.items()
    for name in dict.fromkeys(f"seats-{seats}" for seats in (min(cls.seat_counts), max(cls.seat_counts)))
} | {name: given for name, given in ALL.items() if given.table.actions.spelt}
"""The fewest and the most seats of each game, and what is spelt."""


def played(table: AdapterTable, rng: random.Random, most: int = 10**9) -> list[AdapterPosition]:
    """The positions of a match, or of its first actions, in which chance and everybody act at random."""
    line = [table.start()]
    while line[-1].to_move != NOBODY and len(line) <= most:
        now = line[-1]
        line.append(now.after(rng.choice(now.chances() if now.to_move == CHANCE else now.legal())))
    return line


def dealt(table: AdapterTable, places: list[int]) -> AdapterPosition:
    """The position after chance has dealt these cards, by their places in the pack."""
    position = table.start()
    for place in places:
        position = position.after(place)
    return position
