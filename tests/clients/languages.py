"""What the tests know of each client in `clients/`: its toolchain, and how to test, build and start it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.live import ROOT

CLIENTS: Final = ROOT / "clients"


class Language(NamedTuple):
    """One client. `{build}` in a command stands for a folder of the test's own."""

    name: str
    tools: tuple[str, ...]
    """Programs that must be on the PATH."""
    prepare: tuple[str, ...]
    """Installs what the build needs."""
    test: tuple[str, ...]
    build: tuple[str, ...]
    first_bot: tuple[str, ...]
    """Starts the first bot, which takes KOZYR_URL and KOZYR_TOKEN from the environment."""

    @property
    def folder(self) -> Path:
        """The folder of the client."""
        return CLIENTS / self.name

    def run(self, command: Sequence[str], build: Path, within: float = 300.0) -> None:
        """Run a command in the client's folder. Fail with its output if it fails."""
        run(self.command(command, build), self.folder, within)

    @staticmethod
    def command(command: Sequence[str], build: Path) -> list[str]:
        """Return a command with its placeholders replaced."""
        return [word.replace("{build}", str(build)) for word in command]

    def skip_unless_installed(self) -> None:
        """Skip the test if a program of the toolchain is absent."""
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing:
            pytest.skip(f"clients/{self.name} needs {' and '.join(missing)} on the PATH")


TYPESCRIPT: Final = Language(
    name="typescript",
    tools=("node", "npm"),
    prepare=("npm", "ci", "--no-audit", "--no-fund"),
    test=("npm", "test"),
    build=("npx", "--no-install", "tsc"),
    first_bot=("node", "build/examples/first-bot.js"),
)
GO: Final = Language(
    name="go",
    tools=("go",),
    prepare=("go", "vet", "./..."),
    test=("go", "test", "-count=1", "./..."),
    build=("go", "build", "-o", "{build}/first-bot", "./examples/first-bot"),
    first_bot=("{build}/first-bot",),
)
LANGUAGES: Final = (TYPESCRIPT, GO)


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
