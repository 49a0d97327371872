"""Random playouts of our rules and of other libraries of card games, driven from Python in one process."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Final

from bench.rules.engine import HEARTS, SECONDS, playout_of
from bench.support.measure import interleaved

ROUNDS: Final = 5


def report() -> list[str]:
    """Return the moves per second of random playouts, each library in its own game."""
    playouts = {"Kozyr, durak": playout_of("durak")}
    absent = []
    for module, row, playout in (
        ("pyspiel", "OpenSpiel, hearts", partial(playout_of, HEARTS)),
        ("rlcard", "RLCard, uno", _uno),
        ("pokerkit", "PokerKit, no-limit hold'em", _holdem),
    ):
        if find_spec(module) is None:
            absent.append(f"| {row} | skipped: {module} is not installed |")
        else:
            playouts[row] = playout()
    found = interleaved({name: partial(_rate, playout) for name, playout in playouts.items()}, rounds=ROUNDS)
    lines = ["| random playouts in one process | moves/s of processor time |", "| --- | --- |"]
    lines += [f"| {name} | {statistics.median(rates):,.0f} |" for name, rates in found.items()]
    return lines + absent


def _rate(playout: Callable[[], int]) -> float:
    moves, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        moves += playout()
    return moves / (time.process_time() - began)


def _uno() -> Callable[[], int]:
    """Return a function that plays a game of Uno with two players and returns the number of moves."""
    from rlcard.games.uno import Game

    game, choice = Game(), random.Random(1).random

    def playout() -> int:
        moves = 0
        game.init_game()
        while not game.is_over():
            legal = game.get_legal_actions()
            game.step(legal[int(choice() * len(legal))])
            moves += 1
        return moves

    return playout


def _holdem() -> Callable[[], int]:
    """Return a function that plays a hand of hold'em with checks, calls and folds, and returns the number of moves."""
    from pokerkit import Automation, NoLimitTexasHoldem

    automations = tuple(Automation)
    rng = random.Random(1)

    def playout() -> int:
        moves = 0
        hand = NoLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, (200, 200), 2)
        while hand.status:
            if hand.can_fold() and rng.random() < 0.1:
                hand.fold()
            else:
                hand.check_or_call()
            moves += 1
        return moves

    return playout
