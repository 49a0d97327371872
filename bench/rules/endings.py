"""Processor time to find the values of all moves in endings of Durak for two: a bout begins, and the talon is empty.

The endings come from deals that `greedy` plays against itself. One that is out of reach counts as endless.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Iterator
from itertools import count, islice
from typing import Any, Final

from bench.support.measure import at_most, percentile
from bots.house import HOUSE_BOTS
from bots.solver import solve
from engine.game import NOBODY
from engine.games.durak import Durak

ENDINGS: Final = 31
SECONDS: Final = {14: 1, 16: 10}
"""By number of cards, what the median may take."""
NODES: Final = 5_000_000
TABLE: Final = Durak.table(2, {})


def report() -> list[str]:
    """Return the lines of the table."""
    lines = ["| endings of Durak for two | positions | median, s | 90 % within, s | median at most |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for cards, most in SECONDS.items():
        times = [_seconds(state) for state in islice(_endings(cards), ENDINGS)]
        median, late = statistics.median(times), percentile(times, 0.9)
        lines.append(
            f"| {cards} cards | {len(times)} | {median:.3f} | {late:.3f} | {at_most(median, most)} |"
        )
    return lines


def _seconds(state: Any) -> float:
    before = time.process_time()
    solved = solve(TABLE, state, NODES)
    return math.inf if solved is None else time.process_time() - before


def _endings(cards: int) -> Iterator[Any]:
    """Yield the endings of this many cards that the deals reach, one of a deal at most."""
    greedy = HOUSE_BOTS["greedy"]
    for number in count():
        rng = random.Random(number)
        state = TABLE.deal(1, 0, rng.sample(TABLE.pack, len(TABLE.pack)))
        while (seat := state.to_move) != NOBODY:
            seen = TABLE.observe(state, seat)
            if seen["question"] == "attack" and not seen["talon"] and sum(seen["hand_sizes"]) == cards:
                yield state
                break
            legal = [TABLE.text(state, move) for move in state.legal]
            text = greedy.choose(TABLE, {**seen, "legal_moves": legal, "free_moves": []}, legal, rng)
            state = TABLE.play(state, seat, TABLE.parse(state, seat, text))
