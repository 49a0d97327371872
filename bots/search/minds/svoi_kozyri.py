"""Svoi Kozyri: what its events tell of the deck, and its prices for playouts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from bots.search.minds import _piles
from bots.search.puzzle import Events, Puzzle
from bots.search.settings import SearchSettings
from engine.cards import CARD_OF_TEXT, HIGHER, SUITS, mask_of
from engine.game import Game, Move
from engine.pile import PileState, beaters_with

SETTINGS = SearchSettings()


# The deck


def read(puzzle: Puzzle, events: Events) -> None:
    """The whole pack, one card at a time. The lowest cards that nobody was seen to give lie with their owners."""
    game = puzzle.game
    seats, size = game.seats, len(game.pack)
    hands = [
        puzzle.receive(seat, range((seat - puzzle.dealer - 1) % seats, size, seats)) for seat in range(seats)
    ]
    trumps = [SUITS.index(suit) for suit in game.options["trumps"]]
    for event in events:
        kind = event["type"]
        if kind == "move":
            puzzle.move(event)
        elif kind == "dealt" and event["hands"] is not None:
            _mirrored(
                puzzle, trumps, [mask_of([CARD_OF_TEXT[card] for card in hand]) for hand in event["hands"]]
            )
        elif kind == "dealt":
            puzzle.locate(event["hand"], hands[puzzle.seat])
        elif kind == "given":
            puzzle.reveal(event["giver"], [event["card"]])
    if game.options["layout"] == "dealt":
        for seat, trump in enumerate(trumps):
            puzzle.places.setdefault(game.pack[trump], hands[seat])


def _mirrored(puzzle: Puzzle, trumps: Sequence[int], hands: Sequence[int]) -> None:
    """Besikovich's game: only the dealer's own trumps and those of the first free suit count; the rest may have been
    dealt to either."""
    free = next(suit for suit in range(4) if suit not in trumps)
    for card in puzzle.game.pack:
        anywhere = puzzle.received[0] | puzzle.received[1]
        if card & 3 in (trumps[puzzle.dealer], free):
            anywhere = puzzle.received[0 if hands[0] >> card & 1 else 1]
        puzzle.places[card] = anywhere


# The moves


def candidates(game: Game, state: PileState, most: int) -> Sequence[Move]:
    """The pickup and the most promising pairs of cards."""
    return _piles.candidates(_rules_of(game), state, most)


def player(game: Game, rng: Random) -> Any:
    """As `greedy`."""
    return _piles.PilePlayer(game, rng, _rules_of(game))


def _rules_of(game: Game) -> _piles.Rules:
    trumps = [SUITS.index(suit) for suit in game.options["trumps"]]
    whole_pile = game.options["pickup"] == "whole_pile"
    table = [[_pile(own, other, whole_pile) for other in trumps] for own in trumps]
    return lambda seat, following: table[seat][following]


@cache
def _pile(own: int, following: int, whole_pile: bool) -> _piles.PileView:
    price, burden = [], []
    for card in range(52):
        suit, rank = card & 3, card >> 2
        price.append(rank + (9.0 if suit == own else 0.0))
        burden.append(52 if whole_pile else 3 if suit != following else 5 if HIGHER[card] else 52)
    return _piles.PileView(price, beaters_with(own), beaters_with(following), burden)
