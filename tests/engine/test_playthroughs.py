"""Every option of every registered game has a golden playthrough. `test_node_counts.py` has all its values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.game import Game
from tests.engine import write_node_counts, write_playthroughs
from tests.engine.transcript import FOLDER, transcript, wanted

WANTED = list(wanted())
WRITE = "`python -m tests.engine.write_playthroughs` writes it; look at what has changed before you commit"


@pytest.mark.parametrize(("path", "game", "seed"), WANTED, ids=[path.stem for path, _, _ in WANTED])
def test_a_playthrough_is_unchanged(path: Path, game: Game, seed: str) -> None:
    assert path.exists(), f"{path.name} is missing: {WRITE}"
    assert transcript(game, seed) == path.read_text(encoding="utf-8"), f"{path.name} differs: {WRITE}"


def test_every_playthrough_belongs_to_a_table() -> None:
    assert set(FOLDER.glob("*.txt")) <= {path for path, _, _ in WANTED}


@pytest.mark.parametrize("write", [write_playthroughs.main, write_node_counts.main])
def test_golden_files_of_an_unknown_game_are_refused(write: Callable[[list[str]], None]) -> None:
    with pytest.raises(SystemExit, match="there is no game nosuch; there are durak, king, kryt, svoi_kozyri"):
        write(["durak", "nosuch"])
