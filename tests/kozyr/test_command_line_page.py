"""docs/cli.md names every command, and its line for shell completion works in bash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kozyr.cli.groups import OF_SERVER, DeferredCommand, MainGroup
from kozyr.cli.main import main
from tests.support.commands import COMMANDS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


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
        (
            ("kozyr", "re"),
            ["real-name", "redis", "register", "rename", "replay", "rerun", "restore", "resume", "review"],
        ),
        (("kozyr", "bot", "cr"), ["create"]),
        (("kozyr", "connect", "--per"), ["--per-match"]),
        (("kozyr", "comp"), ["compare"]),
        (("kozyr", "compare", "--at"), ["--at-once"]),
        (("kozyr", "new"), ["new-bot"]),
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    named = re.findall(
        r"(?:^|`)kozyr ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?", page.read_text("utf-8"), re.MULTILINE
    )
    for name, sub in named:
        command = COMMANDS[name]
        loaded = command.load() if isinstance(command, DeferredCommand) else command
        if sub and isinstance(loaded, click.Group):
            assert sub in loaded.commands, f"kozyr {name} {sub}"
        elif sub:
            assert sub not in COMMANDS, f"kozyr {name} has no subcommands, so none named {sub}"


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


def test_the_help_lists_all_commands_by_role() -> None:
    shown = CliRunner().invoke(main, ["--help"], prog_name="kozyr").output
    sections = re.findall(r"^([A-Z][a-z ]+):\n((?:  .+\n)+)", shown, re.MULTILINE)
    names = {title: re.findall(r"^  ([a-z-]+)", rows, re.MULTILINE) for title, rows in sections}
    del names["Options"]
    assert list(names) == ["Play and connect", "Read records", "Organise ladders", "Operate the service"]
    assert sorted(name for found in names.values() for name in found) == sorted(COMMANDS)
    assert sorted(names["Operate the service"]) == sorted(OF_SERVER)


@pytest.fixture
def without_the_server(monkeypatch: pytest.MonkeyPatch) -> click.Group:
    """The command line where only kozyr is installed."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    commands = {name: command for name, command in main.commands.items() if name not in OF_SERVER}
    return MainGroup("kozyr", commands=commands)


@pytest.mark.parametrize("name", OF_SERVER)
def test_a_command_of_the_server_says_what_to_install(without_the_server: click.Group, name: str) -> None:
    ended = CliRunner().invoke(without_the_server, [name], prog_name="kozyr")
    assert ended.exit_code == 2
    assert ended.stderr.startswith(
        f"kozyr: `kozyr {name}` belongs to the server: install it with `pip install "
    )
    assert ended.stderr.count("\n") == 1
