"""docs/cli.md names every command, and its line for shell completion works in bash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from kozyr.cli.groups import DeferredCommand
from kozyr.cli.main import main
from tests.support.commands import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def completions(*words: str) -> set[str]:
    """Return bash's completions of the last word, after it has run the line from the page."""
    found = re.search(r"^\| bash .*`(?P<line>eval .*)` \|$", PAGE, re.MULTILINE)
    assert found, "docs/cli.md has no line for bash"
    script = """
        eval "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        spec=$(complete -p kozyr); [[ $spec =~ -F\\ ([^ ]+) ]] && "${BASH_REMATCH[1]}" kozyr
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", found["line"], *words],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "offered"),
    # Lists: a set would give the cases other names in each process.
    [
        (("kozyr", "ver"), ["verify"]),
        (("kozyr", "re"), ["redis", "register", "replay", "rerun", "restore", "resume", "review"]),
        (("kozyr", "bot", "cr"), ["create"]),
        (("kozyr", "connect", "--per"), ["--per-match"]),
        (("kozyr", "comp"), ["compare"]),
        (("kozyr", "compare", "--at"), ["--at-once"]),
        (("kozyr", "new"), ["new-bot", "new-league"]),
        (("kozyr", "profile", "us"), ["use"]),
        (("kozyr", "new-bot", "ty"), ["typescript"]),
        (("kozyr", "ladder", "cr"), ["create"]),
        (("kozyr", "up", "--no"), ["--no-demo"]),
    ],
    ids=" ".join,
)
def test_bash_completes_commands_and_options(words: tuple[str, ...], offered: list[str]) -> None:
    assert completions(*words) == set(offered)


def test_the_page_lists_every_command() -> None:
    assert set(re.findall(r"`kozyr ([a-z-]+)`", PAGE)) == set(COMMANDS)


def test_the_version_is_that_of_the_installed_distribution() -> None:
    shown = CliRunner().invoke(main, ["--version"], prog_name="kozyr")
    assert shown.output == f"kozyr {version('kozyr')}\n"


def test_the_help_of_each_deferred_command_begins_with_its_listed_sentence() -> None:
    deferred = [command for command in COMMANDS.values() if isinstance(command, DeferredCommand)]
    assert deferred
    for command in deferred:
        loaded = command.load()
        assert (loaded.name, " ".join((loaded.help or "").split("\n\n")[0].split())) == (
            command.name,
            command.help,
        )
        assert not loaded.hidden
