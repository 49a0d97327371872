"""From an empty folder to a first match, as a newcomer pastes it: `kozyr new-bot`, then the commands that it prints.

Run with `make clients`. A language whose toolchain is absent is skipped.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from kozyr_client import Client
from tests.clients.conformance import passes_with_all_faults
from tests.clients.languages import LANGUAGES, ClientLanguage, run
from tests.live.league import LiveLeague
from tests.support.live import LiveService

pytestmark = [pytest.mark.clients, pytest.mark.live]

URL = "http://127.0.0.1:8000"
NAME = "my-name"


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_an_empty_folder_becomes_a_bot_that_has_played_a_match(
    service: LiveService, language: ClientLanguage, tmp_path: Path
) -> None:
    language.skip_unless_installed()
    owner = f"starter-{language.name}"

    def shell(script: str, folder: Path) -> str:
        script = script.replace(URL, service.url).replace(NAME, owner)
        return run(["bash", "-euc", script], folder, 600, **environment(tmp_path / "config"))

    printed = shell(f"kozyr new-bot {language.name} bot", tmp_path)
    commands = printed[printed.index("cd bot\n") :]
    assert URL in commands
    assert NAME in commands
    match = re.search(r"^[0-9a-z]{8,}$", shell(commands, tmp_path), re.MULTILINE)
    assert match is not None
    record = document(service, f"/v1/matches/{match[0]}/record")
    assert record["ending"] == "rules"
    assert [seat["bot"] for seat in record["seats"]] == [f"{owner}/my-bot", "house/greedy"]
    assert not [move for move in record["moves"] if "by" in move], "a move was made by a timeout"

    folder = tmp_path / "bot"
    bot = commands.rpartition(" -- ")[2].strip()
    readme = (folder / "README.md").read_text()
    (tests,) = re.findall(r"`([^`]*)` runs the bot's tests", readme)
    shell(tests, folder)
    assert f"`kozyr check -- {bot}`" in readme
    passes_with_all_faults(LiveLeague(service, f"checks-{language.name}"), bot.split(), folder)


def environment(config: Path) -> dict[str, str]:
    """Return the environment of a newcomer: no profile yet, and `kozyr` on the PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "XDG_CONFIG_HOME": str(config), "KOZYR_URL": "", "KOZYR_TOKEN": ""}


def document(service: LiveService, path: str) -> Any:
    """Return a document of the service."""
    with Client(service.url) as client:
        return client.request("GET", path)
