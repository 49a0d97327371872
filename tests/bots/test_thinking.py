"""The benchmark of `search` at one second per move: groups and their report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.support import thinking
from engine.registry import GAMES


@pytest.mark.parametrize("rival_seconds", [0.0, 1e-9])
def test_a_group_is_played_for_every_side_and_counts_every_playout(rival_seconds: float) -> None:
    duel = thinking.Duel(seconds=0.0, rival_seconds=rival_seconds)
    line = thinking.group(GAMES["durak"].table(2, {}), "durak | 2 | -", 4, duel)
    assert line["table"] == "durak | 2 | -"
    assert line["group"] == 4
    assert -1 <= line["lead"] <= 1
    assert line["moves"] > 10
    assert line["playouts"] == 0


def test_stored_groups_are_not_played_again_and_count_in_the_report(tmp_path: Path) -> None:
    results = tmp_path / "results"
    lines = [
        {"table": "T", "group": n, "lead": lead, "moves": 2, "playouts": 10}
        for n, lead in enumerate((1, 0, 0.5))
    ]
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    thinking.play_on(results, 0, list(GAMES), thinking.Duel())
    assert thinking.read(results) == lines
    # The 97.5 % quantile of Student's t with two degrees of freedom is 4.303.
    assert list(thinking.report(results))[2:] == ["| T | 5 | 3 | +0.500 ± 1.242 |"]
