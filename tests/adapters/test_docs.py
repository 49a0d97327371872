"""The examples of docs/adapters.md run, and cover every registered game in both libraries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.registry import GAMES

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_of_the_page_runs_unchanged(block: str) -> None:
    exec(compile(block, "docs/adapters.md", "exec"), {})


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_an_example_of_five_lines_for_each_library(game: str) -> None:
    for call in (f'load_game("kozyr_{game}', f'env("{game}"'):
        found = [block for block in BLOCKS if call in block]
        assert found, call
        assert all(len(block.splitlines()) <= 5 for block in found)
