"""Svoi Kozyri: reading its events, and the lookup tables of its playout policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

from bots.search.determinization import DeckKnowledge, Events
from bots.search.policies import _piles
from bots.search.policies._estimates import expected
from bots.search.policies._open_piles import OpenPiles, PileRules
from engine.cards import CARD_OF_TEXT, HIGHER, SUITS, mask_of
from engine.game import Game, Move
from engine.pile import PileState, beaters_with

# The deck


def read(knowledge: DeckKnowledge, events: Events) -> None:
    """Read a deal of the whole pack. The owners of their suits were dealt the lowest cards that nobody gave away."""
    game = knowledge.game
    seats, size = game.seats, len(game.pack)
    hands = [
        knowledge.receive(seat, range((seat - knowledge.dealer - 1) % seats, size, seats))
        for seat in range(seats)
    ]
    trumps = [SUITS.index(suit) for suit in game.options["trumps"]]
    for event in events:
        kind = event["type"]
        if kind == "move":
            knowledge.move(event)
        elif kind == "dealt" and event["hands"] is not None:
            _mirrored(
                knowledge, trumps, [mask_of([CARD_OF_TEXT[card] for card in hand]) for hand in event["hands"]]
            )
        elif kind == "dealt":
            knowledge.locate(event["hand"], hands[knowledge.seat])
        elif kind == "given":
            knowledge.reveal(event["giver"], [event["card"]])
    if game.options["layout"] == "dealt":
        for seat, trump in enumerate(trumps):
            knowledge.places.setdefault(game.pack[trump], hands[seat])


def _mirrored(knowledge: DeckKnowledge, trumps: Sequence[int], hands: Sequence[int]) -> None:
    """Read a mirrored deal of Besikovich's game.

    Only the dealer's own trumps and the first free suit were dealt to the hands that show them. Any other card may
    have been dealt to either hand.
    """
    free = next(suit for suit in range(4) if suit not in trumps)
    for card in knowledge.game.pack:
        anywhere = knowledge.received[0] | knowledge.received[1]
        if card & 3 in (trumps[knowledge.dealer], free):
            anywhere = knowledge.received[0 if hands[0] >> card & 1 else 1]
        knowledge.places[card] = anywhere


# The moves


def candidates(game: Game, state: PileState, most: int) -> Sequence[Move]:
    """Return the pickup and the most promising beats."""
    return _piles.candidates(_rules_of(game), state, most)


def position(game: Game, state: PileState, rng: Random) -> OpenPiles | None:
    """Return the position for two players: each knows the other's hand by elimination."""
    if game.seats > 2:
        return None
    seat, rules = state.to_move, _rules_of(game)
    return OpenPiles(
        PileRules(state.dealt.trumps, [rules(own, 1 - own) for own in range(2)], rng),
        seat,
        state.hands[seat],
        state.hands[1 - seat],
        list(state.pile),
        game.most_moves - state.moves,
    )


def player(game: Game, rng: Random) -> Any:
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


# The value of a position

DEPTH: Final = _piles.DEPTH

_OWN: Final[Sequence[float]] = (-0.10, -0.05, -0.14, -0.19, -0.20, -0.24, -0.25, -0.32, -0.80)
"""The weights of the own trumps, from the 6 on."""
_THEIRS: Final[Sequence[float]] = (0.10, 0.08, 0.06, 0.06, 0.10, 0.08, 0.09, 0.05, -0.65)
"""The weights of the next player's trumps."""
_PLAIN: Final[Sequence[float]] = (0.33, 0.32, 0.28, 0.23, 0.22, 0.20, 0.12, 0.11, 0.13)
"""The weights of the other cards."""


@cache
def _weights(own: int, following: int) -> list[float]:
    rows = {own: _OWN, following: _THEIRS}
    return [rows.get(card & 3, _PLAIN)[max(0, (card >> 2) - 4)] for card in range(52)]


def estimate(game: Game, state: PileState) -> Sequence[float]:
    """Return the expected points by seat."""
    trumps = state.dealt.trumps
    weights = [_weights(own, trumps[(seat + 1) % len(trumps)]) for seat, own in enumerate(trumps)]
    return expected(game, _piles.burdens(state, weights))
