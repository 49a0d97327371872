"""Strategies for tables, decks and played deals of any game, which use only the game's own descriptions."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hypothesis import strategies as st

from engine.cards import CARD_OF_TEXT, CARD_TEXT, SUITS
from engine.game import NOBODY, BadTable, Event, Game, Move

SHORT_LIMIT = 300
"""The highest `turn_limit` to draw, so that random deals end soon."""


class LineOfPlay(NamedTuple):
    """A played deal: `states[0]` follows the deck, and `moves[i]` leads from `states[i]` to `states[i + 1]`."""

    game: Game
    number: int
    dealer: int
    deck: tuple[int, ...]
    states: list[Any]
    moves: list[tuple[int, Move]]

    def texts(self) -> list[tuple[int, str]]:
        return [
            (seat, self.game.text(state, move))
            for state, (seat, move) in zip(self.states, self.moves, strict=False)
        ]

    def events(self, step: int) -> list[Event]:
        """Return the events of the deal (step 0) or of the move that led to state `step`."""
        if step == 0:
            return self.game.deal_events(self.states[0])
        seat, move = self.moves[step - 1]
        return self.game.events(self.states[step - 1], seat, move, self.states[step])


def table_or_none(cls: type[Game], seats: int, options: Mapping[str, Any]) -> Game | None:
    try:
        return cls.table(seats, options)
    except BadTable:
        return None


def _values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if schema["type"] == "boolean":
        return st.booleans()
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], min(schema["maximum"], SHORT_LIMIT))
    return (
        st.sampled_from(schema["enum"])
        if "enum" in schema
        else st.from_regex(schema["pattern"], fullmatch=True)
    )


@st.composite
def tables(draw: st.DrawFn, cls: type[Game]) -> Game:
    """Draw any table that the game accepts, without options that contradict others."""
    seats = draw(st.sampled_from(cls.seat_counts))
    options: dict[str, Any] = {}
    if "turn_limit" in cls.option_schemas:
        options["turn_limit"] = draw(_values(cls.option_schemas["turn_limit"]))
    for name in draw(st.permutations(sorted(cls.option_schemas))):
        if name not in options and draw(st.booleans()):
            value = draw(_values(cls.option_schemas[name]))
            if table_or_none(cls, seats, {**options, name: value}):
                options[name] = value
    return cls.table(seats, options)


@st.composite
def lines(draw: st.DrawFn, cls: type[Game], most: int = 10**9) -> LineOfPlay:
    """Draw a deal at any table, from any deck, with at most `most` random moves."""
    game = draw(tables(cls))
    number = draw(st.integers(1, cls.fixed_deals or 3))
    dealer = draw(st.integers(0, game.seats - 1))
    rng = random.Random(draw(st.integers(0, 2**32)))
    return random_line(game, number, dealer, rng, most)


def random_line(game: Game, number: int, dealer: int, rng: random.Random, most: int = 10**9) -> LineOfPlay:
    """Return a deal from a shuffled deck with random moves and occasional free moves."""
    deck = list(game.pack)
    rng.shuffle(deck)
    state = game.deal(number, dealer, deck)
    line = LineOfPlay(game, number, dealer, tuple(deck), [state], [])
    while state.to_move != NOBODY and len(line.moves) < most:
        free = [(seat, move) for seat in range(game.seats) for move in game.free_moves(state, seat)]
        seat, move = state.to_move, rng.choice(state.legal)
        if free and rng.random() < 0.2:
            seat, move = rng.choice(free)
        state = game.play(state, seat, move)
        line.moves.append((seat, move))
        line.states.append(state)
    return line


def legal_texts(game: Game, state: Any, seat: int | None) -> list[str]:
    """Return the texts of all legal answers and free moves of a seat; none for a spectator."""
    if seat is None:
        return []
    answers = state.legal if state.to_move == seat else ()
    return [game.text(state, move) for move in (*answers, *game.free_moves(state, seat))]


def cards_in(value: Any) -> set[int]:
    """Return all cards in an observation, an event or a text."""
    if isinstance(value, str):
        return {CARD_OF_TEXT[word] for word in value.split(" ") if word in CARD_OF_TEXT}
    if isinstance(value, Mapping):
        return cards_in(list(value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(cards_in, value))
    return set()


def hand_of(game: Game, state: Any, seat: int) -> set[int]:
    return {CARD_OF_TEXT[card] for card in game.observe(state, seat)["hand"]}


# Tables that together cover every value of every option and every number of seats


def covering_tables(cls: type[Game]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Return name, seats and options of tables that cover a game.

    These are each number of seats with the defaults, then each value of each option with the fewest seats that
    support it (with the lowest `turn_limit`, and with any other options that the value requires).
    """
    for seats in cls.seat_counts:
        yield f"seats-{seats}", seats, {}
    for name, schema in cls.option_schemas.items():
        for value in _all_values(schema):
            for seats, options in _tables_with(cls, name, value):
                yield f"{name}-{str(value).lower()}", seats, options
                break
            else:
                raise AssertionError(f"no table of {cls.id} takes {name}: {value!r}")


def _all_values(schema: Mapping[str, Any]) -> list[Any]:
    if schema["type"] == "boolean":
        return [False, True]
    if schema["type"] == "integer":
        return [schema["minimum"]]
    if "enum" in schema:
        return list(schema["enum"])
    words = ["".join(word) for size in range(1, 5) for word in itertools.permutations(SUITS, size)]
    return [word for word in words if re.fullmatch(schema["pattern"], word)][:1]


def _tables_with(cls: type[Game], name: str, value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for seats in cls.seat_counts:
        if table_or_none(cls, seats, {name: value}):
            yield seats, {name: value}


def transcript_deck(game: Game, seed: str) -> list[int]:
    """Return a deck for a playthrough, the same on every machine and in every version of Python."""
    deck, rng = list(game.pack), random.Random(seed)
    for last in range(len(deck) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        deck[last], deck[other] = deck[other], deck[last]
    return deck


__all__ = [
    "CARD_TEXT",
    "LineOfPlay",
    "cards_in",
    "covering_tables",
    "hand_of",
    "legal_texts",
    "lines",
    "random_line",
    "table_or_none",
    "tables",
    "transcript_deck",
]
