"""Random playouts with lists of legal moves, in moves per second on one core, compared with OpenSpiel's C++ hearts.

Python drives all games in the same way: deal, then list the legal moves, pick one at random and apply it, to the end.
On both sides the time covers whole playouts including the deal, and the count covers the moves of players. Chance moves
don't count; OpenSpiel's hearts deals its pack in 52 of them. Our engine checks every move for legality again when it is
played.

Our engine is measured in plain Python, and compiled by mypyc (`tools/compile_engine.py`) if there is a C compiler.
Each build has its own process, and hearts shares the first one. The processes take turns. The unit of time is processor
time, which other work on the machine disturbs less than wall-clock time.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from bench.support.measure import at_least, interleaved, ratio
from engine.game import NOBODY
from engine.registry import GAMES
from tools import compile_engine

SECONDS = 0.4
HEARTS = "hearts"


def report() -> list[str]:
    """Return the lines of the table."""
    if find_spec("pyspiel") is None:
        return [
            "OpenSpiel is not installed here (`make bench` installs it if it has a wheel), so there is no ratio."
        ]
    builds = {"pure": compile_engine.ROOT}
    try:
        compile_engine.build()
        builds["compiled"] = compile_engine.FOLDER
    except compile_engine.CannotBuild as trouble:
        print(f"Without the compiled rules: {trouble}", file=sys.stderr)
    players = {name: BenchPlayer(folder) for name, folder in builds.items()}
    measures = {HEARTS: partial(players["pure"].rate, HEARTS)}
    for game in GAMES:
        for build, player in players.items():
            measures[f"{game} {build}"] = partial(player.rate, game)
    try:
        found = interleaved(measures)
    finally:
        for player in players.values():
            player.end()
    return _table(found, list(builds))


def _table(found: dict[str, list[float]], builds: list[str]) -> list[str]:
    heads = [f"{build}, moves/s | beside hearts" for build in builds]
    lines = [
        " | ".join(["| random playouts with legal moves", *heads, "the last, at least"]) + " |",
        "| --- |" + " --- | --- |" * len(builds) + " --- |",
    ]
    for game, cls in GAMES.items():
        cells = [f"| {game}, {cls.seat_counts[0]} players"]
        for build in builds:
            rates = found[f"{game} {build}"]
            cells += [f"{statistics.median(rates):,.0f}", f"{ratio(rates, found[HEARTS]):.2f}"]
        cells.append(at_least(ratio(found[f"{game} {builds[-1]}"], found[HEARTS]), 1.0))
        lines.append(" | ".join(cells) + " |")
    hearts = f"{statistics.median(found[HEARTS]):,.0f}"
    return [*lines, f"| OpenSpiel hearts | {hearts} | 1.00 |" + " | |" * (len(builds) - 1) + " |"]


class BenchPlayer:
    """A process that plays with the engine in a given folder."""

    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join([str(folder), str(compile_engine.ROOT)])
        self._process = subprocess.Popen(
            # -P keeps the current folder, which has the uncompiled engine, off the path.
            [sys.executable, "-P", "-m", "bench.rules.engine"],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def rate(self, game: str) -> float:
        """Return the moves per second of this game."""
        assert self._process.stdin
        assert self._process.stdout
        print(game, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


def playout_of(name: str) -> Callable[[], int]:
    """Return a function that plays one deal of a game, or of `HEARTS`, and returns the number of moves."""
    return _hearts() if name == HEARTS else _playouts(name)


def _playouts(name: str) -> Callable[[], int]:
    """Return a function that plays one deal with the fewest players and returns the number of moves."""
    cls = GAMES[name]
    game = cls.table(cls.seat_counts[0], {})
    choice, play = random.Random(1).random, game.play
    deck, number = list(game.pack), 0

    def playout() -> int:
        """Play a deal. Sorting by random keys is a uniform shuffle in half the time of `shuffle`."""
        nonlocal number
        moves, number = 0, number % 12 + 1
        deck.sort(key=lambda card: choice())
        state = game.deal(number, 0, deck)
        while state.to_move != NOBODY:
            legal = state.legal
            state = play(state, state.to_move, legal[int(choice() * len(legal))])
            moves += 1
        return moves

    return playout


def _hearts() -> Callable[[], int]:
    """Return a function that plays one deal of OpenSpiel's hearts and returns the number of moves."""
    import pyspiel

    game = pyspiel.load_game("hearts")
    choice = random.Random(1).random

    def playout() -> int:
        moves, state = 0, game.new_initial_state()
        while state.is_chance_node():
            actions = state.legal_actions()
            state.apply_action(actions[int(choice() * len(actions))])
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(choice() * len(legal))])
            moves += 1
        return moves

    return playout


def _answer() -> None:
    """Read a game per line and print the moves per second of its playouts."""
    playouts: dict[str, Callable[[], int]] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in playouts:
            playouts[name] = playout_of(name)
        playout, moves = playouts[name], 0
        start = time.process_time()
        while time.process_time() - start < SECONDS:
            moves += playout()
        print(moves / (time.process_time() - start), flush=True)


if __name__ == "__main__":
    _answer()
