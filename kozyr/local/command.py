"""Bots that are programs: they read turns from standard input and write moves to standard output, one per line
(docs/line-protocol.md).

A program starts with its first turn and plays all matches of its worker process. If it fails (it ends, is too late or
writes more than one line), it is killed, since its next output could belong to another turn. The next turn restarts
it. Its standard error goes to a file.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kozyr.lines.program import LEAVING_S, Program, ProgramFailed
from kozyr.lines.protocol import answer_of, for_new_reader, table_of, turn_line
from kozyr.local.match import BotAnswer, BotQuestion, NoAnswer
from kozyr.terminal import harmless

STARTING_S: Final = 10.0
"""Extra time for the first answer of a program, which has to start."""
LONGEST_LINE: Final = 300
"""How much of the last line of standard error is shown after a failure, in characters."""
LOOK_BACK: Final = 8192
"""How far back in the log that line is looked for, in bytes."""


class Command:
    """A program that answers for a bot. It is started when it is first asked."""

    def __init__(self, words: Sequence[str], log: Path) -> None:
        self._words, self._log = list(words), log
        self._running: Program | None = None
        self._logged = 0
        """The size of the log when the program was started, in bytes."""
        self._match, self._seen = "", dict[int, int]()

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return the move that it writes. Raise `NoAnswer`."""
        fresh = self._running is None
        try:
            if self._running is None:
                with self._log.open("ab") as errors:
                    self._logged = errors.tell()
                    self._running = Program(self._words, errors)
                self._seen = {}
            line = self._turn(question)
            began = time.monotonic()
            allowed = question.move_ms / 1000 + (STARTING_S if fresh else 0)
            text = self._running.ask(line, began + allowed)
        except ProgramFailed as why:
            ended = self._running is not None and self._running.ended() is not None
            self.close(at_once=True)
            wrote = self._last_line() if ended else ""
            raise NoAnswer(f"{why} ({wrote})" if wrote else str(why)) from why
        taken = int(1000 * (time.monotonic() - began))
        answer = answer_of(text)
        return BotAnswer(answer.move, min(taken, question.move_ms) if fresh else taken, answer.facts)

    def close(self, *, at_once: bool = False) -> None:
        """End the program."""
        if self._running is not None:
            self._running.end(0.0 if at_once else LEAVING_S)
            self._running = None

    def _last_line(self) -> str:
        """Return the last line of standard error since the program was started, or `""`."""
        with contextlib.suppress(OSError), self._log.open("rb") as log:
            log.seek(max(self._logged, log.seek(0, os.SEEK_END) - LOOK_BACK))
            lines = log.read().decode(errors="replace").split("\n")
            return next(
                (harmless(line.strip())[:LONGEST_LINE] for line in reversed(lines) if line.strip()), ""
            )
        return ""

    def _turn(self, question: BotQuestion) -> bytes:
        """Return the line with the turn and the events since the last turn. A program that was just started gets those
        of the current deal."""
        if question.match != self._match:
            self._match, self._seen = question.match, {}
        turn, read = question.turn(int(1000 * time.time())), self._seen.get(question.seat)
        found = question.events(read or 0)
        events = found if read is not None else for_new_reader(found, turn["deal"])
        if events:
            self._seen[question.seat] = events[-1]["n"]
        game = question.game
        return turn_line(
            turn,
            table=table_of(game.id, game.seats, game.options),
            events=events,
        )
