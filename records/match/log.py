"""The log of a match: one line per move. Everything else about the play is derived from it.

The log is text, so that a commit can append to it and a reader that knows the beginning parses only the rest.
Observations, events, replayed answers and records all come from it.

A line is `seat turn ms charged by move`, then a tab and the bot's note if it sent one:

- the seat, `-` for chance
- the number of the question answered, 0 for a free move and for chance
- the time taken, and the part charged to the bank
- who made the move: `-` the player, `t` the referee after a timeout, `f` the referee for a forfeited seat, `c` somebody
  in the match that this one continues

A line with `!` is no move: it marks that the seat was forfeited there, and has the reason instead of a move.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.match import PlayedMove

CHANCE_SEAT: Final = -1
BY_PLAYER: Final = "-"
BY_TIMEOUT: Final = "t"
BY_FORFEIT: Final = "f"
BY_CONTINUED: Final = "c"
FORFEITED: Final = "!"
MOST_NOTE: Final = 200
"""The longest note on a move, in characters."""
NOTE_PATTERN: Final = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$"
"""A note has no control character, no line break, and nothing that changes the direction of the text around it."""
_NOT_IN_NOTES: Final = re.compile("[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BY_WORD: Final = {BY_TIMEOUT: "timeout", BY_FORFEIT: "forfeit", BY_CONTINUED: "continued"}
_NOTE: Final = "\t"
"""Separates a move from its note. Neither contains it."""
_DIGITS: Final = {str(number): number for number in range(10)}


class Entry(NamedTuple):
    """One move of a match."""

    seat: int
    turn: int
    ms: int
    charged: int
    by: str
    move: str
    note: str = ""
    """The bot's own note on the move, hidden until the match may be read."""

    @property
    def by_chance(self) -> bool:
        """Whether this entry is a deck."""
        return self.seat == CHANCE_SEAT

    @property
    def is_move(self) -> bool:
        """Whether this entry is a move of chance or of a player."""
        return self.by != FORFEITED

    @property
    def answers(self) -> bool:
        """Whether the move answered a question. Chance and most exchanges don't."""
        return self.turn > 0

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a move of the record, without its note."""
        return _recorded(self.seat, self.turn, self.ms, self.by, self.move)

    def line(self) -> str:
        """Return the entry as a line of the log, including the line end."""
        seat = "-" if self.seat == CHANCE_SEAT else self.seat
        text = f"{self.move}{_NOTE}{self.note}" if self.note else self.move
        return f"{seat} {self.turn} {self.ms} {self.charged} {self.by} {text}\n"


def is_note(text: str) -> bool:
    """Return whether a text may be a note on a move. An empty one stands for none."""
    return len(text) <= MOST_NOTE and _NOT_IN_NOTES.search(text) is None


def chance(move: str) -> Entry:
    """Return the entry of a deck."""
    return Entry(CHANCE_SEAT, 0, 0, 0, BY_PLAYER, move)


def house_lines(played: Sequence[PlayedMove], turn: int) -> list[str]:
    """Return the lines of house bots' moves, which take no time. The first one answers `turn`, if it answers."""
    return [
        f"{seat} {number if answers else 0} 0 0 {BY_PLAYER} {move}\n"
        for number, (seat, move, answers) in enumerate(played, turn)
    ]


def forfeited(seat: int, reason: str) -> Entry:
    """Return the mark that the seat was forfeited here."""
    return Entry(seat, 0, 0, 0, FORFEITED, reason)


def parse_line(line: str) -> Entry:
    """Return the entry of a line without its line end."""
    seat, turn, ms, charged, by, move = line.split(" ", 5)
    move, _, note = move.partition(_NOTE)
    return Entry(CHANCE_SEAT if seat == "-" else int(seat), int(turn), int(ms), int(charged), by, move, note)


def parse_log(text: str) -> list[Entry]:
    """Return the entries of a log, or of a part of one, in order."""
    return [parse_line(line) for line in text.splitlines()]


def record_moves(text: str) -> list[dict[str, Any]]:
    """Return the moves of a log as a record has them. Parses lines directly, because digests need speed."""
    moves: list[dict[str, Any]] = []
    digits = _DIGITS  # `int` would take a third of the time
    noted, note = _NOTE in text, ""
    for line in text.splitlines():
        seat, turn, ms, _, by, move = line.split(" ", 5)
        if noted:
            move, _, note = move.partition(_NOTE)
        if by == BY_PLAYER and turn != "0":  # nearly all of them
            taken = digits[ms] if ms in digits else int(ms)
            moves.append({"seat": digits[seat] if seat in digits else int(seat), "move": move, "ms": taken})
        elif by != FORFEITED:
            moves.append(_recorded(CHANCE_SEAT if seat == "-" else int(seat), int(turn), int(ms), by, move))
        if note:
            moves[-1]["note"] = note
    return moves


def _recorded(seat: int, turn: int, ms: int, by: str, move: str) -> dict[str, Any]:
    if seat == CHANCE_SEAT:
        return {"seat": None, "move": move}
    entry: dict[str, Any] = {"seat": seat, "move": move}
    if turn:
        entry["ms"] = ms
    if by != BY_PLAYER:
        entry["by"] = _BY_WORD[by]
    return entry


def time_in(text: str) -> int:
    """Return the sum of the times taken in a log, in ms."""
    return sum([int(line.split(" ", 3)[2]) for line in text.splitlines()])


def deals_in(text: str) -> int:
    """Return how many decks were dealt in a log."""
    return text.startswith("- ") + text.count("\n- ")


def find_answer(log: str, seat: int, turn: int) -> Entry | None:
    """Return the seat's answer to this turn, if this part of the log contains it."""
    return _find(log, f"{seat} {turn} ")


def find_free_move(log: str, seat: int, move: str) -> Entry | None:
    """Return the seat's free move with this text, if this part of the log contains it."""
    line = f"{seat} 0 0 0 - {move}"
    return _find(log, line + "\n") or _find(log, line + _NOTE)


def _find(log: str, beginning: str) -> Entry | None:
    at = 0 if log.startswith(beginning) else log.find("\n" + beginning) + 1
    if at == 0 and not log.startswith(beginning):
        return None
    return parse_line(log[at : log.index("\n", at)])
