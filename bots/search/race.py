"""Flat Monte Carlo search: a race between the moves, over the same determinizations.

Each round draws a determinization, makes every remaining move in it, and plays the deal out with the playout policy.
Comparing moves on the same cards is far more precise than on different ones. A move that is clearly behind the leader
drops out. The default stays, and is played unless the lead over it is statistically significant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from bots.search.budget import Meter
from bots.search.policies import GamePolicy, PlayoutPolicy
from engine.game import NOBODY, Game, Move


class Playouts:
    """Playouts at one table, and the values of their ends."""

    def __init__(
        self,
        game: Game,
        policy: GamePolicy,
        rng: Random,
        depth: int | None = None,
        player: PlayoutPolicy | None = None,
    ) -> None:
        """`depth` is the number of moves after which a playout may end at an estimate. It and `player` are the
        policy's by default."""
        self._game, self._estimate = game, policy.estimate
        self._depth = policy.depth if depth is None else depth
        self.player = player or policy.player(game, rng)
        sides = game.sides
        seats = range(game.seats)
        self._others = [[other for other in seats if sides[other] != sides[seat]] for seat in seats]

    def points(self, state: Any) -> Sequence[float]:
        """Play on, and return the points by seat at the end of the deal or at the first estimate.

        A playout without an end counts as a draw.
        """
        game, player, depth = self._game, self.player, self._depth
        play, estimate = game.play, self._estimate
        for made in range(LONGEST):
            seat = state.to_move
            if seat == NOBODY:
                return game.returns(state)
            if made >= depth:
                points = estimate(game, state)
                if points is not None:
                    return points
            state = play(state, seat, player(state))
        return game.returns(state) if state.to_move == NOBODY else [0.0] * game.seats

    def value(self, points: Sequence[float], seat: int) -> float:
        """Return by how much the points of a seat exceed the average of its opponents."""
        others = self._others[seat]
        return points[seat] - sum([points[other] for other in others]) / len(others)

    def values(self, points: Sequence[float]) -> list[float]:
        return [self.value(points, seat) for seat in range(self._game.seats)]


WARM: Final = 8
"""The number of rounds before moves first drop out. Later checks follow after a quarter more rounds, at least 4."""
BEHIND: Final = 2.0
"""The number of standard errors behind the leader at which a move drops out."""

MOST: Final = 16
"""The highest number of moves to consider."""
DARE: Final = 1.0
"""The lead over the default, in standard errors, that another move needs to be played."""
LONGEST: Final = 400
"""The number of moves after which a playout is cut short."""


def playout(game: Game, state: Any, player: PlayoutPolicy, longest: int) -> Any:
    """Return the state after playing the deal to its end, or for at most `longest` moves."""
    play = game.play
    for _ in range(longest):
        seat = state.to_move
        if seat == NOBODY:
            break
        state = play(state, seat, player(state))
    return state


class Race:
    """One race. The first of `moves` is the default, which is played in doubt."""

    def __init__(
        self, game: Game, seat: int, moves: Sequence[Move], playouts: Playouts, dare: float = DARE
    ) -> None:
        self._game, self._seat, self._playouts, self._dare = game, seat, playouts, dare
        self._moves = list(moves)
        self._running = list(range(len(moves)))
        self._scores: list[list[float]] = [[] for _ in moves]
        self._sifted = WARM

    def run(self, draw: Callable[[], Any], meter: Meter) -> Move:
        while meter.more():
            dealt = draw()
            for place, one in enumerate(self._running):
                if place and not meter.more():
                    break
                self._scores[one].append(self._try(dealt, self._moves[one]))
            else:
                self._drop()
        return self._moves[self._best()]

    def _try(self, dealt: Any, move: Move) -> float:
        state = self._game.play(dealt, self._seat, move)
        return self._playouts.value(self._playouts.points(state), self._seat)

    def _ahead(self, one: int, other: int) -> tuple[float, float]:
        """Return the mean lead of a move over another in the determinizations of both, and its standard error."""
        pairs = list(zip(self._scores[one], self._scores[other], strict=False))
        rounds = len(pairs)
        if rounds < 2:
            return 0.0, math.inf
        leads = [mine - theirs for mine, theirs in pairs]
        mean = sum(leads) / rounds
        spread = sum([(lead - mean) ** 2 for lead in leads]) / (rounds - 1)
        return mean, math.sqrt((spread + 1e-9) / rounds)

    def _leader(self) -> int:
        rounds = min(len(self._scores[one]) for one in self._running)
        return max(self._running, key=lambda one: sum(self._scores[one][:rounds]))

    def _drop(self) -> None:
        rounds = len(self._scores[self._running[0]])
        if rounds < self._sifted or len(self._running) < 2:
            return
        self._sifted = rounds + max(4, rounds // 4)
        leader = self._leader()
        kept = []
        for one in self._running:
            ahead, error = self._ahead(leader, one)
            if one in (0, leader) or ahead <= BEHIND * error:
                kept.append(one)
        self._running = kept

    def _best(self) -> int:
        leader = self._leader()
        if leader:
            ahead, error = self._ahead(leader, 0)
            if ahead < self._dare * error:
                return 0
        return leader
