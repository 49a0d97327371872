"""What the tests know of each client in `clients/`: its toolchain, and how to test, build and start it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.live import ROOT

CLIENTS: Final = ROOT / "clients"
SEEKERS: Final = Path(__file__).parent / "seekers"
"""A program for each client that looks for opponents, plays two matches and ends."""


class ClientLanguage(NamedTuple):
    """One client.

    In a command `{build}` stands for a folder of the test's own, `{client}` for the client's folder, `{seekers}` for
    `SEEKERS`.
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
    headers: tuple[str, ...] = ()
    """C++ headers that must be installed."""
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
        places = {"{build}": build, "{client}": self.folder, "{seekers}": SEEKERS}
        words = list(command)
        for place, path in places.items():
            words = [word.replace(place, str(path)) for word in words]
        return words

    def skip_unless_installed(self) -> None:
        """Skip the test if a program or a header of the toolchain is absent."""
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing:
            pytest.skip(f"clients/{self.name} needs {' and '.join(missing)} on the PATH")
        absent = [header for header in self.headers if not has_header(header)]
        if absent:
            pytest.skip(f"clients/{self.name} needs the headers {' and '.join(absent)}")


QUICK_JVM: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""A conformance check begins with its faults, while the JVM is cold. These spare its compiler and its threads."""

TYPESCRIPT: Final = ClientLanguage(
    name="typescript",
    tools=("node", "npm"),
    prepare=("npm", "ci", "--no-audit", "--no-fund"),
    test=("npm", "test"),
    build=("npx", "--no-install", "tsc"),
    first_bot=("node", "build/examples/first-bot.js"),
    build_seeker=("cp", "{seekers}/seeker.mjs", "build"),
    seeker=("node", "build/seeker.mjs"),
)
GO: Final = ClientLanguage(
    name="go",
    tools=("go",),
    prepare=("go", "vet", "./..."),
    test=("go", "test", "-count=1", "./..."),
    build=("go", "build", "-o", "{build}/first-bot", "./examples/first-bot"),
    first_bot=("{build}/first-bot",),
    build_seeker=("go", "build", "-o", "{build}/seeker", "{seekers}/seeker.go"),
    seeker=("{build}/seeker",),
)
RUST: Final = ClientLanguage(
    name="rust",
    tools=("cargo", "rustc", "python3"),
    prepare=("cargo", "fetch", "--locked"),
    test=("cargo", "test", "--locked"),
    build=("cargo", "build", "--locked", "--example", "first-bot"),
    first_bot=("{client}/target/debug/examples/first-bot",),
    build_seeker=(
        *("sh", "-c"),
        "cargo build --locked --lib && rustc --edition 2024 -L dependency={client}/target/debug/deps"
        " --extern kozyr={client}/target/debug/libkozyr.rlib {seekers}/seeker.rs -o {build}/seeker",
    ),
    seeker=("{build}/seeker",),
    settings={"CARGO_TARGET_DIR": "{client}/target"},
)
JAVA: Final = ClientLanguage(
    name="java",
    tools=("java", "javac", "mvn", "python3"),
    prepare=("mvn", "-q", "-B", "-P", "strict", "test-compile"),
    test=("mvn", "-q", "-B", "test"),
    build=(
        *("sh", "-c"),
        "mvn -q -B package -DskipTests dependency:copy-dependencies -DincludeScope=runtime"
        " -DoutputDirectory={build}/lib && cp target/kozyr-client-0.1.0.jar {build}/lib"
        " && javac -cp '{build}/lib/*' -d {build} examples/FirstBot.java",
    ),
    first_bot=("java", *QUICK_JVM, "-cp", "{build}:{build}/lib/*", "FirstBot"),
    build_seeker=("javac", "-cp", "{build}/lib/*", "-d", "{build}", "{seekers}/Seeker.java"),
    seeker=("java", *QUICK_JVM, "-cp", "{build}:{build}/lib/*", "Seeker"),
)
CPP: Final = ClientLanguage(
    name="cpp",
    tools=("c++", "cmake", "python3"),
    prepare=("cmake", "-S", ".", "-B", "build"),
    test=("sh", "-c", "cmake --build build -j2 && ctest --test-dir build --output-on-failure -j4"),
    build=("cmake", "--build", "build", "-j2", "--target", "first-bot"),
    first_bot=("{client}/build/first-bot",),
    build_seeker=(
        *("c++", "-std=c++20", "-pthread", "-I", "{client}/include", "{seekers}/seeker.cpp"),
        *("{client}/build/libkozyr.a", "-lcurl", "-o", "{build}/seeker"),
    ),
    seeker=("{build}/seeker",),
    headers=("curl/curl.h", "gtest/gtest.h", "nlohmann/json.hpp"),
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
    first_bot=("{build}/venv/bin/python", "examples/first_bot.py"),
    seeker=("{build}/venv/bin/python", "{seekers}/seeker.py"),
)
LANGUAGES: Final = (PYTHON, TYPESCRIPT, GO, RUST, JAVA, CPP)


def has_header(header: str) -> bool:
    """Return whether the C++ compiler finds a header."""
    check = ["c++", "-E", "-x", "c++", "-include", header, os.devnull]
    return subprocess.run(check, capture_output=True, check=False).returncode == 0


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
