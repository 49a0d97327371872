"""docs/tutorial.md: its code is that of the programs, and its figures are those of its commands."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
STEPS = ROOT / "examples" / "tutorial"


def test_the_code_of_each_step_is_that_of_its_program() -> None:
    sections = PAGE.split("\n## Step ")[1:]
    assert len(sections) == 4
    for number, section in enumerate(sections, 1):
        (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        program = (STEPS / f"step{number}.py").read_text()
        assert code in program
        assert len(program.splitlines()) <= 60


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_each_step_plays_with_every_rank_and_with_transfers(number: int, tmp_path: Path) -> None:
    program = f"{sys.executable} {STEPS / f'step{number}.py'}"
    options = ["--option", "lowest_rank=2", "--option", "transfer=true"]
    out = ["--deals", "6", "--out", str(tmp_path / "played")]
    words = ["play", program, "greedy", "--game", "durak", *options, *out]
    ended = CliRunner().invoke(main, words)
    assert ended.exit_code == 0, ended.output
    records = [json.loads(line) for line in (tmp_path / "played").read_text().splitlines()]
    assert records
    assert all(record["forfeits"] == [] for record in records)


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=pytest.mark.ci if number < 3 else pytest.mark.soak)
        for number in (1, 2, 3, 4)
    ],
)
def test_the_figure_of_each_step_is_that_of_its_command(number: int) -> None:
    name = f"step{number}"
    program = f"{name}={sys.executable} {STEPS / name}.py"
    options = re.search(r"greedy \\\n    (--game .*)", PAGE)
    assert options
    words = ["play", program, "greedy", *options[1].split()]
    ended = CliRunner().invoke(main, words, env={"COLUMNS": "200"})
    assert ended.exit_code == 0, ended.output
    found = re.search(
        rf"^local/{name}\s+house/greedy\s+(\S+)[ \t]*(\S+ to \S+)?$", ended.output, re.MULTILINE
    )
    assert found, ended.output
    figure = f"{found[1]} | {found[2] or 'none: it lost every deal'} |".replace("-", "−")
    assert f"| [{name}.py](../examples/tutorial/{name}.py) | {figure}" in PAGE
