"""Hidden worlds that fit all a seat has seen: states of the seat's own making, never the real one.

A deck is drawn that fits (`bots.search.puzzle`), and the moves that were made are played with it. What the seat then
sees must be what it does see, or the world is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from bots.search.puzzle import DeckCounter, Events, NoWorld, Puzzle
from engine.game import Game, IllegalMove, Move

DRAWS: Final = 60
"""How many decks may fail in a row."""

Read = Callable[[Puzzle, Events], None]
"""Fills in a puzzle from the events of a deal."""


def of_deal(history: Events) -> Events:
    """The events of the deal in progress, after the one that begins it, which comes first."""
    for at in range(len(history) - 1, -1, -1):
        if history[at]["type"] == "deal":
            return history[at:]
    raise NoWorld("the history does not begin with a deal")


class Worlds:
    """The worlds in which a seat may be that sees this observation after this history."""

    def __init__(self, game: Game, read: Read, observation: Mapping[str, Any], history: Events) -> None:
        begun, *events = of_deal(history)
        self.game = game
        self.seat: int = observation["seat"]
        puzzle = Puzzle(game, self.seat, begun["deal"], begun["dealer"])
        read(puzzle, events)
        self._number, self._dealer = puzzle.number, puzzle.dealer
        self._texts = puzzle.moves
        self._moves: list[tuple[int, Move]] = []
        self.decks: DeckCounter = puzzle.solved()
        self._seen = observation

    def draw(self, rng: Random) -> Any:
        """A state in which the seat sees what it sees. Raises `NoWorld`."""
        for _ in range(DRAWS):
            deck = self.decks.draw(rng)
            try:
                state = self.replay(deck)
            except IllegalMove:
                continue
            seen = self.game.observe(state, self.seat)
            if all(self._seen[name] == value for name, value in seen.items()):
                return state
        raise NoWorld(f"{DRAWS} decks in a row did not fit what seat {self.seat} has seen")

    def replay(self, deck: Sequence[int]) -> Any:
        """The state after the moves made, had this been the deck. Raises `IllegalMove`."""
        state = self.game.deal(self._number, self._dealer, deck)
        play = self.game.play
        if not self._moves and self._texts:
            moves: list[tuple[int, Move]] = []
            for seat, text in self._texts:
                moves.append((seat, self.game.parse(state, seat, text)))
                state = play(state, *moves[-1])
            self._moves = moves  # what a move is called inside is public, so the same in every world
            return state
        for seat, move in self._moves:
            state = play(state, seat, move)
        return state
