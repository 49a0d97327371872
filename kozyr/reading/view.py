"""A record as one HTML file: the page of its match, with everything that it needs inside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Final

from engine.registry import GAMES
from kozyr.reading.replay import BadReplay, Replay, replaying
from records.match.frames import coded
from records.page.language import languages
from records.page.table import TablePage, table_data
from records.page.templating import environment, joined, static_text
from records.page.words import TableText

LANGUAGES: Final = ("en", "ru")


def page(record: Mapping[str, Any], language: str = "en") -> str:
    """Return the page of a record in a language. It works without a network. Raises `BadReplay`."""
    with replaying(record):
        replay, spoken = Replay(record), languages()[language]
        if not replay.frames:
            raise BadReplay(f"record {record.get('id', '?')} has no frames")
        people = {number for number, seat in enumerate(record["seats"]) if seat and seat.get("person")}
        text = TableText(spoken, replay.seats, people, game=record["game"])
        first = [frame for frame in replay.frames if frame.observation["deal"] == 1]
        style = "\n".join(static_text(name) for name in ("site.css", "table.css"))
        script = joined()
        made = (
            environment(spoken)
            .get_template("view.html")
            .render(
                title=GAMES[record["game"]].title[language],
                names=text.seats,
                match={**record, "deal": replay.frames[-1].observation["deal"]},
                table=TablePage(text, first, 0, None),
                data=_data(replay, text),
                style=style,
                style_hash=_hash(style),
                script=script,
                script_hash=_hash(script),
            )
        )
        made.encode()  # refuses a lone surrogate, which a file can't hold
        return made


def _data(replay: Replay, text: TableText) -> dict[str, Any]:
    """Return what `table.js` reads; the address of a file is the place after its `#`."""
    return table_data(text.to_json(), address="", all=True, frames=list(coded(replay.frames)))


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
