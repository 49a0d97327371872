"""Moves as text, of any game: what a bot may try."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import CARD_TEXT

VERBS = ("attack", "throw", "beat", "take", "pass", "exchange", "lead", "pickup", "play", "declare", "deal")


def tries(cards: Iterable[int]) -> list[str]:
    """Each verb by itself and with each of these cards."""
    return [*VERBS, *(f"{verb} {CARD_TEXT[card]}" for card in cards for verb in VERBS)]
