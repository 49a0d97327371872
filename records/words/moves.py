"""Lists of moves in few words: many moves that are a product are written as one form with its cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from records.words.fields import by_suits
from records.words.phrases import PHRASES

MOST_LISTED: Final = 12
"""Up to this many moves of one form are listed one by one."""
LETTERS: Final = "XYZ"
BETWEEN: Final = " | "
_CARD: Final = re.compile(r"[2-9TJQKA][CDHS]")


def move_lines(language: str, moves: Sequence[str]) -> list[str]:
    """Return lines that state exactly these moves."""
    listed: list[str] = []
    factored: list[str] = []
    for form, group in _by_form(moves).items():
        line = None if len(group) <= MOST_LISTED else _factored(language, form, group)
        if line is None:
            listed += group
        else:
            factored.append(line)
    return [*([BETWEEN.join(listed)] if listed else []), *factored]


def expanded(places: Sequence[Sequence[str]], verb: str) -> Iterator[str]:
    """Yield the moves of a form whose place `n` takes each of `places[n]`, and no card twice."""
    for cards in product(*places):
        if len(set(cards)) == len(cards):
            yield " ".join([verb, *cards])


def _by_form(moves: Sequence[str]) -> dict[tuple[str, int], list[str]]:
    """Group moves by verb and number of cards. A move with other words is a form of its own."""
    forms: dict[tuple[str, int], list[str]] = {}
    for move in moves:
        verb, *cards = move.split(" ")
        plain = all(map(_CARD.fullmatch, cards))
        forms.setdefault((verb, len(cards)) if plain else (move, 0), []).append(move)
    return forms


def _factored(language: str, form: tuple[str, int], moves: Sequence[str]) -> str | None:
    """Return the moves as one line, or `None` if they are no product."""
    verb, count = form
    if not 0 < count <= len(LETTERS):
        return None
    columns = zip(*(move.split(" ")[1:] for move in moves), strict=True)
    places = [list(dict.fromkeys(column)) for column in columns]
    if sorted(expanded(places, verb)) != sorted(moves):
        return None
    words = PHRASES[language]
    letters = [
        place[0] if len(place) == 1 else letter for letter, place in zip(LETTERS, places, strict=False)
    ]
    sets = [
        words["another" if at else "set"].format(letter=letter, cards=by_suits(place))
        for at, (letter, place) in enumerate(zip(letters, places, strict=True))
        if len(place) > 1
    ]
    return ", ".join([" ".join([verb, *letters]), *sets])
