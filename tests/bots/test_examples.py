"""The example bots: the README shows the first one, all play legally, and the careful one plays well."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.game import CHANCE
from engine.match import Match
from engine.registry import GAMES
from examples import careful_bot
from kozyr_client import Turn
from tests.bots.fake_service import LOST_AFTER, FaultyService
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


@contextmanager
def running(example: str, url: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run an example with a URL and a token."""
    command, environment = (
        [sys.executable, str(EXAMPLES / example)],
        {"KOZYR_URL": url, "KOZYR_TOKEN": "token"},
    )
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def turn_of(match: Match, state: Any, seat: int) -> Turn:
    """Return a turn as the service would send it."""
    seen = match.view(state, seat)
    return Turn({"match": "m", "turn": 1, "seat": seat, "observation": seen, "deadline": None})


def play_out(match: Match, players: list[Callable[[Turn], str]], rng: random.Random) -> tuple[int, ...]:
    """Return the scores of a match between these choosers."""
    state = match.begin()
    while not state.over:
        if state.to_move == CHANCE:
            deck = list(match.game.pack)
            rng.shuffle(deck)
            state = match.deal(state, deck)
            continue
        seat = state.to_move
        turn = turn_of(match, state, seat)
        move = players[seat](turn)
        assert move in turn.legal_moves + turn.free_moves
        state = match.play(state, seat, match.parse(state, seat, move))
    return state.scores


def test_the_first_bot_has_at_most_fifteen_lines_and_the_readme_shows_it() -> None:
    source = (EXAMPLES / "first_bot.py").read_text()
    assert len(source.splitlines()) <= 15
    assert f"```python\n{source}```\n" in (ROOT / "README.md").read_text()


def test_the_targets_of_links_in_the_readme_exist() -> None:
    targets = re.findall(r"\]\(([^):#]+)[^):]*\)", (ROOT / "README.md").read_text())
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("example", ["first_bot.py", "careful_bot.py"])
def test_an_example_plays_all_its_matches_given_a_url_and_a_token(example: str) -> None:
    service = FaultyService(3, 2)
    service.troubles.extend([None, LOST_AFTER])
    with service.serve() as url, running(example, url) as process:
        eventually(lambda: service.all_over, f"{example} has played")
        assert process.poll() is None, "it waits for more"


def test_the_first_bot_ends_quietly_after_ctrl_c() -> None:
    service = FaultyService(1)
    with service.serve() as url, running("first_bot.py", url) as process:
        eventually(lambda: service.all_over, "it has played")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_the_careful_bot_ends_quietly_when_terminated() -> None:
    service = FaultyService(1)
    with service.serve() as url, running("careful_bot.py", url) as process:
        eventually(lambda: service.all_over, "it has played")
        process.terminate()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.endswith(b"stopped\n")


@pytest.mark.parametrize("seats", [2, *(pytest.param(seats, marks=pytest.mark.ci) for seats in (3, 6))])
@pytest.mark.parametrize(
    "options", [{}, {"batch_attacks": True}, {"transfer": True}, {"lowest_rank": "2"}], ids=str
)
def test_the_careful_bot_loses_less_often_than_chance(seats: int, options: dict[str, Any]) -> None:
    rng = random.Random(20)
    match = Match(GAMES["durak"].table(seats, options), 60)

    def at_random(turn: Turn) -> str:
        return rng.choice(turn.legal_moves + turn.free_moves)

    scores = play_out(match, [careful_bot.choose, *[at_random] * (seats - 1)], rng)
    assert -scores[0] < 60 / seats / 2


def test_the_careful_bot_beats_with_its_cheapest_card_and_saves_a_high_trump() -> None:
    seen = {
        "game": "durak", "question": "defend", "trump": "S", "talon": 12, "taking": False,
        "hand": ["9H", "KH", "AS"], "pairs": [["7H", None]],
    }  # fmt: skip
    assert careful_bot.defend(["beat 7H KH", "beat 7H 9H", "beat 7H AS", "take"], seen) == "beat 7H 9H"
    seen["hand"] = ["AS", "6C"]
    assert careful_bot.defend(["beat 7H AS", "take"], seen) == "take"
    assert careful_bot.defend(["beat 7H AS", "take"], {**seen, "talon": 0}) == "beat 7H AS"
