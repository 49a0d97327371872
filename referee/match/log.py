"""The log of a match: one line a move, the only truth about what was played.

While a match runs its log is kept as text, one line a move, so that a commit appends and a reader that knows
the beginning parses the rest. Observations, events, replayed answers and records all follow from it.

A line is `seat turn ms charged by move`: the seat (`-` for chance), the number of the question answered (0
for a free move and for chance), the time taken, what of it the bank was charged, and who made the move (`-` the
player, `t` the referee when time was up, `f` the referee for a forfeited seat). A line marked `!` is no move:
the seat was forfeited there, for the reason in the move's place.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

CHANCE_SEAT: Final = -1
BY_PLAYER: Final = "-"
BY_TIMEOUT: Final = "t"
BY_FORFEIT: Final = "f"
FORFEITED: Final = "!"
_BY_WORD: Final = {BY_TIMEOUT: "timeout", BY_FORFEIT: "forfeit"}
_DIGITS: Final = {str(number): number for number in range(10)}


class Entry(NamedTuple):
    """One move of a match."""

    seat: int
    turn: int
    ms: int
    charged: int
    by: str
    move: str

    @property
    def by_chance(self) -> bool:
        """Whether this is a deck."""
        return self.seat == CHANCE_SEAT

    @property
    def is_move(self) -> bool:
        """Whether this is a move, of chance or a player."""
        return self.by != FORFEITED

    @property
    def answers(self) -> bool:
        """Whether the move answered a question (chance and most exchanges do not)."""
        return self.turn > 0

    def to_json(self) -> dict[str, Any]:
        """The entry as a move of the record."""
        return _as_told(self.seat, self.turn, self.ms, self.by, self.move)

    def line(self) -> str:
        """The entry as a line of the log, with its line end."""
        seat = "-" if self.seat == CHANCE_SEAT else self.seat
        return f"{seat} {self.turn} {self.ms} {self.charged} {self.by} {self.move}\n"


def chance(move: str) -> Entry:
    """The entry of a deck."""
    return Entry(CHANCE_SEAT, 0, 0, 0, BY_PLAYER, move)


def forfeited(seat: int, reason: str) -> Entry:
    """The mark that the seat was forfeited here."""
    return Entry(seat, 0, 0, 0, FORFEITED, reason)


def parse_line(line: str) -> Entry:
    """The entry of a line without its line end."""
    seat, turn, ms, charged, by, move = line.split(" ", 5)
    return Entry(CHANCE_SEAT if seat == "-" else int(seat), int(turn), int(ms), int(charged), by, move)


def parse_log(text: str) -> list[Entry]:
    """The entries of a log or a part of one, in order."""
    return [parse_line(line) for line in text.splitlines()]


def record_moves(text: str) -> list[dict[str, Any]]:
    """The moves of a log as a record tells them. Straight from the lines: every record is digested once."""
    found: list[dict[str, Any]] = []
    digits = _DIGITS  # `int` would take a third of the time
    for line in text.splitlines():
        seat, turn, ms, _, by, move = line.split(" ", 5)
        if by == BY_PLAYER and turn != "0":  # nearly all of them
            taken = digits[ms] if ms in digits else int(ms)
            found.append({"seat": digits[seat] if seat in digits else int(seat), "move": move, "ms": taken})
        elif by != FORFEITED:
            found.append(_as_told(CHANCE_SEAT if seat == "-" else int(seat), int(turn), int(ms), by, move))
    return found


def _as_told(seat: int, turn: int, ms: int, by: str, move: str) -> dict[str, Any]:
    if seat == CHANCE_SEAT:
        return {"seat": None, "move": move}
    said: dict[str, Any] = {"seat": seat, "move": move}
    if turn:
        said["ms"] = ms
    if by != BY_PLAYER:
        said["by"] = _BY_WORD[by]
    return said


def deals_in(text: str) -> int:
    """How many decks were dealt in a log."""
    return text.startswith("- ") + text.count("\n- ")


def find_answer(log: str, seat: int, turn: int) -> Entry | None:
    """The seat's answer to this turn, if this part of the log has it."""
    return _find(log, f"{seat} {turn} ")


def find_free_move(log: str, seat: int, move: str) -> Entry | None:
    """The seat's free move with this text, if this part of the log has it."""
    return _find(log, f"{seat} 0 0 0 - {move}\n")


def _find(log: str, beginning: str) -> Entry | None:
    at = 0 if log.startswith(beginning) else log.find("\n" + beginning) + 1
    if at == 0 and not log.startswith(beginning):
        return None
    return parse_line(log[at : log.index("\n", at)])
