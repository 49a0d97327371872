"""Programs that read and write lines: one sentence for each way to fail (docs/line-protocol.md)."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kozyr.lines.pipes import Pipes
from kozyr.lines.program import Program, ProgramFailed
from kozyr.lines.protocol import VERSION
from tests.support.waiting import eventually

Start = Callable[[str], Program]
PAGE = (Path(__file__).parents[2] / "docs" / "line-protocol.md").read_text(encoding="utf-8")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running = []
    with (tmp_path / "errors").open("wb") as errors:

        def program(text: str) -> Program:
            running.append(Program([sys.executable, "-c", text], errors))
            return running[-1]

        yield program
        for each in running:
            each.end(0.0)


def ask(program: Program, within: float = 20.0) -> str:
    return program.ask(b"{}\n", time.monotonic() + within)


def test_a_program_answers_one_line_for_each_line(start: Start) -> None:
    echo = start("for number in range(3): input(); print(' move', number, flush=True)")
    assert [ask(echo) for _ in range(3)] == ["move 0", "move 1", "move 2"]
    with pytest.raises(ProgramFailed, match="it ended with status 0: read turns until the input ends"):
        ask(echo)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("input(); print('a\\nb', flush=True); input()", "print one line for each turn, and log to standard error"),
        ("print('hello', flush=True); input(); input()", "it wrote more than one line|hello"),
        ("input(); print('x' * 40000, flush=True); input()", "more than 32768 bytes for one turn: print only the move"),
        ("import os; input(); os.write(1, b'\\xff\\n'); input()", "not UTF-8: print the move as plain text"),
        ("import os; input(); os.close(1); input()", "closed its standard output: keep it open"),
        ("raise SystemExit(7)", "it ended with status 7: .* see its standard error"),
        ("import os; os.kill(os.getpid(), 11)", "it was killed by SIGSEGV: see its standard error"),
    ],
)  # fmt: skip
def test_each_failure_has_a_sentence_that_says_what_to_do(start: Start, text: str, sentence: str) -> None:
    program = start(text)
    try:
        first = ask(program)
    except ProgramFailed as why:
        first = str(why)
    assert re.search(sentence, first)


def test_the_error_about_a_silent_program_says_to_flush(start: Start) -> None:
    with pytest.raises(ProgramFailed, match="no answer in time: print one line for each turn, and flush it"):
        ask(start("input(); input()"), within=0.0)


@pytest.mark.parametrize("within", [1e10, math.inf])
def test_a_program_may_have_any_time(start: Start, within: float) -> None:
    echo = start("for line in iter(input, 'end'): print('move', flush=True)")
    assert ask(echo, within) == "move"


def test_a_program_that_writes_without_end_has_to_wait() -> None:
    written = 16 << 20
    words = [sys.executable, "-c", f"import os; os.write(1, b'x'); print('x' * {written - 1}, end='')"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        pipes = Pipes(process)
        assert pipes.receive(math.inf)
        eventually(pipes._answers.full, "no more is kept")
        assert process.poll() is None
        found = 1
        while more := len(pipes.receive(math.inf)):
            found += more
        pipes.close_input()
    assert found == written


def test_a_program_that_wrote_too_much_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    flood = Program([sys.executable, "-c", "while True: print('x' * 60000)"])
    with pytest.raises(ProgramFailed):
        ask(flood)
    mine = set(threading.enumerate()) - before
    flood.end(0.0)
    for thread in mine:
        thread.join(20.0)
    assert len(mine) == 2
    assert not any(thread.is_alive() for thread in mine)


def test_the_error_about_a_missing_program_names_the_command() -> None:
    with pytest.raises(ProgramFailed, match=r"it can't be started: .*; check the command"):
        Program(["/nowhere/at-all"], 2)


def test_the_page_describes_the_version_of_the_code() -> None:
    assert f"This page describes version {VERSION}." in PAGE
    assert f'"line_protocol": {VERSION}' in PAGE
