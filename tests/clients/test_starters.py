"""From an empty folder to a first match, as a newcomer pastes it: `kozyr new-bot`, then the commands that it prints.

Run with `make clients`. A language whose toolchain is absent is skipped.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.registry import GAMES
from kozyr.starters.writing import STARTERS
from kozyr_client import Client
from tests.clients.conformance import passes_with_all_faults
from tests.clients.languages import run, skip_unless_installed
from tests.live.league import LiveLeague
from tests.support.live import LiveService

pytestmark = [pytest.mark.clients, pytest.mark.live]

URL = "http://127.0.0.1:8000"
NAME = "my-name"


@pytest.mark.parametrize("language", STARTERS)
def test_an_empty_folder_becomes_a_bot_that_has_played_a_match(
    service: LiveService, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_unless_installed(STARTERS[language].tools)
    for name, value in environment(tmp_path / "config").items():
        monkeypatch.setenv(name, value)
    owner = f"starter-{language}"

    def shell(script: str, folder: Path) -> str:
        return run(["bash", "-euc", script.replace(URL, service.url).replace(NAME, owner)], folder, 600)

    printed = shell(f"kozyr new-bot {language} bot", tmp_path)
    commands = printed[printed.index("cd bot\n") :]
    assert URL in commands
    assert NAME in commands
    match = re.search(r"^[0-9a-z]{8,}$", shell(commands, tmp_path), re.MULTILINE)
    assert match is not None
    record = document(service, f"/v1/matches/{match[0]}/record")
    assert record["ending"] == "rules"
    assert [seat["bot"] for seat in record["seats"]] == [f"{owner}/bot", "house/greedy"]
    assert not [move for move in record["moves"] if "by" in move], "a move was made by a timeout"

    folder = tmp_path / "bot"
    options, _, bot = commands.partition("house/greedy ")[2].strip().partition("-- ")
    client = options.strip() == "--client"
    readme = (folder / "README.md").read_text()
    if client:
        (tests,) = re.findall(r"`([^`]*)` runs the bot's tests", readme)
        shell(tests, folder)
        assert f"`kozyr check --client -- {bot}`" in readme
    else:
        plays_every_game(bot, folder)
    league = LiveLeague(service, f"checks-{language}")
    passes_with_all_faults(league, shlex.split(bot), folder, client=client)


def plays_every_game(bot: str, folder: Path) -> None:
    """Assert that a program that reads and writes lines plays whole matches of all games, with all its moves legal."""
    for game in GAMES:
        printed = run(
            ["kozyr", "play", bot, "greedy", "--game", game, "--deals", "2", "--jobs", "1", "--json"], folder
        )
        played = json.loads(printed)
        assert (played["matches"], played["failures"]) == (played["planned"], []), printed


def environment(config: Path) -> dict[str, str]:
    """Return the environment of a newcomer: no profile yet, and `kozyr` on the PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "XDG_CONFIG_HOME": str(config), "KOZYR_URL": "", "KOZYR_TOKEN": ""}


def document(service: LiveService, path: str) -> Any:
    """Return a document of the service."""
    with Client(service.url) as client:
        return client.request("GET", path)
