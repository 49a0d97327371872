"""Kryt'-navalivat': what its events tell of the deck, and its prices for playouts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from bots.search.minds import _piles
from bots.search.puzzle import Events, Puzzle
from bots.search.settings import SearchSettings
from engine.cards import HIGHER, SUIT_MASK
from engine.game import Game, Move
from engine.games.kryt import DIAMONDS, EXCHANGE, HAND, SPADES
from engine.pile import PileState

SETTINGS = SearchSettings()


# The deck


def read(puzzle: Puzzle, events: Events) -> None:
    """Three each, one at a time; with turned trumps the next card is turned up and drawn last."""
    seats, dealt = puzzle.game.seats, HAND * puzzle.game.seats
    hands = [
        puzzle.receive(seat, range((seat - puzzle.dealer - 1) % seats, dealt, seats)) for seat in range(seats)
    ]
    following = dealt if puzzle.game.options["trumps"] == "fixed" else dealt + 1
    for event in events:
        kind = event["type"]
        if kind == "move":
            puzzle.move(event)
        elif kind == "dealt":
            puzzle.locate(event["hand"], hands[puzzle.seat])
            puzzle.locate([event["trump_card"]], 1 << dealt)
        elif kind == "drawn":
            seat, new = event["seat"], event["count"] - (event["trump_card"] is not None)
            places = puzzle.receive(seat, range(following, following + new))
            following += new
            puzzle.locate(event.get("cards", ()), places)
        elif kind == "exchanged":
            puzzle.reveal(event["seat"], [event["given"]])


# The moves


def candidates(game: Game, state: PileState, most: int) -> Sequence[Move]:
    """The exchange, the pickup, and the most promising pairs of cards."""
    free = game.free_moves(state, state.to_move)
    return (*free, *_piles.candidates(_rules_of(game, state), state, most - len(free)))


def player(game: Game, rng: Random) -> Any:
    """As `greedy`, which exchanges whenever it can."""
    return _Player(game, rng)


class _Player:
    def __init__(self, game: Game, rng: Random) -> None:
        self._game, self._rng = game, rng
        self._players: dict[int, _piles.PilePlayer] = {}

    def __call__(self, state: PileState) -> Move:
        if state.stock and EXCHANGE in self._game.free_moves(state, state.to_move):
            return EXCHANGE
        trump = state.dealt.trumps[0]
        found = self._players.get(trump)
        if found is None:
            found = _piles.PilePlayer(self._game, self._rng, _rules_of(self._game, state))
            self._players[trump] = found
        return found(state)


def _rules_of(game: Game, state: PileState) -> _piles.Rules:
    fixed = game.options["trumps"] == "fixed"
    pile = _pile(DIAMONDS if fixed else state.dealt.trumps[0], SPADES if fixed else -1)
    return lambda seat, following: pile


@cache
def _pile(trump: int, anti: int) -> _piles.PileView:
    price, beaters, burden = [], [], []
    for card in range(52):
        suit, rank = card & 3, card >> 2
        price.append(rank + (9.0 if suit == trump else 2.0 if suit == anti else 0.0))
        beaters.append(HIGHER[card] | (0 if suit in (trump, anti) else SUIT_MASK[trump]))
        burden.append(1 if suit != trump else 3 if HIGHER[card] else 52)
    return _piles.PileView(price, beaters, beaters, burden)
