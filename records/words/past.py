"""What a seat's events add to its turn: what happened since its last move, and which cards it has seen. Pure.

A seat's events are built from what it may see, and so is all of this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.cards import CARD_TEXT
from engine.game import Game
from engine.registry import GAMES

Json = Mapping[str, Any]
_CARD: Final = re.compile(r"\b[2-9TJQKA][CDHS]\b")
_PAST: Final = frozenset({"given", "last_trick"})
"""Fields that show cards where they were."""


class SeenCards(NamedTuple):
    """The cards of the pack that a seat does not see now, in ascending order of their texts."""

    gone: list[str]
    """Cards that it has seen in this deal."""
    unseen: list[str]
    """Cards that it has not."""
    holder: int | None
    """The seat that must hold all unseen cards, since no other hidden place has room."""


def with_past(turn: Json, table: Json, events: Sequence[Json]) -> dict[str, Any]:
    """Return a turn with `since_your_turn` and `seen`. Arguments as for `records.words.turn.turn_text`."""
    game = GAMES[table["game"]].table(table["seats"], table["options"])
    seen = seen_cards(game, turn["observation"], events)
    since = list(since_own_move(events, turn["seat"]))
    return {**turn, "since_your_turn": since, "seen": seen and seen._asdict()}


def deal_of(events: Sequence[Json], deal: int) -> Sequence[Json] | None:
    """Return the events of a deal from its first one on; `None` if that is missing."""
    starts = (at for at, event in enumerate(events) if event["type"] == "deal" and event["deal"] == deal)
    start = next(starts, None)
    return None if start is None else events[start:]


def since_own_move(events: Sequence[Json], seat: int) -> Sequence[Json]:
    """Return the events from the seat's last move on; all if it has made none."""
    own = (
        at
        for at in range(len(events) - 1, -1, -1)
        if events[at]["type"] == "move" and events[at]["seat"] == seat
    )
    return events[next(own, 0) :]


def seen_cards(game: Game, observation: Json, events: Sequence[Json]) -> SeenCards | None:
    """Return what the events of the deal say of cards that the observation does not show; `None` if the first of them
    are missing."""
    deal = deal_of(events, observation["deal"])
    if deal is None:
        return None
    fields = type(game).observation.__annotations__
    open_now = _cards({name: observation[name] for name in fields if name not in _PAST})
    mentioned = _cards(deal)
    unseen = {CARD_TEXT[card] for card in game.pack} - mentioned - open_now
    holder = _holder(game, observation, len(unseen)) if unseen else None
    return SeenCards(sorted(mentioned - open_now), sorted(unseen), holder)


def _holder(game: Game, observation: Json, unseen: int) -> int | None:
    """Return the seat that holds all unseen cards: the only one whose hand has room for them."""
    sizes, known = observation["hand_sizes"], observation.get("known") or [[]] * game.seats
    room = {
        seat: sizes[seat] - len(known[seat])
        for seat in range(game.seats)
        if seat != observation["seat"] and sizes[seat] > len(known[seat])
    }
    return next(iter(room)) if len(room) == 1 and sum(room.values()) == unseen else None


def _cards(value: object) -> set[str]:
    """Return the cards that a part of an observation or of events names."""
    if isinstance(value, str):
        return set(_CARD.findall(value))
    if isinstance(value, Mapping):
        value = [each for name, each in value.items() if name != "note"]
    if isinstance(value, Sequence):
        return set().union(*map(_cards, value))
    return set()
