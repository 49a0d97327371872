"""Bots that are programs: they read turns from standard input and write moves to standard output, one per line
(docs/local-play.md).

A program starts with its first turn and plays all matches of its worker process. If it fails (it ends, is too late or
writes more than one line), it is killed, since its next output could belong to another turn. The next turn restarts
it. Its standard error goes to a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final

from kozyr.local.match import BotAnswer, BotQuestion, NoAnswer

STARTING_S: Final = 10.0
"""Extra time for the first answer of a program, which has to start."""
LONGEST_ANSWER: Final = 4096
"""The longest line that is read as a move, in bytes."""
LEAVING_S: Final = 1.0
"""How long a program may take to end after its input has ended, in seconds."""


class Command:
    """A program that answers for a bot. It is started when it is first asked."""

    def __init__(self, words: Sequence[str], log: Path) -> None:
        self._words, self._log = list(words), log
        self._running: _Running | None = None
        self._match, self._seen = "", {0: 0}

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return the move that it writes. Raise `NoAnswer`."""
        fresh = self._running is None
        try:
            if self._running is None:
                self._running = _Running(self._words, self._log)
                self._seen = {}
            line = json.dumps(self._turn(question), separators=(",", ":")) + "\n"
            began = time.monotonic()
            allowed = question.move_ms / 1000 + (STARTING_S if fresh else 0)
            text = self._running.ask(line.encode(), began + allowed)
        except NoAnswer:
            self.close(at_once=True)
            raise
        taken = int(1000 * (time.monotonic() - began))
        return BotAnswer(text, min(taken, question.move_ms) if fresh else taken)

    def close(self, *, at_once: bool = False) -> None:
        """End the program."""
        if self._running is not None:
            self._running.end(0.0 if at_once else LEAVING_S)
            self._running = None

    def _turn(self, question: BotQuestion) -> dict[str, Any]:
        """Return the turn as the service would send it, with the match view and the events since the last turn. A
        program that was just started gets all events."""
        if question.match != self._match:
            self._match, self._seen = question.match, {}
        events = question.events(self._seen.get(question.seat, 0))
        if events:
            self._seen[question.seat] = events[-1]["n"]
        game = question.game
        return {
            **question.turn(int(1000 * time.time())),
            "table": {"game": game.id, "seats": game.seats, "options": dict(game.options)},
            "events": events,
        }


class _Running:
    """A running program."""

    def __init__(self, words: Sequence[str], log: Path) -> None:
        try:
            with log.open("ab") as errors:
                self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    bufsize=0,
                    start_new_session=True,
                )
        except OSError as why:
            raise NoAnswer(f"it can't be started: {why}") from why
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout
        for pipe in (self._to, self._from):
            os.set_blocking(pipe.fileno(), False)

    def ask(self, line: bytes, until: float) -> str:
        """Send a line and return the answer. Raise `NoAnswer` if there is none before `until`, a monotonic instant."""
        if select.select([self._from], [], [], 0)[0]:
            raise NoAnswer("it wrote a line before it was asked" if self._read() else self._ended())
        self._write(line, until)
        found = b""
        while b"\n" not in found:
            self._wait([self._from], [], until)
            more = self._read()
            if not more:
                raise NoAnswer(self._ended())
            found += more
            if len(found) > LONGEST_ANSWER:
                raise NoAnswer(f"it wrote more than {LONGEST_ANSWER} bytes for one move")
        text, _, rest = found.partition(b"\n")
        if rest:
            raise NoAnswer("it wrote more than one line for one turn")
        return text.decode(errors="replace").strip()

    def end(self, within: float) -> None:
        """Let the program end by itself within these seconds, then kill it and its children."""
        with contextlib.suppress(OSError):
            self._to.close()
        self._has_ended(within)
        # Reap the process only after killing its group: until then its id can't be reused.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._from.close()

    def _write(self, line: bytes, until: float) -> None:
        left = memoryview(line)
        while left:
            self._wait([], [self._to], until)
            try:
                left = left[self._to.write(left) or 0 :]
            except OSError:
                raise NoAnswer(self._ended()) from None

    def _read(self) -> bytes:
        return self._from.read(65536) or b""

    def _wait(self, reading: list[IO[bytes]], writing: list[IO[bytes]], until: float) -> None:
        if not any(select.select(reading, writing, [], max(0.0, until - time.monotonic()))):
            raise NoAnswer("no answer in time")

    def _ended(self) -> str:
        status = self._has_ended(LEAVING_S)
        return "it closed its standard output" if status is None else f"it ended with status {status}"

    def _has_ended(self, within: float) -> int | None:
        """Return the exit status or the signal number if the program ends within these seconds."""
        until = time.monotonic() + within
        while True:
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is not None:
                return found.si_status
            if time.monotonic() >= until:
                return None
            time.sleep(0.005)
