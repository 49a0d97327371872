"""The README of each client: its quick start is that of its starter, and its first bot is the example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kozyr.starters.writing import CLIENTS, EXAMPLES
from tests.clients.languages import PROGRAMS

LINES = 30
"""The most lines of a first bot."""
FIRST_BOTS = {
    "python": EXAMPLES / "first_bot.py",
    "typescript": CLIENTS / "typescript" / "test" / "first-bot.ts",
    "go": PROGRAMS / "first_bot.go",
}
NAMES = list(FIRST_BOTS)


def blocks(page: Path, fence: str) -> list[str]:
    """Return the code blocks of a page with this fence."""
    return re.findall(rf"^```{fence}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("language", NAMES)
def test_the_quick_start_of_a_client_is_what_its_starter_says(language: str) -> None:
    (commands,) = blocks(CLIENTS / language / "template" / "README.md", "sh")
    (quick,) = blocks(CLIENTS / language / "README.md", "sh")
    assert quick == f"kozyr new-bot {language} my-bot\ncd my-bot\n{commands}"


@pytest.mark.parametrize("language", NAMES)
def test_the_first_bot_of_a_readme_is_the_example_and_is_short(language: str) -> None:
    text = FIRST_BOTS[language].read_text()
    assert text in blocks(CLIENTS / language / "README.md", r"\w+")
    assert len(text.splitlines()) <= LINES


@pytest.mark.parametrize("language", NAMES)
def test_the_readme_of_a_client_links_only_to_files_that_a_starter_has(language: str) -> None:
    page = (CLIENTS / language / "README.md").read_text()
    assert [link for link in re.findall(r"\]\(([^)#]+)\)", page) if link.startswith("..")] == []
