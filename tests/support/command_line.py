"""Commands in the process of the test, with an empty configuration folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration folder. Every test of a module that imports this has one, and no KOZYR_ variables."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("KOZYR_")]:
        monkeypatch.delenv(name)
    return tmp_path


def kozyr(*words: object, **more: Any) -> Result:
    """Run a command. `more` are arguments of `CliRunner.invoke`."""
    return CliRunner().invoke(main, list(map(str, words)), prog_name="kozyr", **more)


def tournament(file: Path, game: str = "durak", deals: int = 2) -> Path:
    """Write the records of a tournament of two house bots to a file, and return it."""
    words = ("--game", game, "--deals", deals, "--jobs", 1, "--out", file)
    done = kozyr("play", "greedy", "random", *words)
    assert done.exit_code == 0, done.output
    return file
