"""Decks made to order: who is dealt what, what is turned up, what is drawn. Everything else is filled in ascending."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cards import CARD_OF_TEXT
from engine.game import Game


def cards(text: str) -> list[int]:
    """The cards of a text such as `6H TD`."""
    return [CARD_OF_TEXT[card] for card in text.split()]


def deck_for(
    game: Game,
    dealer: int,
    hands: Mapping[int, str] | None = None,
    turned_up: str = "",
    talon: str = "",
    each: int = 6,
) -> tuple[int, ...]:
    """A whole pack, dealt one at a time from the dealer's left, that gives each seat at least these cards, turns up
    this card next, and has these on the talon in the order in which they are drawn (the rest is drawn after them)."""
    wanted = {seat: cards(text) for seat, text in (hands or {}).items()}
    named = [card for hand in wanted.values() for card in hand] + cards(turned_up) + cards(talon)
    assert len(set(named)) == len(named), "a card is named twice"
    rest = [card for card in game.pack if card not in named]
    dealt: dict[int, int] = {}
    for seat in range(game.seats):
        hand = wanted.get(seat, [])
        hand += [rest.pop(0) for _ in range(each - len(hand))]
        for nth, card in enumerate(hand):
            dealt[nth * game.seats + (seat - dealer - 1) % game.seats] = card
    deck = [dealt[place] for place in range(each * game.seats)]
    if len(deck) < len(game.pack):
        deck += cards(turned_up) or [rest.pop()]
    return (*deck, *cards(talon), *rest)


def played(game: Game, state: Any, *moves: str) -> Any:
    """The state after these moves, each as in `1: beat 7H TH`."""
    for line in moves:
        seat, _, text = line.partition(": ")
        state = game.play(state, int(seat), game.parse(state, int(seat), text))
    return state


def texts(game: Game, state: Any) -> list[str]:
    """The texts of all answers to the question now asked."""
    return [game.text(state, move) for move in state.legal]
