"""What a match shows of the legal moves: all, as products of cards, or none. What is legal is the same.

A match that does not list its moves leaves `legal_moves` empty. With `factored` it states them as `factored_moves`:
forms such as `lay X Y`, with the cards that each letter can be. No card is played twice in one move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, Literal, NamedTuple, get_args

Assist = Literal["list", "factored", "none"]
ASSISTS: Final[tuple[Assist, ...]] = get_args(Assist)
LIST: Final = "list"
"""The default."""
MOST_LISTED: Final = 12
"""Up to this many moves of one verb and number of cards are listed one by one."""
LETTERS: Final = "XYZ"
_CARD: Final = re.compile(r"[2-9TJQKA][CDHS]")


class MoveForm(NamedTuple):
    """A move, or several that are a product."""

    move: str
    """With a letter in each place that several cards can take."""
    cards: Mapping[str, Sequence[str]] = {}
    """By letter."""

    def expanded(self) -> Iterator[str]:
        """Yield its moves."""
        verb, *places = self.move.split(" ")
        for cards in product(*(self.cards.get(place, (place,)) for place in places)):
            if len(set(cards)) == len(cards):
                yield " ".join([verb, *cards])

    def to_json(self) -> dict[str, Any]:
        """Return the form as an observation has it."""
        return {"move": self.move, **self.cards}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MoveForm:
        """Return the form of an observation."""
        return cls(data["move"], {name: cards for name, cards in data.items() if name != "move"})


def assisted(seen: dict[str, Any], assist: Assist) -> dict[str, Any]:
    """Return an observation, or a refusal's lists of moves, with what the match shows of them. Changes `seen`."""
    if assist == LIST:
        return seen
    if assist == "factored":
        seen["factored_moves"] = [form.to_json() for form in factored(seen["legal_moves"])]
    else:
        seen["free_moves"] = []
    seen["legal_moves"] = []
    return seen


def shown_moves(seen: Mapping[str, Any]) -> list[MoveForm]:
    """Return the legal moves that an observation shows."""
    if "factored_moves" in seen:
        return [MoveForm.from_json(form) for form in seen["factored_moves"]]
    return factored(seen["legal_moves"])


def factored(moves: Sequence[str]) -> list[MoveForm]:
    """Return forms that state exactly these moves, single moves first."""
    single: list[MoveForm] = []
    several: list[MoveForm] = []
    for group in _by_form(moves).values():
        form = None if len(group) <= MOST_LISTED else _product(group)
        if form is None:
            single += map(MoveForm, group)
        else:
            several.append(form)
    return [*single, *several]


def _by_form(moves: Sequence[str]) -> dict[tuple[str, int], list[str]]:
    """Group moves by verb and number of cards. A move with other words is a form of its own."""
    forms: dict[tuple[str, int], list[str]] = {}
    for move in moves:
        verb, *cards = move.split(" ")
        plain = all(map(_CARD.fullmatch, cards))
        forms.setdefault((verb, len(cards)) if plain else (move, 0), []).append(move)
    return forms


def _product(moves: Sequence[str]) -> MoveForm | None:
    """Return moves of one verb and number of cards as one form, or `None` if they are no product."""
    verb = moves[0].partition(" ")[0]
    columns = list(zip(*(move.split(" ")[1:] for move in moves), strict=True))
    if not 0 < len(columns) <= len(LETTERS):
        return None
    places = [list(dict.fromkeys(column)) for column in columns]
    letters = [
        place[0] if len(place) == 1 else letter for letter, place in zip(LETTERS, places, strict=False)
    ]
    cards = {letter: place for letter, place in zip(letters, places, strict=True) if len(place) > 1}
    form = MoveForm(" ".join([verb, *letters]), cards)
    return form if sorted(form.expanded()) == sorted(moves) else None
