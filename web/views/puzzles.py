"""Puzzles: positions with exact values, to be solved at the table."""

from __future__ import annotations

from secrets import choice
from typing import Any, Final

from flask import Response, request
from werkzeug.exceptions import NotFound

from records.endings.lines import lines_of
from records.endings.model import ExactEnding
from records.endings.sets import NAMES
from records.match.frames import coded
from records.page.table import TablePage, table_data
from records.page.words import TableText
from web.pages import Pages, show, to
from web.puzzles import PuzzleSet, known_moves, offered, puzzle_set, puzzle_sets, seat_text
from web.session import viewer

pages = Pages("site_puzzles", __name__)
_SPEED: Final = 1
"""Steps a second in which the table plays the continuation."""


@pages.page("/puzzles")
def list_puzzles() -> str:
    """Show the sets."""
    return show("puzzles.html", sets=puzzle_sets(viewer().language))


@pages.page("/puzzles/random")
def random_puzzle() -> Response:
    """Lead to a random puzzle of all sets, or of one."""
    name = request.args.get("set")
    ending = choice(offered(None if name is None else _asked_set(name).name))
    return to(f"/puzzles/{ending.set}/{number_of(ending)}")


@pages.page("/puzzles/<name>")
def show_set(name: str) -> str:
    """Show the puzzles of a set."""
    found = _asked_set(name)
    return show("puzzle_set.html", set=found, harder={number_of(each) for each in offered(name)})


@pages.page("/puzzles/<name>/<int:number>")
def show_puzzle(name: str, number: int) -> str:
    """Show a position, or with `?move=` whether this move is right and how the deal goes on."""
    found = _asked_set(name)
    ending = asked_ending(name, number)
    text = seat_text(ending.table, ending.seat, viewer().language)
    chosen = request.args.get("move")
    chosen = chosen if chosen in ending.values else None
    line = () if chosen is None else (chosen, *lines_of(ending).lines[chosen])
    return show(
        "puzzle.html",
        set=found,
        number=number,
        ending=ending,
        chosen=chosen,
        moves=known_moves(ending.values, text),
        match={"deal": ending.deal},
        **_table(ending, line, text),
    )


def asked_ending(name: str, number: int) -> ExactEnding:
    """Return the position with this number in a set. Raise `NotFound`."""
    endings = _asked_set(name).endings
    if not 0 < number <= len(endings):
        raise NotFound
    return endings[number - 1]


def number_of(ending: ExactEnding) -> int:
    """Return the number of an ending in its set."""
    return int(ending.id.rpartition("-")[2])


def _asked_set(name: str) -> PuzzleSet:
    if name not in NAMES:
        raise NotFound
    return puzzle_set(name, viewer().language)


def _table(ending: ExactEnding, line: tuple[str, ...], text: TableText) -> dict[str, Any]:
    """Return the table at the position, with the moves of a line to step through."""
    frames, move = ending.frames(line), len(ending.moves)
    words = text.to_json()
    return {
        "table": TablePage(text, frames, move, None),
        "line": [text.event(event) for frame in frames[-len(line) :] for event in frame.events]
        if line
        else [],
        "ends": "deal_over" in [event["type"] for event in frames[-1].events],
        "data": table_data(words, deal=ending.deal, move=move, speed=_SPEED, frames=list(coded(frames))),
    }
