"""Custom decks with given hands, upturned card and draws. The remaining cards follow in ascending order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cards import CARD_OF_TEXT
from engine.game import Game


def cards(text: str) -> list[int]:
    """Return the cards of a text such as `6H TD`."""
    return [CARD_OF_TEXT[card] for card in text.split()]


def deck_for(
    game: Game,
    dealer: int,
    hands: Mapping[int, str] | None = None,
    turned_up: str = "",
    talon: str = "",
    each: int = 6,
) -> tuple[int, ...]:
    """Return a deck that gives each seat at least these cards when dealt singly from the dealer's left.

    `turned_up` is the next card. The talon begins with the given cards in drawing order.
    """
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
    """Return the state after these moves, each as in `1: beat 7H TH`."""
    for line in moves:
        seat, _, text = line.partition(": ")
        state = game.play(state, int(seat), game.parse(state, int(seat), text))
    return state


def texts(game: Game, state: Any) -> list[str]:
    """Return the texts of all legal answers."""
    return [game.text(state, move) for move in state.legal]
