"""No page and no program puts a token into the arguments of a command, which all users of a machine can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command_line import home, kozyr
from tests.support.live import ROOT

__all__ = ["home"]

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "deploy").rglob("*.md")),
    *sorted((ROOT / "clients").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
    *sorted((ROOT / "web" / "templates").rglob("*.html")),
]
IN_ARGUMENTS = re.compile(
    r"--token[ =]+[\"$\w]"
    r"|(?:-H|--header)[ =]*[\"']Authorization"
    r"|\.(?:py|js|ts)\b[^\n`]* (?:TOKEN\b|[\"']?\$\{?\w*TOKEN)"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_shows_a_token_among_the_arguments_of_a_command(page: Path) -> None:
    assert IN_ARGUMENTS.findall(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "words",
    [("bot", "list", "--url"), ("login",), ("export", "--out", "export.ndjson")],
    ids=lambda words: words[0],
)
def test_a_token_among_the_arguments_is_warned_of(words: tuple[str, ...], home: Path) -> None:
    at = (*words, "http://127.0.0.1:1")
    warning = "kozyr: other users of this machine can see --token: better set KOZYR_TOKEN\n"
    assert warning in kozyr(*at, "--token", "kozyr_x").stderr
    assert warning not in kozyr(*at, env={"KOZYR_TOKEN": "kozyr_x"}).stderr
