"""Texts of moves of all games, legal or not, for tests to try."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import CARD_TEXT

VERBS = ("attack", "throw", "beat", "take", "pass", "exchange", "lead", "pickup", "play", "declare", "deal")


def tries(cards: Iterable[int]) -> list[str]:
    """Return every verb alone, and every verb with each of these cards."""
    return [*VERBS, *(f"{verb} {CARD_TEXT[card]}" for card in cards for verb in VERBS)]
