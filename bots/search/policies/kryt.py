"""Kryt'-navalivat': reading its events, and the lookup tables of its playout policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

from bots.search.determinization import DeckKnowledge, Events
from bots.search.policies import _piles
from bots.search.policies._estimates import expected
from engine.cards import HIGHER, SUIT_MASK
from engine.game import Game, Move
from engine.games.kryt import DIAMONDS, EXCHANGE, HAND, SPADES
from engine.pile import PileState

# The deck


def read(knowledge: DeckKnowledge, events: Events) -> None:
    """Read a deal of three cards each, one at a time; with turned trumps the next card is turned up."""
    seats, dealt = knowledge.game.seats, HAND * knowledge.game.seats
    hands = [
        knowledge.receive(seat, range((seat - knowledge.dealer - 1) % seats, dealt, seats))
        for seat in range(seats)
    ]
    following = dealt if knowledge.game.options["trumps"] == "fixed" else dealt + 1
    for event in events:
        kind = event["type"]
        if kind == "move":
            knowledge.move(event)
        elif kind == "dealt":
            knowledge.locate(event["hand"], hands[knowledge.seat])
            knowledge.locate([event["trump_card"]], 1 << dealt)
        elif kind == "drawn":
            seat, new = event["seat"], event["count"] - (event["trump_card"] is not None)
            places = knowledge.receive(seat, range(following, following + new))
            following += new
            knowledge.locate(event.get("cards", ()), places)
        elif kind == "exchanged":
            knowledge.reveal(event["seat"], [event["given"]])


# The moves


def candidates(game: Game, state: PileState, most: int) -> Sequence[Move]:
    """Return the exchange, the pickup, and the most promising beats."""
    free = game.free_moves(state, state.to_move)
    return (*free, *_piles.candidates(_rules_of(game, state), state, most - len(free)))


def player(game: Game, rng: Random) -> Any:
    return KrytPlayer(game, rng)


class KrytPlayer:
    """The playout policy. It exchanges whenever possible, as `greedy` does."""

    def __init__(self, game: Game, rng: Random) -> None:
        self._game, self._rng = game, rng
        self._players: dict[int, _piles.PilePlayer] = {}

    def __call__(self, state: PileState) -> Move:
        if state.stock and EXCHANGE in self._game.free_moves(state, state.to_move):
            return EXCHANGE
        trump = state.dealt.trumps[0]
        player = self._players.get(trump)
        if player is None:
            player = _piles.PilePlayer(self._game, self._rng, _rules_of(self._game, state))
            self._players[trump] = player
        return player(state)


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


# The value of a position

DEPTH: Final = _piles.DEPTH
LATE: Final = 8
"""The number of cards in the stock from which on the hands say something about the end of the deal."""

_TRUMPS: Final[Sequence[float]] = (-0.30, -0.30, -0.15, -0.17, -0.18, -0.20, -0.25, -0.30, -0.90)
"""The weights of the trumps, from the 6 on."""
_PLAIN: Final[Sequence[float]] = (0.38, 0.45, 0.35, 0.25, 0.18, 0.12, 0.10, 0.05, 0.03)
"""The weights of the other cards."""


@cache
def _weights(trump: int) -> list[float]:
    return [(_TRUMPS if card & 3 == trump else _PLAIN)[max(0, (card >> 2) - 4)] for card in range(52)]


def estimate(game: Game, state: PileState) -> Sequence[float] | None:
    """Return the expected points by seat late in the deal."""
    if len(state.stock) > LATE:
        return None
    trump = DIAMONDS if game.options["trumps"] == "fixed" else state.dealt.trumps[0]
    return expected(game, _piles.burdens(state, [_weights(trump)] * game.seats))
