"""What the tests know of each client in `clients/`: its toolchain, and how to test, build and start it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.live import ROOT

CLIENTS: Final = ROOT / "clients"
PROGRAMS: Final = Path(__file__).parent / "programs"
"""A seeker for each client, which looks for opponents, plays two matches and ends, and the first bot in Go."""


class ClientLanguage(NamedTuple):
    """One client.

    In a command `{build}` stands for a folder of the test's own, `{client}` for the client's folder, `{programs}` for
    `PROGRAMS`, `{examples}` for the examples.
    """

    name: str
    tools: tuple[str, ...]
    """Programs that must be on the PATH."""
    prepare: tuple[str, ...]
    """Installs what the build needs."""
    test: tuple[str, ...]
    build: tuple[str, ...]
    first_bot: tuple[str, ...]
    """Starts the first bot, which takes KOZYR_URL and KOZYR_TOKEN from the environment."""
    seeker: tuple[str, ...]
    """Starts the client's seeker, as `first_bot` does."""
    build_seeker: tuple[str, ...] = ("true",)

    @property
    def folder(self) -> Path:
        """The folder of the client."""
        return CLIENTS / self.name

    def run(self, command: Sequence[str], build: Path, within: float = 300.0) -> None:
        """Run a command in the client's folder. Fail with its output if it fails."""
        run(self.command(command, build), self.folder, within)

    def command(self, command: Sequence[str], build: Path) -> list[str]:
        """Return a command with its placeholders replaced."""
        places = {
            "{build}": build,
            "{client}": self.folder,
            "{programs}": PROGRAMS,
            "{examples}": ROOT / "examples",
        }
        words = list(command)
        for place, path in places.items():
            words = [word.replace(place, str(path)) for word in words]
        return words

    def skip_unless_installed(self) -> None:
        """Skip the test if a program of the toolchain is absent."""
        skip_unless_installed(self.tools)


TYPESCRIPT: Final = ClientLanguage(
    name="typescript",
    tools=("node", "npm"),
    prepare=("npm", "ci", "--no-audit", "--no-fund"),
    test=("npm", "test"),
    build=("npx", "--no-install", "tsc"),
    first_bot=("node", "build/test/first-bot.js"),
    build_seeker=("cp", "{programs}/seeker.mjs", "build"),
    seeker=("node", "build/seeker.mjs"),
)
GO: Final = ClientLanguage(
    name="go",
    tools=("go",),
    prepare=("go", "vet", "./..."),
    test=("go", "test", "-count=1", "./..."),
    build=("go", "build", "-o", "{build}/first-bot", "{programs}/first_bot.go"),
    first_bot=("{build}/first-bot",),
    build_seeker=("go", "build", "-o", "{build}/seeker", "{programs}/seeker.go"),
    seeker=("{build}/seeker",),
)
PYTHON: Final = ClientLanguage(
    name="python",
    tools=("python3",),
    prepare=("sh", "-c", "python3 -m venv {build}/venv && {build}/venv/bin/pip install --quiet {client}"),
    # The tests of the repository replay the fixtures.
    test=(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "../../tests/clients/test_fixtures.py",
    ),
    build=("true",),
    first_bot=("{build}/venv/bin/python", "{examples}/first_bot.py"),
    seeker=("{build}/venv/bin/python", "{programs}/seeker.py"),
)
LANGUAGES: Final = (PYTHON, TYPESCRIPT, GO)


def skip_unless_installed(tools: Sequence[str]) -> None:
    """Skip the test if one of these programs is absent."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"the test needs {' and '.join(missing)} on the PATH")


def run(command: Sequence[str], folder: Path, within: float = 300.0, **environment: str) -> str:
    """Run a command in a folder and return what it printed. Fail with its output if it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=within,
        check=False,
    )
    assert done.returncode == 0, (
        f"{' '.join(command)} in {folder} ended with {done.returncode}:\n{done.stdout}"
    )
    return done.stdout
