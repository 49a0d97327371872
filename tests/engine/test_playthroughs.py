"""Every number of seats and every value of every option of every registered game has a golden playthrough."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game import Game
from tests.engine.transcript import FOLDER, transcript, wanted

WANTED = list(wanted())
WRITE = "`python -m tests.engine.write_playthroughs` writes it; look at what has changed before you commit"


@pytest.mark.parametrize(("path", "game", "seed"), WANTED, ids=[path.stem for path, _, _ in WANTED])
def test_a_playthrough_is_as_it_was(path: Path, game: Game, seed: str) -> None:
    assert path.exists(), f"{path.name} is missing: {WRITE}"
    assert transcript(game, seed) == path.read_text(encoding="utf-8"), f"{path.name} differs: {WRITE}"


def test_there_is_no_playthrough_of_a_table_that_is_gone() -> None:
    assert set(FOLDER.glob("*.txt")) <= {path for path, _, _ in WANTED}
