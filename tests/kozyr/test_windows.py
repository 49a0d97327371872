"""The commands of bot authors need nothing that Windows lacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.live import ROOT, LiveService

BOT = ROOT / "examples" / "tutorial" / "step1.py"
LIKE_WINDOWS = (sys.executable, "-m", "tests.support.like_windows")
CLASS = """
class Last:
    def choose(self, game, observation, legal_moves, rng):
        return legal_moves[-1]
"""


def kozyr(*words: object, home: Path, **more: str) -> str:
    """Run a command as on Windows, and return what it prints."""
    done = subprocess.run(
        (*LIKE_WINDOWS, *map(str, words)),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(home), "PYTHONPATH": str(home), **more},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of a tournament among a program, a class and a house bot."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "lasts.py").write_text(CLASS)
    bots = (f"{sys.executable} {BOT}", "lasts:Last", "greedy")
    more = ("--game", "durak", "--option", "turn_limit=50", "--deals", "2", "--jobs", "2")
    kozyr("play", *bots, *more, "--out", folder / "records.ndjson", home=folder)
    return folder / "records.ndjson"


def test_every_command_is_imported_and_helps(tmp_path: Path) -> None:
    code = """
        from tests.support.like_windows import hide
        hide()
        from click.testing import CliRunner
        from kozyr.cli.main import main
        for name in ["", *main.commands]:
            found = CliRunner().invoke(main, [*filter(None, [name]), "--help"])
            assert found.output.startswith("Usage:"), (name, found.output, found.exception)
    """
    subprocess.run([sys.executable, "-c", dedent(code)], cwd=ROOT, check=True)


def test_a_program_a_class_and_a_house_bot_play(records: Path) -> None:
    found = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
    assert {record["ending"] for record in found} == {"rules"}
    assert {seat["bot"] for record in found for seat in record["seats"]} == {
        "local/step1",
        "local/last",
        "house/greedy",
    }


@pytest.mark.live
@pytest.mark.ci
def test_a_program_plays_on_a_service(service: LiveService, tmp_path: Path) -> None:
    kozyr("register", service.url, "like-windows", home=tmp_path)
    kozyr("bot", "create", "first", home=tmp_path)
    kozyr("challenge", "house/greedy", "--game", "durak", "--", sys.executable, BOT, home=tmp_path)
    match = kozyr("challenge", "house/greedy", "--game", "durak", home=tmp_path).strip()
    connected = ("connect", "--matches", "1", "--", sys.executable, BOT)
    assert f"match {match}  ending rules" in kozyr(*connected, home=tmp_path)
