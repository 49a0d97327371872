"""The commands of bot authors at a real service, from `kozyr register` to a watched match."""

from __future__ import annotations

import json
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kozyr.cli.author.profiles import Profiles, profiles_path
from tests.support.command_line import home, kozyr
from tests.support.live import ROOT, LiveService
from tests.support.waiting import eventually

__all__ = ["home"]

pytestmark = pytest.mark.live

FIRST = """
import json, sys
for line in sys.stdin:
    print(json.loads(line)["observation"]["legal_moves"][0], flush=True)
"""


def done(*words: object) -> str:
    result = kozyr(*words)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def document(*words: object) -> Any:
    return json.loads(done(*words, "--json"))


def test_from_an_empty_folder_to_a_watched_match(service: LiveService, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(FIRST)
    registered = done("register", service.url, "empty-folder")
    assert [line.partition(" ")[0] for line in registered.splitlines()] == ["registered", "records"]
    assert stat.S_IMODE(profiles_path().stat().st_mode) == 0o600
    done("bot", "create", "first")
    match = done("challenge", "house/greedy", "--game", "durak", "--deals", "2")
    played = subprocess.run(
        [
            sys.executable,
            "-m",
            "kozyr",
            "connect",
            "--matches",
            "1",
            "--",
            sys.executable,
            tmp_path / "bot.py",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert played.returncode == 0, played.stderr
    assert f"match {match}  ending rules" in played.stdout
    watched = done("watch", match).splitlines()
    assert any("empty-folder/first  " in line for line in watched)
    assert watched[-1].startswith("the match is over (rules)")
    assert done("match", "show", match).splitlines()[0].endswith(match)
    assert document("match", "list", "--bot", "empty-folder/first")[0]["id"] == match


CLIENT = """
import pathlib, signal, sys
from kozyr_client import Client

def end(*_):
    pathlib.Path(sys.argv[1]).touch()
    sys.exit()

signal.signal(signal.SIGTERM, end)
Client().play(lambda turn: turn.legal_moves[0])
"""


def challenged(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kozyr", "challenge", "house/greedy", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_challenge_with_a_program_plays_the_match_and_ends_the_program(
    service: LiveService, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(CLIENT)
    done("register", service.url, "with-program")
    done("bot", "create", "first")
    # A shell between us and the bot: signals must reach the bot all the same.
    program = ["sh", "-c", f"{sys.executable} {tmp_path / 'bot.py'} {tmp_path / 'ended'}; true"]
    played = challenged("--client", "--", *program)
    assert played.returncode == 0, played.stderr
    match, *result = played.stdout.splitlines()
    assert document("match", "show", match)["status"] == "finished"
    assert [line.split()[0] for line in result] == ["seats", "places", "scores", "result"]
    eventually((tmp_path / "ended").exists, "the bot gets SIGTERM")


def test_challenge_and_connect_take_the_same_program(service: LiveService, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(FIRST)
    done("register", service.url, "same-program")
    done("bot", "create", "first")
    played = challenged("--", sys.executable, tmp_path / "bot.py")
    assert played.returncode == 0, played.stderr
    match, *result = played.stdout.splitlines()
    assert document("match", "show", match)["ending"] == "rules"
    assert [line.split()[0] for line in result] == ["seats", "places", "scores", "result"]


def test_a_program_that_ends_before_its_match_is_reported(service: LiveService) -> None:
    done("register", service.url, "short-program")
    done("bot", "create", "first")
    ended = challenged("--client", "--", "sh", "-c", "exit 3")
    assert ended.returncode == 1
    assert ended.stderr == "kozyr: the program ended with status 3 before the match was over\n"


def test_bots_are_listed_shown_and_changed(service: LiveService) -> None:
    done("register", service.url, "changing")
    assert document("bot", "create", "fool", "--version", "0.1")["bot"]["version"] == "0.1"
    done("bot", "set", "changing/fool", "--version", "0.2", "--max-matches", "3", "--games", "durak,king")
    shown = document("bot", "show", "changing/fool")
    assert (shown["version"], shown["match_policy"]["max_matches"]) == ("0.2", 3)
    assert shown["match_policy"]["games"] == ["durak", "king"]
    assert "fool" in done("bot", "list")
    result = kozyr("bot", "set", "changing/fool")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_a_rotated_token_replaces_the_one_in_the_profile(service: LiveService) -> None:
    done("register", service.url, "rotating")
    before = Profiles().known["default"].token
    done("token", "rotate")
    assert Profiles().known["default"].token not in (None, before)
    assert document("token", "show")["name"] == "rotating"
    extra = done("token", "create", "--note", "laptop", "--days", "3")
    (ident,) = [each["id"] for each in document("token", "list") if each["note"] == "laptop"]
    done("token", "revoke", ident)
    refused = kozyr("token", "show", "--token", extra)
    assert refused.exit_code == 1
    assert "log in again with `kozyr login" in refused.stderr


def test_login_keeps_tokens_of_owners_and_bots(service: LiveService) -> None:
    owner = document("register", service.url, "logging-in")["token"]
    bot = document("bot", "create", "fool")["token"]
    profiles_path().unlink()
    assert kozyr("login", service.url, input=f"{bot}\n").exit_code == 0
    assert kozyr("bot", "list").exit_code == 2
    assert kozyr("login", service.url, input=f"{owner}\n").exit_code == 0
    kept = Profiles().known["default"]
    assert (kept.owner, kept.token, kept.bots) == ("logging-in", owner, {"fool": bot})


def test_a_token_of_a_profile_goes_to_no_other_service(service: LiveService) -> None:
    done("register", service.url, "careful")
    elsewhere = kozyr("bot", "list", "--url", "http://127.0.0.1:9")
    assert elsewhere.exit_code == 2
    assert "this needs an owner's token" in elsewhere.stderr


@pytest.mark.ci
def test_the_commands_of_the_learning_page_play_online(service: LiveService, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
    block = re.search(r"^## Play online\n\n```sh\n(?P<lines>.*?)```", page, re.DOTALL | re.MULTILINE)
    assert block, "docs/learning.md has no commands"
    (tmp_path / "policy.json").write_text(json.dumps({"game": "durak", "weights": {}}))
    replaced = {
        "kozyr": [sys.executable, "-m", "kozyr"],
        "python": [sys.executable],
        "http://127.0.0.1:8000": [service.url],
        "examples/learning/play.py": [str(ROOT / "examples" / "learning" / "play.py")],
    }
    commands = block["lines"].replace("\\\n", " ").splitlines()
    for command in commands:
        words = [word for each in shlex.split(command) for word in replaced.get(each, [each])]
        ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert ended.returncode == 0, (command, ended.stderr)
    match, *result = ended.stdout.splitlines()
    assert [line.split()[0] for line in result] == ["seats", "places", "scores", "result"]
    assert document("match", "show", match)["status"] == "finished"
