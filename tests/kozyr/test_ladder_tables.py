"""Tables of ladders on a terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from kozyr.cli.ladders import show

LINE: dict[str, Any] = {
    "withdrawn": False,
    "points_low": None,
    "points_high": None,
    "rating": None,
    "deals": 6,
    "groups": 3,
    "wins": 2,
    "forfeits": 0,
}


def shown(*lines: dict[str, Any]) -> list[list[str]]:
    """Return the cells of the standings, by line."""
    out = io.StringIO()
    Console(file=out, width=200).print(show.standings([{**LINE, **line} for line in lines]))
    return [line.split() for line in out.getvalue().splitlines()]


def test_standings_of_a_swiss_tournament_show_score_and_tie_breaks() -> None:
    tie_breaks = {"buchholz": 4.0, "head_to_head": None, "byes": 0, "rounds_missed": 1}
    head, first, last = shown(
        {"place": 1, "bot": "house/a", "score": 2.5, "points_per_deal": -0.5, **tie_breaks},
        {"place": None, "bot": "mira/b", "score": 3.0, "points_per_deal": 0.5, **tie_breaks},
    )
    assert head[:7] == ["place", "bot", "score", "buchholz", "byes", "rounds", "missed"]
    assert first[:6] == ["1", "house/a", "2.5", "4", "0", "1"]
    assert last[:3] == ["–", "mira/b", "3"]


def last_line(*decided: bool, advance: int = 1, byes: Sequence[str] = (), winner: str | None = None) -> str:
    """Return the last line of a bracket whose last stage has these meetings of two bots."""
    meetings = [
        {
            "decided": each,
            "groups": 1,
            "bots": [
                {"bot": f"mira/{name}", "points": 0, "advances": number < advance if each else None}
                for number, name in enumerate("ab")
            ],
        }
        for each in decided
    ]
    stages = [{"meetings": meetings, "byes": [{"bot": name} for name in byes]}] if meetings else []
    *_, last = show.bracket({"stages": stages, "winner": winner and {"bot": winner}})
    return last


def test_a_bracket_names_its_winner_or_says_why_there_is_none() -> None:
    assert last_line(True, winner="mira/a") == "winner: mira/a"
    assert last_line(True) == "no winner: the last bot is out of the places"
    for unfinished in (
        last_line(),
        last_line(False),
        last_line(True, True),
        last_line(True, byes=["mira/c"]),
        last_line(True, advance=2),
    ):
        assert unfinished == "no winner yet"


def test_an_entry_of_the_audit_log_shows_the_state_before_and_after() -> None:
    entry = {
        "at": "2026-11-27T19:13:28.478Z",
        "owner": "mira",
        "target": "ladder x",
        "outcome": "done",
        "reason": "",
    }
    before: dict[str, Any] = {"schedule": {"cron": "@daily", "timezone": "UTC"}, "organisers": ["a", "b"]}
    after: dict[str, Any] = {"schedule": None, "void": True}
    lines = show.audit(
        [
            {**entry, "action": "change", "before": before, "after": after},
            {**entry, "action": "ban", "before": {"names": ["a"]}, "after": None, "reason": "collusion"},
            {**entry, "action": "freeze", "before": None, "after": None, "outcome": None},
        ]
    )
    stem = "2026-11-27T19:13:28.478Z  mira"
    assert list(lines) == [
        f"{stem}  change ladder x  [schedule cron @daily, timezone UTC; organisers a, b → schedule –; void yes]",
        f"{stem}  ban ladder x: collusion  [names a]",
        f"{stem}  freeze ladder x (interrupted)",
    ]
