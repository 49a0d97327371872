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
from bots.search.race import MOST, Playouts, Race
from bots.search.tree import Tree
from bots.solver import Bounds, TooLong, Unsolvable, bounds
from bots.solver.durak import last_two
from engine.game import Game, Move

VERSION = "6"
SOLVED_NODES = 30_000
"""The most nodes that the bot spends on an ending of Durak; not compiled, half a second for two players."""
FEW = 4
"""The most cards of the smaller hand in a pile game that the bot tries to solve. Larger ones are hardly ever solved."""
TRIAL = 250
"""The nodes of a first attempt, which tells how many nodes there is time for. In pile games it is the only one: more
would take too much from the search."""
SOLVING = 0.9
"""The share of the budget that may go into the exact solution."""

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
                doubting = game.seats > 2  # it brought no lead for two
                determinizer = Determinizer(
                    game, policy.read, observation, history, doubting=doubting, redeal=policy.redeal
                )
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
        safe = policy.default(game, state)
        if safe is None:
            safe = game.parse(state, determinizer.seat, quick)
        moves = _best(game, state, [safe, *[move for move in moves if move != safe]], meter)
        if len(moves) == 1:
            return game.text(state, moves[0])
        position = policy.position(game, state, rng)
        if position is not None:
            return game.text(state, Tree(position, moves).run(meter))
        playouts = Playouts(game, policy, rng, player=policy.racer(game, rng))
        race = Race(game, determinizer.seat, moves, playouts)
        return game.text(state, race.run(lambda: determinizer.draw(rng), meter))


def solved_nodes(game: Game, state: Any) -> int:
    """Return how many nodes the bot spends on the exact values of a position at most."""
    if len(set(game.sides)) > 2:
        return 0
    if game.id == "durak":
        return SOLVED_NODES
    return TRIAL if min([hand.bit_count() for hand in state.hands if hand]) <= FEW else 0


def _best(game: Game, state: Any, moves: list[Move], meter: Meter) -> list[Move]:
    """Return those of the moves that may be best against any play, as far as the position can be solved in time."""
    if game.id == "durak":
        game, state = last_two(game, state)
    most = solved_nodes(game, state)
    found: Mapping[Move, Bounds] = {}
    if most:
        before = meter.used()
        found = _bounds(game, state, TRIAL)
        now = meter.used()
        if most > TRIAL and (not found or any(lowest < highest for lowest, highest in found.values())):
            left = int(TRIAL * (SOLVING - now) / (now - before)) if now > before else most
            if left > TRIAL:
                found = _bounds(game, state, min(left, most)) or found
    if not found:
        return moves
    sure = max(found, key=lambda move: found[move][0])
    return [move for move in moves if found[move][1] >= found[sure][0]] or [sure]


def _bounds(game: Game, state: Any, nodes: int) -> Mapping[Move, Bounds]:
    """Return the bounds of the legal moves, or nothing where none are known."""
    try:
        return bounds(game, state, nodes)
    except (TooLong, Unsolvable):
        return {}
