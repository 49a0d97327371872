"""The learning example: training gives a policy file. `tests/live/test_author_commands.py` plays online with one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "learning"


def train(out: Path, *, decks: int) -> str:
    """Train for a moment, and return what the example prints."""
    words = ["--deals", "12", "--seed", "5", "--decks", str(decks), "--out", str(out)]
    command = [sys.executable, str(EXAMPLE / "train.py"), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_training_is_reproducible_and_measures_the_policy(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    lines = train(first, decks=2).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["against random", "against greedy"]
    assert all("of 4 deals (95 %:" in line for line in lines)
    train(second, decks=0)
    assert first.read_text() == second.read_text()
    assert len(json.loads(first.read_text())["weights"]) > 20
