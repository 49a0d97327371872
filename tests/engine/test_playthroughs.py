"""Every option of every registered game has a golden playthrough. `test_node_counts.py` has all its values."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game import Game
from tests.engine.transcript import FOLDER, transcript, wanted

WANTED = list(wanted())
WRITE = "`python -m tests.engine.write_playthroughs` writes it; look at what has changed before you commit"


@pytest.mark.parametrize(("path", "game", "seed"), WANTED, ids=[path.stem for path, _, _ in WANTED])
def test_a_playthrough_is_unchanged(path: Path, game: Game, seed: str) -> None:
    assert path.exists(), f"{path.name} is missing: {WRITE}"
    assert transcript(game, seed) == path.read_text(encoding="utf-8"), f"{path.name} differs: {WRITE}"


def test_every_playthrough_belongs_to_a_table() -> None:
    assert set(FOLDER.glob("*.txt")) <= {path for path, _, _ in WANTED}
