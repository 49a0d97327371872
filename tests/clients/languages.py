"""What the tests know of each client in `clients/`: its toolchain, and how to test, build and start it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.live import ROOT

CLIENTS: Final = ROOT / "clients"


class Language(NamedTuple):
    """One client. In a command `{build}` stands for a folder of the test's own, `{client}` for the client's."""

    name: str
    tools: tuple[str, ...]
    """Programs that must be on the PATH."""
    prepare: tuple[str, ...]
    """Installs what the build needs."""
    test: tuple[str, ...]
    build: tuple[str, ...]
    first_bot: tuple[str, ...]
    """Starts the first bot, which takes KOZYR_URL and KOZYR_TOKEN from the environment."""
    starter: tuple[tuple[str, ...], ...]
    """Build a copy of the starter, in its folder, with the client of the repository in place of a published one."""
    starter_bot: tuple[str, ...]
    """Starts the starter's bot, in its folder."""
    settings: Mapping[str, str] = {}
    """Environment variables for all commands."""

    @property
    def folder(self) -> Path:
        """The folder of the client."""
        return CLIENTS / self.name

    def run(self, command: Sequence[str], build: Path, within: float = 300.0) -> None:
        """Run a command in the client's folder. Fail with its output if it fails."""
        run(self.command(command, build), self.folder, within, **self.environment)

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables for all commands, without those of the process."""
        return {name: value.replace("{client}", str(self.folder)) for name, value in self.settings.items()}

    def command(self, command: Sequence[str], build: Path) -> list[str]:
        """Return a command with its placeholders replaced."""
        return [word.replace("{build}", str(build)).replace("{client}", str(self.folder)) for word in command]

    def skip_unless_installed(self) -> None:
        """Skip the test if a program of the toolchain is absent."""
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing:
            pytest.skip(f"clients/{self.name} needs {' and '.join(missing)} on the PATH")


PATCH: Final = 'patch.crates-io.kozyr-client.path="{client}"'

TYPESCRIPT: Final = Language(
    name="typescript",
    tools=("node", "npm"),
    prepare=("npm", "ci", "--no-audit", "--no-fund"),
    test=("npm", "test"),
    build=("npx", "--no-install", "tsc"),
    first_bot=("node", "build/examples/first-bot.js"),
    starter=(
        ("npm", "pack", "--silent", "--pack-destination", "{build}", "{client}"),
        ("sh", "-c", "npm install --no-audit --no-fund {build}/*.tgz"),
        ("npm", "run", "build"),
    ),
    starter_bot=("node", "dist/bot.js"),
)
GO: Final = Language(
    name="go",
    tools=("go",),
    prepare=("go", "vet", "./..."),
    test=("go", "test", "-count=1", "./..."),
    build=("go", "build", "-o", "{build}/first-bot", "./examples/first-bot"),
    first_bot=("{build}/first-bot",),
    starter=(
        ("go", "mod", "edit", "-replace", "github.com/kozyr-league/kozyr/clients/go={client}"),
        ("go", "build", "-o", "{build}/starter", "."),
    ),
    starter_bot=("{build}/starter",),
)
RUST: Final = Language(
    name="rust",
    tools=("cargo", "python3"),
    prepare=("cargo", "fetch", "--locked"),
    test=("cargo", "test", "--locked"),
    build=("cargo", "build", "--locked", "--example", "first-bot"),
    first_bot=("{client}/target/debug/examples/first-bot",),
    starter=(("cargo", "test", "--config", PATCH), ("cargo", "build", "--config", PATCH)),
    starter_bot=("{client}/target/debug/my-bot",),
    settings={"CARGO_TARGET_DIR": "{client}/target"},
)
JAVA: Final = Language(
    name="java",
    tools=("java", "mvn", "python3"),
    prepare=("mvn", "-q", "-B", "install", "-DskipTests"),
    test=("mvn", "-q", "-B", "test"),
    build=(
        *("mvn", "-q", "-B", "package", "-DskipTests", "dependency:copy-dependencies"),
        *("-DincludeScope=runtime", "-DoutputDirectory={build}/lib"),
    ),
    first_bot=(
        "java",
        "-cp",
        "{client}/target/kozyr-client-0.1.0.jar:{build}/lib/*",
        "examples/FirstBot.java",
    ),
    starter=(("mvn", "-q", "-B", "package"),),
    starter_bot=("java", "-jar", "target/my-bot.jar"),
)
LANGUAGES: Final = (TYPESCRIPT, GO, RUST, JAVA)


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
