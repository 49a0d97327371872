"""Checked random playouts with legal-move lists, moves a second on one core, beside OpenSpiel's C++ hearts.

Both are driven from Python in the same way: ask for the legal moves, pick one at random, apply it. Ours checks
every move for legality again when it is played.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

from bench.measure import interleaved, ratio
from engine.game import NOBODY, Game
from engine.registry import GAMES

SECONDS = 0.4


def report() -> list[str]:
    """The lines of the table."""
    tables = {
        f"{name}, {cls.seat_counts[0]} players": cls.table(cls.seat_counts[0], {})
        for name, cls in GAMES.items()
    }
    measures: dict[str, Callable[[], float]] = {name: _playouts(game) for name, game in tables.items()}
    hearts = _hearts()
    if hearts is None:
        return [
            "OpenSpiel is not installed here (`make bench` installs it where it can), so there is no ratio."
        ]
    measures["OpenSpiel hearts"] = hearts
    found = interleaved(measures)
    lines = ["| random playouts with legal moves | moves/s | beside hearts |", "| --- | --- | --- |"]
    for name, rates in found.items():
        lines.append(
            f"| {name} | {statistics.median(rates):,.0f} | {ratio(rates, found['OpenSpiel hearts']):.2f} |"
        )
    return lines


def _playouts(game: Game) -> Callable[[], float]:
    rng = random.Random(1)

    def measure() -> float:
        moves = 0
        number = 0
        deck = list(game.pack)
        choice, play = rng.random, game.play
        start = time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            rng.shuffle(deck)
            number = number % 12 + 1
            state = game.deal(number, 0, deck)
            while state.to_move != NOBODY:
                legal = state.legal
                state = play(state, state.to_move, legal[int(choice() * len(legal))])
                moves += 1
        return moves / (time.perf_counter() - start)

    return measure


def _hearts() -> Callable[[], float] | None:
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("hearts")
    rng = random.Random(1)

    def measure() -> float:
        moves = 0
        choice = rng.random
        spent = 0.0
        while spent < SECONDS:
            state = game.new_initial_state()
            # Its deal is 52 chance moves of its own; only players' moves are timed, as with us.
            while state.is_chance_node():
                actions = state.legal_actions()
                state.apply_action(actions[int(choice() * len(actions))])
            start = time.perf_counter()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(choice() * len(legal))])
                moves += 1
            spent += time.perf_counter() - start
        return moves / spent

    return measure
