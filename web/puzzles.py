"""Puzzles: the positions of the endgame sets as pages, and which of them to offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from engine.game import Game
from engine.registry import GAMES
from records.endings.lines import is_puzzle
from records.endings.model import ExactEnding
from records.endings.sets import NAMES, endings_of
from records.page.language import Language
from records.page.words import TableText

VARIANTS: Final = {
    ("transfer", True): "Perevodnoy Durak",
    ("teams", True): "Durak in two teams",
    ("layout", "besikovich"): "Besikovich's game",
}
"""What tables with these options are called, in English; the catalogues translate it."""
AROUND: Final = ("the player on your left", "the player opposite", "the player on your right")
"""The three others at a table of four, in English."""


class PuzzleSet(NamedTuple):
    """An endgame set as the site lists it."""

    name: str
    game: str
    title: str
    endings: Sequence[ExactEnding]


class KnownMove(NamedTuple):
    """A move with its exact value."""

    move: str
    label: str
    value: int
    best: bool


def puzzle_sets(language: Language) -> list[PuzzleSet]:
    """Return all sets, with their titles in a language."""
    return [puzzle_set(name, language) for name in NAMES]


def puzzle_set(name: str, language: Language) -> PuzzleSet:
    """Return the set with this name, which must be one of `NAMES`."""
    endings = endings_of(name)
    return PuzzleSet(name, endings[0].game, variant_title(endings[0].table, language), endings)


def variant_title(table: Game, language: Language) -> str:
    """Return what a game with these options is called."""
    named = (VARIANTS[option] for option in table.options.items() if option in VARIANTS)
    found = next(named, None)
    return GAMES[table.id].title[language.code] if found is None else language.messages.gettext(found)


@cache
def offered(name: str | None) -> tuple[ExactEnding, ...]:
    """Return the positions of a set, or of all, that make good puzzles: with one best move that `greedy` does not
    find; in a set without such positions, with one best move."""
    endings = [each for known in NAMES if name in (None, known) for each in endings_of(known)]
    return tuple(
        [each for each in endings if is_puzzle(each)] or [each for each in endings if len(each.best) == 1]
    )


def seat_text(table: Game, seat: int, language: Language) -> TableText:
    """Return the texts of a table at which the reader sits on `seat` and the others have no names."""
    translate, seats = language.messages.gettext, table.seats
    names = [translate("the opponent")] * seats
    if seats == 4:
        for step, name in enumerate(AROUND, 1):
            partner = table.sides[(seat + step) % seats] == table.sides[seat]
            names[(seat + step) % seats] = translate("your partner" if partner else name)
    names[seat] = ""  # the reader
    text = TableText(language, names, game=table.id, you=seat)
    text.house = [True] * seats  # nobody has a clock
    return text


def known_moves(values: Mapping[str, int], text: TableText) -> list[KnownMove]:
    """Return moves with their values, the best first."""
    highest = max(values.values())
    found = [
        KnownMove(move, text.move(move, text.you), value, value == highest) for move, value in values.items()
    ]
    return sorted(found, key=lambda known: -known.value)
