"""Ladders as people read them: tables and lines, on a terminal and elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kozyr.ladders.desk import Json, Standing
from kozyr.terminal import harmless

_RIGHT: Final = frozenset(
    {"seats", "place", "points/deal", "rating", "95 %", "deals", "matches", "wins", "forfeits"}
)


def ladders(found: Sequence[Json]) -> Table:
    """Ladders, a row each."""
    made = _table("id", "name", "owner", "game", "seats", "format", "state")
    for each in found:
        made.add_row(
            *(_said(each[name]) for name in ("id", "name", "owner", "game", "seats", "format", "state"))
        )
    return made


def standing(found: Standing, most: int) -> Iterator[RenderableType]:
    """A ladder, its last round, its next ones, and its first `most` bots."""
    yield from about(found.ladder)
    yield progress(found)
    if found.next:
        yield Text("next rounds: " + ", ".join(found.next[:3]))
    if found.standings:
        yield standings(found.standings[:most])
    if len(found.standings) > most:
        yield Text(f"and {len(found.standings) - most} more (--top)", "dim")


def about(ladder: Json) -> Iterator[RenderableType]:
    """What a ladder is."""
    yield Text(f"{_said(ladder['name'])}  {ladder['id']}  {ladder['state']}", "bold")
    parts = [f"{ladder['game']} for {ladder['seats']}", f"{ladder['format']}", f"decks {ladder['decks']}"]
    parts += [f"{name} {_said(value)}" for name, value in ladder["parameters"].items()]
    parts += ["rated" if ladder["rated"] else "not rated"]
    schedule = ladder["schedule"]
    if schedule is None:
        parts += ["rounds by hand"]
    elif isinstance(schedule, str):
        parts += [f"rounds {_said(schedule)}"]
    else:
        parts += [" ".join(_said(part) for part in schedule.values() if part)]
    yield Text(", ".join(parts))


def progress(found: Standing) -> Text:
    """How far the last round is, in a line."""
    last = found.round
    if last is None:
        return Text("no round so far")
    lost = last["aborted"] + last["dropped"]
    said = f"round {last['number']}, {last['state']}: {last['over']} of {last['planned']} matches over"
    return Text(said + (f", {lost} of them not played" if lost else ""))


def standings(found: Sequence[Json]) -> Table:
    """The standings, the best first. A rating never without its interval."""
    made = _table("place", "bot", "points/deal", "rating", "95 %", "deals", "matches", "wins", "forfeits")
    for each in found:
        rating = each["rating"]
        made.add_row(
            str(each["place"]),
            Text(_said(each["bot"]), "dim" if each["withdrawn"] else ""),
            "–" if each["points_per_deal"] is None else f"{each['points_per_deal']:+.3f}",
            "–" if rating is None else f"{rating['rating']:.2f}",
            "" if rating is None or rating["anchor"] else f"{rating['low']:.2f} to {rating['high']:.2f}",
            *(str(each[name]) for name in ("deals", "matches", "wins", "forfeits")),
        )
    return made


def pairings(found: Json) -> Iterator[str]:
    """What the next round would be, a meeting a line."""
    yield f"round {found['number']} would have {found['planned']} matches; nothing was started"
    if found["meetings"] is None:
        yield "who would meet is told to the ladder's owner alone, since names are hidden at its tables"
    for meeting in found["meetings"] or ():
        yield "  " + "  –  ".join(_said(bot) for bot in meeting)
    if found["out"]:
        yield "sitting out: " + ", ".join(_said(bot) for bot in found["out"])
    if found["left_out"]:
        yield f"left out, because one owner has two of their bots: {found['left_out']}"


def _table(*headings: str) -> Table:
    made = Table(box=None, pad_edge=False)
    for heading in headings:
        made.add_column(heading, header_style="dim", justify="right" if heading in _RIGHT else "left")
    return made


def _said(value: Any) -> str:
    return harmless(value)
