"""The examples for arenas of language models, played with the frameworks themselves and scripted models.

`make arenas` installs the frameworks and runs this.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.registry import GAMES
from tests.clients.languages import run
from tests.live.league import LiveLeague
from tests.support.live import ROOT, LiveService

PYTHON = ROOT / "build" / "arenas" / "bin" / "python"
PROGRAMS = Path(__file__).parent / "programs"
PATHS = (ROOT, ROOT / "clients" / "python" / "src", ROOT / "examples" / "arenas", PROGRAMS)

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(not PYTHON.exists(), reason="the frameworks are not installed: run `make arenas`"),
]


def printed(program: str, *arguments: str, folder: Path, **environment: str) -> Any:
    """Return the JSON in the last line that a program prints."""
    environment = {
        "PYTHONPATH": ":".join(map(str, PATHS)),
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "true",
        **environment,
    }
    text = run([str(PYTHON), str(PROGRAMS / program), *arguments], folder, within=300, **environment)
    return json.loads(text.strip().splitlines()[-1])


@pytest.mark.parametrize("game", GAMES)
def test_textarena_plays_a_match_and_ends_one_with_a_seat_that_writes_no_move(
    game: str, tmp_path: Path
) -> None:
    seats = min(GAMES[game].seat_counts)
    played, again, talked = printed("play_textarena.py", game, str(seats), folder=tmp_path)
    assert played == again
    assert set(played.values()) <= {-1, 0, 1}
    assert sorted(talked.values()) == [-1] + [1] * (seats - 1)


@pytest.mark.parametrize("game", GAMES)
def test_verifiers_plays_a_match_against_a_house_bot(game: str, tmp_path: Path) -> None:
    reward, turns, is_ok = printed("play_verifiers.py", game, folder=tmp_path)
    assert (is_ok, 0 <= reward <= 1) == (True, True)
    assert turns > 2


@pytest.mark.parametrize("game", ["kozyr_durak(batch_attacks=True)", "kozyr_king"])
def test_kaggles_harness_asks_a_model_and_scores_the_match(game: str, tmp_path: Path) -> None:
    seats = 4 if "king" in game else 2
    ends = printed("play_kaggle.py", game, str(seats), folder=tmp_path)
    assert [status for status, _ in ends] == ["DONE"] * seats
    rewards = [reward for _, reward in ends]
    assert sum(rewards) == 0 if "king" in game else sorted(rewards) in ([-1, 0], [0, 0])


@pytest.mark.live
@pytest.mark.parametrize("game", ["durak", "svoi_kozyri"])
def test_inspect_evaluates_a_model_over_mcp(service: LiveService, game: str, tmp_path: Path) -> None:
    league = LiveLeague(service, f"inspect-{game.replace('_', '-')}")
    bot = league.bot("model")
    settings = {"KOZYR_URL": service.url, "KOZYR_TOKEN": bot.token}
    scores = printed("play_inspect.py", game, str(tmp_path / "logs"), folder=tmp_path, **settings)
    assert len(scores) == 2
    for value, about in scores:
        match = league.get(f"/v1/matches/{about['match']}", bot.token)
        assert (match["game"], match["ending"]) == (game, "rules")
        own, other = match["places"][match["seat"]], match["places"][1 - match["seat"]]
        assert value == (0.5 if own == other else float(own < other))
