"""Bots, tokens and matches as tables for people. On a terminal, long texts go on in the next line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from kozyr import console
from kozyr.terminal import harmless

Json = dict[str, Any]


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str], *, none: str) -> Table | str:
    """Return a table of these fields, or the sentence `none` without rows. Nothing is cut off."""
    if not rows:
        return none
    made = console.table(*columns, texts=columns)
    for row in rows:
        made.add_row(*(_cell(row[name]) for name in columns))
    return made


def _cell(value: object) -> str:
    """Return a value as a cell. A tuple has a line for each of its values."""
    return "\n".join(map(as_text, value)) if isinstance(value, tuple) else as_text(value)


def field_lines(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of a document, a field each. On a terminal, long values go on in the next line."""
    screen = console.console()
    width = max(map(len, document))
    for name, value in document.items():
        if not screen.is_terminal:
            yield f"{name}\t{as_text(value)}"
            continue
        lines = Text(as_text(value)).wrap(screen, max(20, screen.width - width - 2), overflow="ignore")
        for number, line in enumerate(lines or [Text()]):
            yield f"{'' if number else name:<{width}}  {line.plain}".rstrip()


def as_text(value: object) -> str:
    """Return a value of a document as text for a terminal."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {as_text(each)}" for name, each in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(as_text, value)) or "–"
    return harmless(value)


def accepted(policy: Json) -> Json:
    """Return a match policy for people: a field that restricts nothing, null on the wire, reads `all`."""
    return {name: "all" if value is None else value for name, value in policy.items()}


def match_row(match: Json) -> Json:
    """Return the row of a match: who plays, and how it stands."""
    names = [seat["bot"] or "hidden" if seat else "open" for seat in match["seats"]]
    result = match["ending"] or f"deal {match['deal'] or 0} of {match['deals']}"
    return {
        "id": match["id"],
        "game": match["game"],
        "seats": tuple(names),
        "status": match["status"],
        "scores": match["scores"],
        "result": result,
    }


_UPDATE_FIELDS: Final = (
    *("bot", "game", "preset", "match", "name", "round", "rating", "low", "high", "ending", "scores"),
    *("reason", "after", "next"),
)


def update_line(update: Json) -> str:
    """Return an event of a bot or owner in one line: the time, the type, and what it is about."""
    data: Json = update["data"]
    if update["type"] == "match.finished":
        data = {**data, "match": data["id"]}
    about = [f"{name} {as_text(data[name])}" for name in _UPDATE_FIELDS if data.get(name) is not None]
    return f"{update['timestamp'][11:19]} {update['type']}: {', '.join(about)}"
