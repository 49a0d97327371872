"""The search bot. Without a determinization that agrees with the history, it logs a warning and plays as `greedy`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from bots.house.greedy import HEURISTICS, GreedyBot
from bots.search.budget import Budget, Meter
from bots.search.determinization import Determinizer, Events, NoDeterminization
from bots.search.policies import POLICIES, GamePolicy
from bots.search.race import MOST, Race
from bots.search.tree import Tree
from bots.solver import Unsolvable, solve
from engine.game import Game, Move

VERSION = "3"
SOLVED_NODES = 30_000
"""How many nodes the bot spends on an exact solution before it searches instead; not compiled, half a second."""

log = logging.getLogger(__name__)


class SearchBot:
    """Information-set Monte Carlo search within a budget, which it always uses up. It is stateless."""

    def __init__(self, name: str, budget: Budget) -> None:
        self.name = name
        self.version = VERSION
        self._budget = budget
        self._greedy = GreedyBot(HEURISTICS)

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Events,
        rng: Random,
    ) -> str:
        """Return a legal or free move. `history` holds the seat's events, at least those of the deal in progress."""
        meter = self._budget.start()
        quick = self._greedy.choose(game, observation, legal_moves, rng)
        policy = POLICIES.get(game.id)
        chosen = quick
        if policy is not None:
            try:
                determinizer = Determinizer(game, policy.read, observation, history)
                chosen = self._search(policy, determinizer, quick, rng, meter)
            except NoDeterminization as why:
                log.warning("playing a move of %s as greedy: %s", game.id, why)
        meter.finish()
        return chosen if chosen in legal_moves or chosen in observation.get("free_moves", ()) else quick

    def _search(
        self, policy: GamePolicy, determinizer: Determinizer, quick: str, rng: Random, meter: Meter
    ) -> str:
        game = determinizer.game
        state = determinizer.draw(rng)
        moves = list(policy.candidates(game, state, MOST))
        safe = game.parse(state, determinizer.seat, quick)
        moves = _best(game, state, [safe, *[move for move in moves if move != safe]])
        if len(moves) == 1:
            return game.text(state, moves[0])
        if policy.nothing_hidden(game, state):
            return game.text(state, Tree(game, state, moves, policy, rng).run(meter))
        race = Race(game, determinizer.seat, moves, policy.player(game, rng))
        return game.text(state, race.run(lambda: determinizer.draw(rng), meter))


def _best(game: Game, state: Any, moves: list[Move]) -> list[Move]:
    """Return those of the moves that lose nothing against any play, as far as the position can be solved.

    In the other games the time is better spent on the search.
    """
    if game.id != "durak":
        return moves
    try:
        solution = solve(game, state, SOLVED_NODES)
    except Unsolvable:
        return moves
    if solution is None:
        return moves
    return [move for move in moves if move in solution.best] or [solution.best[0]]
