"""Which cards a viewer has seen by the rules: nothing here asks what the views or the events happen to show."""

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
"""The fields of public events by which the rules show a card that no move has named. (A game that shows cards in
another way adds its field here: what is not listed counts as hidden.)"""


def rightly_seen(line: LineOfPlay, viewer: int | None) -> dict[int, int]:
    """By card, the first step at which this viewer has it in hand, hears it in a move, or is shown it by the rules."""
    seen_at: dict[int, int] = {}
    said = ["", *(text for _, text in line.texts())]
    for step, state in enumerate(line.states):
        own = hand_of(line.game, state, viewer) if viewer is not None else set()
        for card in cards_in(said[step]) | shown(line.events(step)) | own:
            seen_at.setdefault(card, step)
    return seen_at


def shown(events: Iterable[Event]) -> set[int]:
    """The cards that the rules show to all in these events."""
    fields = [
        (event.public["type"], field, value) for event in events for field, value in event.public.items()
    ]
    return cards_in([value for kind, field, value in fields if (kind, field) in SHOWN])


def publicly_another_deal(game: Game, one: Any, other: Any) -> bool:
    """Whether the deals themselves differ for all to see: in who begins, or in the cards shown."""
    both = [shown(game.deal_events(state)) for state in (one, other)]
    return one.to_move != other.to_move or both[0] != both[1]
