"""Clients that generators of code write from `openapi.yaml` play a match of every game at a live service.

Run with `make clients`. A generator whose toolchain is absent is skipped.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from engine.registry import GAMES
from tests.clients.languages import run, skip_unless_installed
from tests.live.league import LiveLeague
from tests.support.live import ROOT, LiveService

pytestmark = [pytest.mark.clients, pytest.mark.live]

BOTS: Final = Path(__file__).parent / "generated"


class CodeGenerator(NamedTuple):
    """A generator of code, and the commands that make a bot of it in a folder of the test's own."""

    name: str
    tools: tuple[str, ...]
    bot: str
    place: str
    """Where the bot goes."""
    build: Sequence[str]
    start: str


GO_BUILD: Final = ("go mod tidy", "go build -o bot .")
GENERATORS: Final = (
    CodeGenerator(
        name="openapi-generator",
        tools=("java",),
        bot="bot.py",
        place="bot.py",
        build=(
            f"{sys.executable} -m venv venv",
            "venv/bin/python -m pip install --quiet openapi-generator-cli==7.26.0",
            "venv/bin/openapi-generator-cli generate -g python -i openapi.yaml -o made "
            "--additional-properties=packageName=kozyr_generated",
            "venv/bin/python -m pip install --quiet ./made",
        ),
        start="venv/bin/python bot.py",
    ),
    CodeGenerator(
        name="oapi-codegen",
        tools=("go",),
        bot="oapi_codegen.go",
        place="main.go",
        build=(
            "go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 "
            "-generate types,client -package kozyr -o kozyr/kozyr.go openapi.yaml",
            *GO_BUILD,
        ),
        start="./bot",
    ),
    CodeGenerator(
        name="ogen",
        tools=("go",),
        bot="ogen.go",
        place="main.go",
        build=(
            "go run github.com/ogen-go/ogen/cmd/ogen@v1.24.0 "
            "--config ogen.yml --target kozyr --package kozyr --clean openapi.yaml",
            *GO_BUILD,
        ),
        start="./bot",
    ),
)


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
def test_the_code_that_it_writes_plays_a_match_of_every_game(
    service: LiveService, generator: CodeGenerator, tmp_path: Path
) -> None:
    skip_unless_installed(generator.tools)
    shutil.copy(ROOT / "openapi.yaml", tmp_path)
    shutil.copy(BOTS / generator.bot, tmp_path / generator.place)
    (tmp_path / "go.mod").write_text("module generated\n\ngo 1.24\n")
    (tmp_path / "kozyr").mkdir()
    # ogen knows no event streams and no YAML.
    (tmp_path / "ogen.yml").write_text('generator: {ignore_not_implemented: ["all"]}\n')
    for command in generator.build:
        run(shlex.split(command), tmp_path, within=900)
    league = LiveLeague(service, f"by-{generator.name}")
    bot = league.bot("generated")
    settings = {"KOZYR_URL": service.url, "KOZYR_TOKEN": bot.token, "KOZYR_BOT": bot.name}
    printed = run(shlex.split(generator.start), tmp_path, **settings)
    played = [line.split() for line in printed.splitlines()]
    assert [ending for _, ending in played] == ["rules"] * len(GAMES), printed
    assert {league.record(match)["game"] for match, _ in played} == GAMES.keys()
