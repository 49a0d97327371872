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
