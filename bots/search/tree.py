"""Tree search in positions in which nothing is hidden: Monte Carlo with upper confidence bounds (UCT).

A branch is a move after the moves above it. Each round walks down the tree by the branches with the highest bounds,
adds one, and plays the deal out with the playout policy. So the tree learns how the other side answers, where the race
leaves that to the policy. A branch considers more moves the more often it is visited.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from bots.search.budget import Meter
from bots.search.policies import GamePolicy
from bots.search.race import LONGEST, MOST, Playouts
from engine.game import NOBODY, Game, Move

CURIOSITY: Final = 0.6
"""The weight of the uncertainty of a branch, as a share of the range of values."""


class Branch:
    """A move in the tree. Its total is the sum of the values for the seat that made it."""

    def __init__(self) -> None:
        self.visits = 0
        self.total = 0.0
        self.branches: dict[Move, Branch] = {}


class Tree:
    """One search from a state for the seat to move. The first of `moves` is played without any time."""

    def __init__(
        self, game: Game, state: Any, moves: Sequence[Move], policy: GamePolicy, rng: Random
    ) -> None:
        self._game, self._state, self._moves, self._policy = game, state, moves, policy
        self._playouts = Playouts(game, policy, rng)
        self._root = Branch()
        self._least, self._most = math.inf, -math.inf

    def run(self, meter: Meter) -> Move:
        """Search within the budget and return the most visited move."""
        while meter.more():
            self._round()
        branches = self._root.branches
        return max(self._moves, key=lambda move: branches[move].visits if move in branches else 0)

    def _round(self) -> None:
        branch, state = self._root, self._state
        path: list[tuple[Branch, int]] = [(branch, state.to_move)]
        while state.to_move != NOBODY and len(path) < LONGEST:
            seat = state.to_move
            move = self._pick(branch, self._considered(branch, state))
            state = self._game.play(state, seat, move)
            following = branch.branches.get(move)
            if following is None:
                branch.branches[move] = following = Branch()
                path.append((following, seat))
                break
            branch = following
            path.append((branch, seat))
        values = self._playouts.values(self._playouts.points(state))
        self._least, self._most = min(self._least, *values), max(self._most, *values)
        for branch, seat in path:
            branch.visits += 1
            branch.total += values[seat]

    def _considered(self, branch: Branch, state: Any) -> Sequence[Move]:
        """Return the moves to consider, the policy's own choice first."""
        if branch is self._root:
            return self._moves
        first = self._playouts.player(state)
        width = int(math.sqrt(branch.visits))
        if not width or len(state.legal) == 1:
            return (first,)
        others = [move for move in self._policy.candidates(self._game, state, MOST) if move != first]
        return (first, *others[:width])

    def _pick(self, branch: Branch, moves: Sequence[Move]) -> Move:
        """Return the first move without a branch, or else the one with the highest bound."""
        best, highest = moves[0], -math.inf
        unsure = CURIOSITY * max(self._most - self._least, 1e-9) * math.sqrt(math.log(branch.visits + 1))
        for move in moves:
            following = branch.branches.get(move)
            if following is None:
                return move
            bound = following.total / following.visits + unsure / math.sqrt(following.visits)
            if bound > highest:
                best, highest = move, bound
        return best
