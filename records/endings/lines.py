"""Best play from the positions of the endgame sets: `lines/SET.ndjson`, computed by `tools/endings.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from records.endings.model import ExactEnding


class EndingLines(NamedTuple):
    """How an ending goes on after each of its moves."""

    id: str
    greedy: str
    """The move of the house bot `greedy`."""
    lines: Mapping[str, tuple[str, ...]]
    """By legal move, the moves of best play after it, to the end of the deal or until a position repeats."""

    def to_json(self) -> dict[str, Any]:
        """Return the line of the file."""
        return self._asdict()


def is_puzzle(ending: ExactEnding) -> bool:
    """Return whether an ending has one best move, which `greedy` does not find."""
    return len(ending.best) == 1 and lines_of(ending).greedy not in ending.best


def lines_of(ending: ExactEnding) -> EndingLines:
    """Return best play from an ending of a current set."""
    return _of_set(ending.set)[ending.id]


@cache
def _of_set(name: str) -> dict[str, EndingLines]:
    text = (files("records.endings") / "lines" / f"{name}.ndjson").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return {
        row["id"]: EndingLines(
            row["id"], row["greedy"], {move: tuple(line) for move, line in row["lines"].items()}
        )
        for row in rows
    }
