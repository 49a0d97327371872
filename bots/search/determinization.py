"""Determinizations: states that agree with everything a seat has seen, and are never the real state.

The determinizer draws a deck that agrees with the seat's knowledge (`bots.search.knowledge`) and replays the moves of
the deal with it. It discards the result unless the seat would see in it exactly what it does see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from bots.search.knowledge import DeckKnowledge, Decks, Events, NoDeterminization
from engine.game import Game, IllegalMove, Move

DRAWS: Final = 60
"""The number of decks to draw before giving up."""

Read = Callable[[DeckKnowledge, Events], None]
"""A function that adds the events of a deal to the knowledge of the deck."""


def current_deal(history: Events) -> Events:
    """Return the events of the deal in progress, beginning with its `deal` event."""
    for at in range(len(history) - 1, -1, -1):
        if history[at]["type"] == "deal":
            return history[at:]
    raise NoDeterminization("the history has no `deal` event")


class Determinizer:
    """A sampler of the states that give a seat this observation after this history."""

    def __init__(self, game: Game, read: Read, observation: Mapping[str, Any], history: Events) -> None:
        begun, *events = current_deal(history)
        self.game = game
        self.seat: int = observation["seat"]
        knowledge = DeckKnowledge(game, self.seat, begun["deal"], begun["dealer"])
        read(knowledge, events)
        self._number, self._dealer = knowledge.number, knowledge.dealer
        self._texts = knowledge.moves
        self._moves: list[tuple[int, Move]] = []
        self.decks: Decks = knowledge.sampler()
        self._seen = observation

    def draw(self, rng: Random) -> Any:
        """Return a random state that agrees with the observation. Raise `NoDeterminization`."""
        for _ in range(DRAWS):
            deck = self.decks.draw(rng)
            try:
                state = self.replay(deck)
            except IllegalMove:
                continue
            seen = self.game.observe(state, self.seat)
            if all(self._seen[name] == value for name, value in seen.items()):
                return state
        raise NoDeterminization(f"{DRAWS} decks in a row did not agree with what seat {self.seat} has seen")

    def replay(self, deck: Sequence[int]) -> Any:
        """Return the state after the moves so far, with this deck. Raise `IllegalMove`."""
        state = self.game.deal(self._number, self._dealer, deck)
        play = self.game.play
        if not self._moves and self._texts:
            moves: list[tuple[int, Move]] = []
            for seat, text in self._texts:
                moves.append((seat, self.game.parse(state, seat, text)))
                state = play(state, *moves[-1])
            self._moves = moves  # the internal form of a move depends on public facts only
            return state
        for seat, move in self._moves:
            state = play(state, seat, move)
        return state
