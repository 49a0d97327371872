"""Lists of moves in few words: many moves that are a product are written as one form with its cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from records.match.assist import LETTERS, MoveForm
from records.words.fields import by_suits
from records.words.phrases import PHRASES

BETWEEN: Final = " | "


def move_lines(language: str, forms: Sequence[MoveForm]) -> list[str]:
    """Return lines that state exactly these moves."""
    single = [form.move for form in forms if not form.cards]
    several = [_line(language, form) for form in forms if form.cards]
    return [*([BETWEEN.join(single)] if single else []), *several]


def _line(language: str, form: MoveForm) -> str:
    words = PHRASES[language]
    sets = [
        words["set" if letter == LETTERS[0] else "another"].format(letter=letter, cards=by_suits(cards))
        for letter, cards in form.cards.items()
    ]
    return ", ".join([form.move, *sets])
