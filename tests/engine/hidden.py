"""The cards that a viewer has seen by the rules, derived without the views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.game import Event, Game
from tests.engine.lines import LineOfPlay, cards_in, hand_of

SHOWN = frozenset(
    {
        *(("dealt", "trump_card"), ("dealt", "hands"), ("shown", "card"), ("given", "card")),
        *(
            ("declared", "trump_card"),
            ("drawn", "trump_card"),
            ("exchanged", "given"),
            ("exchanged", "received"),
        ),
    }
)
"""The fields of public events by which the rules show a card that no move has named.

A game that shows cards in another way adds its field here. Cards in other fields count as hidden.
"""


def rightly_seen(line: LineOfPlay, viewer: int | None) -> dict[int, int]:
    """Return, by card, the first step at which the viewer holds it, sees it in a move, or is shown it by the rules."""
    seen_at: dict[int, int] = {}
    move_texts = ["", *(text for _, text in line.texts())]
    for step, state in enumerate(line.states):
        own = hand_of(line.game, state, viewer) if viewer is not None else set()
        for card in cards_in(move_texts[step]) | shown(line.events(step)) | own:
            seen_at.setdefault(card, step)
    return seen_at


def shown(events: Iterable[Event]) -> set[int]:
    """Return the cards that the rules show to all in these events."""
    return cards_in([value for _, _, value in _shown_fields(events)])


def publicly_another_deal(game: Game, one: Any, other: Any) -> bool:
    """Return whether two deals differ publicly: in who begins, or in the cards shown, such as who holds which of open
    hands."""
    both = [_shown_fields(game.deal_events(state)) for state in (one, other)]
    return one.to_move != other.to_move or both[0] != both[1]


def _shown_fields(events: Iterable[Event]) -> list[tuple[str, str, Any]]:
    """Return the type of each event that shows cards to all, with the field and its value."""
    return [
        (event.public["type"], field, value)
        for event in events
        for field, value in event.public.items()
        if (event.public["type"], field) in SHOWN
    ]
