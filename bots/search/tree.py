"""Information-set Monte Carlo tree search: one tree for the searching seat, and a new determinization each time.

This is the single-observer algorithm of Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search"
(2012). Each iteration draws a determinization and selects only among the moves that are legal in it, by UCB1 with the
number of times that a move was available. Without hidden cards, as in Besikovich's game, it is plain tree search. A
node first considers the few most promising of many moves, and more of them as its visits grow (progressive widening).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from bots.search.budget import Meter
from bots.search.race import PlayoutPolicy, playout
from bots.search.score import Score
from bots.search.settings import SearchSettings
from engine.game import NOBODY, Game, Move


class _Node:
    __slots__ = ("available", "children", "total", "visits")

    def __init__(self) -> None:
        self.visits, self.available, self.total = 0, 0, 0.0
        self.children: dict[Move, _Node] = {}


class Tree:
    """One tree. `moves` are the moves at the root; the first is the default, which is played in doubt."""

    def __init__(
        self,
        game: Game,
        seat: int,
        moves: Sequence[Move],
        player: PlayoutPolicy,
        candidates: Callable[[Game, Any, int], Sequence[Move]],
        settings: SearchSettings,
    ) -> None:
        self._game, self._seat, self._moves = game, seat, list(moves)
        self._player, self._candidates, self._settings = player, candidates, settings
        self._score = Score(game)
        self._root = _Node()
        self._low, self._high = math.inf, -math.inf

    def run(self, draw: Callable[[], Any], meter: Meter) -> Move:
        while meter.more():
            self._iterate(draw())
        children = self._root.children
        return max(self._moves, key=lambda move: children[move].visits if move in children else -1)

    def _iterate(self, state: Any) -> None:
        node, path = self._root, []
        while state.to_move != NOBODY:
            seat = state.to_move
            moves = self._moves if node is self._root else self._wide(state, node)
            fresh = [move for move in moves if move not in node.children]
            if fresh:
                move = fresh[0]
                child = node.children[move] = _Node()
            else:
                move, child = self._choose(node, moves)
            for other in moves:
                if other in node.children:
                    node.children[other].available += 1
            state = self._game.play(state, seat, move)
            path.append((seat, child))
            node = child
            if fresh:
                break
        scores = self._score.values(playout(self._game, state, self._player, self._settings.longest))
        self._low, self._high = min(self._low, *scores), max(self._high, *scores)
        self._root.visits += 1
        for seat, child in path:
            child.visits += 1
            child.total += scores[seat]

    def _wide(self, state: Any, node: _Node) -> Sequence[Move]:
        width = 2 + int(math.sqrt(node.visits))
        if len(state.legal) <= 4:
            return state.legal  # type: ignore[no-any-return]  # the state of any game
        quick = self._player(state)
        promising = [move for move in self._candidates(self._game, state, width) if move != quick]
        return [quick, *promising[: width - 1]]

    def _choose(self, node: _Node, moves: Sequence[Move]) -> tuple[Move, _Node]:
        spread = (self._high - self._low) or 1.0
        weight = self._settings.explore * spread
        best, chosen = -math.inf, moves[0]
        for move in moves:
            child = node.children[move]
            bound = child.total / child.visits + weight * math.sqrt(
                math.log(child.available + 1) / child.visits
            )
            if bound > best:
                best, chosen = bound, move
        return chosen, node.children[chosen]
