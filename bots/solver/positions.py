"""Refuse positions that can't be solved: cards that are hidden, or that can't lie where they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bots.solver.errors import HiddenCards, Unsolvable
from engine.cards import mask_of, texts_of
from engine.game import Game


def refuse_impossible(game: Game, sets: Iterable[int]) -> None:
    """Raise `Unsolvable` if these sets of cards overlap, or hold cards that are not in the pack."""
    whole, seen = mask_of(game.pack), 0
    for cards in sets:
        wrong = cards & ~whole
        if wrong:
            raise Unsolvable(f"this position can't arise: {_text(wrong)} is not in the pack")
        if cards & seen:
            raise Unsolvable(f"this position can't arise: {_text(cards & seen)} lies in two places")
        seen |= cards


def refuse_hidden(hands: Sequence[int], seen: int) -> None:
    """Raise `Unsolvable` if a seat with cards can't tell all hands, although everybody has seen the cards `seen`.

    A seat knows its own hand, and the last other hand by elimination.
    """
    unseen = [seat for seat, hand in enumerate(hands) if hand & ~seen]
    if any(hand and len(unseen) - (seat in unseen) > 1 for seat, hand in enumerate(hands)):
        seats = ", ".join(map(str, unseen))
        raise HiddenCards(
            f"cards are hidden: the hands of seats {seats}; pass `open_hands` to solve them open"
        )


def _text(cards: int) -> str:
    return (
        texts_of(cards & ((1 << 52) - 1))[0] if cards & ((1 << 52) - 1) else "a card beyond the ace of spades"
    )
