"""No text from a record, a file or a server can steer the terminal of a command."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from kozyr.console import console
from kozyr.terminal import harmless
from records.reviews import judge as evaluation
from records.reviews.judge import ReviewSettings
from tests.support.command_line import home, kozyr, tournament

__all__ = ["home"]

HOSTILE: Final = "\x1b]0;owned\x07\x9b2J\u202e\r\x08[bold]"
"""Sets the title, clears the screen, reverses the text, and returns to the start of the line."""
READERS: Final = (
    ("verify",),
    ("verify", "--json"),
    ("replay",),
    ("replay", "--json"),
    ("view", "--out", "-"),
    ("review", "--all"),
    ("review", "--json"),
    ("rate", "--casual", "--from"),
    ("points",),
)


def steers(text: str) -> set[str]:
    """Return the hostile characters in an output."""
    return set(text) & set(HOSTILE) - set("".join(filter(str.isprintable, HOSTILE)))


@pytest.fixture(params=["pipe", "terminal"])
def output(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    take_for(request.param, monkeypatch)


def take_for(output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the output for a terminal or a pipe."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if output == "terminal" else "0")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A record of a short match."""
    file = tournament(tmp_path_factory.mktemp("record") / "records.ndjson", deals=1)
    made: dict[str, Any] = json.loads(file.read_text().splitlines()[0])
    return {**made, HOSTILE: 1}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all strings, and of one item of each list."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, (*path, name))
    elif isinstance(value, list):
        for number, each in enumerate(value[:2]):
            yield from leaves(each, (*path, number))
    elif isinstance(value, str):
        yield path


def with_hostile(record: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    made = place = copy.deepcopy(record)
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] += HOSTILE
    return made


@pytest.mark.usefixtures("output")
@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_record_cannot_steer_the_terminal(
    words: tuple[str, ...], record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "SETTINGS", ReviewSettings(1, (1, 1), 1))
    short = {**record, "moves": record["moves"][:12]} if words[0] == "review" else record
    for number, path in enumerate([None, *leaves(short)]):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(short if path is None else with_hostile(short, path)) + "\n")
        done = kozyr(*words, file)
        assert not steers(done.output), (path, done.output)
        assert "Traceback" not in done.output
        assert done.exception is None or isinstance(done.exception, SystemExit), (path, done.exception)


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_file_that_is_no_record_cannot_steer_the_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    for number, text in enumerate(
        [HOSTILE, json.dumps(HOSTILE), json.dumps({HOSTILE: HOSTILE, "moves": []})]
    ):
        file = tmp_path / f"{number}{HOSTILE.replace('/', '')}"
        file.write_text(text)
        assert not steers(kozyr(*words, file).output)


@pytest.mark.parametrize("name", ["bot", "name" + HOSTILE])
def test_a_table_holds_hostile_text_in_its_cells(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    table = Table("id", "bot", title=HOSTILE)
    table.add_row("i1", name)
    console().print(table)
    console().print(HOSTILE)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert not steers("".join(lines))
    assert lines[2] == f"i1\t{harmless(name)}"
