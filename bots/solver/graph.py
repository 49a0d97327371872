"""Exact bounds of positions in games that can go round for ever.

The game has two sides, and a deal ends with 1, 0 or -1 for side 0. A deal that never ends is a draw. Proof-number
search explores the graph of positions: it prefers positions in which few moves remain to be refuted. Retrograde
analysis of the explored part then yields two bounds of each position, since either side may win an unexplored one.
Where the bounds agree, the value is exact. Only the choice of what to explore is heuristic.

The turn limit is not part of the value: near it, a deal that somebody would win may end as a draw.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Final

from engine.game import NOBODY, Game, Move

NEVER: Final = 1 << 40
"""The number of positions that a proof needs where there is none."""
LONGEST: Final = 150
"""The longest line to explore. It keeps the recursion within the stack."""

Bounds = tuple[int, int]
"""The lowest and the highest possible value."""


class GraphNode:
    """A position, and the numbers of positions that a proof and a disproof of a win need at least."""

    def __init__(self, state: Any, side: int, value: int) -> None:
        self.state = state
        self.side = side
        self.value = value
        """What side 0 gets more than side 1 at the end of the deal; 0 before."""
        self.children: list[GraphNode] = []
        self.parents: list[GraphNode] = []
        self.expanded = state is None
        self.on_path = False
        self.proof = 1
        self.disproof = 1
        self.open = 0
        """How many children the side that wins has not yet won."""
        self.won = False
        self.rank = 0
        """In how many moves at most the side that wins does so, as far as is explored."""


class GraphSearch:
    """The explored part of a game's graph. States of equal `key` have equal values."""

    def __init__(self, game: Game, key: Callable[[Any], Hashable], most_nodes: int) -> None:
        self._game = game
        self._key = key
        self._left = most_nodes
        self._nodes: dict[Hashable, GraphNode] = {}
        self._expanded: list[GraphNode] = []
        self._ends = [GraphNode(None, 0, value) for value in (0, 1, -1)]
        self._side = 0

    def bounds(self, state: Any) -> dict[Move, Bounds]:
        """Return the bounds of the value of each legal move, for the side to move."""
        root = self._node(state)
        self._expand(root)
        mine, theirs = root.side, 1 - root.side
        last = self._left
        for number, child in enumerate(root.children):
            share = last // len(root.children)
            self._explore(child, mine, self._left - share // 2)
            if child.proof:
                self._explore(child, theirs, last - share * (number + 1))
        self._solve(mine, False)
        surely_won = [child.won for child in root.children]
        self._solve(theirs, False)
        surely_lost = [child.won for child in root.children]
        self._solve(mine, True)
        perhaps_won = [child.won for child in root.children]
        self._solve(theirs, True)
        perhaps_lost = [child.won for child in root.children]
        return {
            move: (
                1 if surely_won[at] else -1 if perhaps_lost[at] else 0,
                -1 if surely_lost[at] else 1 if perhaps_won[at] else 0,
            )
            for at, move in enumerate(state.legal)
        }

    def lines(self, state: Any) -> dict[Move, list[Move]]:
        """Return by legal move with an exact value the moves of best play after it, to the end of the deal or until a
        position repeats. Who wins takes the shortest known way, and who loses the longest."""
        side, found = self._game.sides[state.to_move], self.bounds(state)
        lines = {}
        for move, (lowest, highest) in found.items():
            if lowest == highest:
                after = self._game.play(state, state.to_move, move)
                lines[move] = (
                    self._won(after, side if lowest > 0 else 1 - side) if lowest else self._drawn(after)
                )
        return lines

    def _won(self, state: Any, winner: int) -> list[Move]:
        self._solve(winner, False)
        moves: list[Move] = []
        while state.to_move != NOBODY:
            choose = min if self._game.sides[state.to_move] == winner else max
            won = [each for each in self._after(state) if each[0].won]
            _, move, state = choose(won, key=_rank_of)
            moves.append(move)
        return moves

    def _drawn(self, state: Any) -> list[Move]:
        self._solve(0, True)
        lost = {node for node in (*self._nodes.values(), *self._ends) if node.won}
        self._solve(1, True)
        moves: list[Move] = []
        seen: set[Hashable] = set()
        while state.to_move != NOBODY and self._key(state) not in seen:
            seen.add(self._key(state))
            kept = (each for each in self._after(state) if not each[0].won and each[0] not in lost)
            _, move, state = next(kept)
            moves.append(move)
        return moves

    def _after(self, state: Any) -> list[tuple[GraphNode, Move, Any]]:
        """Return the nodes and states after the legal moves."""
        seat, state = state.to_move, state._replace(moves=0)
        after = [(move, self._game.play(state, seat, move)) for move in state.legal]
        return [(self._node(child), move, child) for move, child in after]

    # The graph

    def _node(self, state: Any) -> GraphNode:
        if state.to_move == NOBODY:
            points, sides = self._game.returns(state), self._game.sides
            return self._ends[points[sides.index(0)] - points[sides.index(1)]]
        key = self._key(state)
        node = self._nodes.get(key)
        if node is None:
            node = GraphNode(state, self._game.sides[state.to_move], 0)
            self._nodes[key] = node
        return node

    def _expand(self, node: GraphNode) -> None:
        self._left -= len(node.state.legal)
        node.expanded = True
        self._expanded.append(node)
        state = node.state._replace(moves=0)
        seat, play = state.to_move, self._game.play
        for move in state.legal:
            child = self._node(play(state, seat, move))
            node.children.append(child)
            if child.state is not None:
                child.parents.append(node)

    # Exploring: depth-first proof-number search

    def _explore(self, root: GraphNode, side: int, until: int) -> None:
        """Look for a proof or a disproof that `side` wins, until only `until` nodes are left."""
        self._side = side
        for node in self._expanded:
            node.proof = node.disproof = 1
        for end in self._ends:
            won = end.value == (-1 if side else 1)
            end.proof, end.disproof = (0, NEVER) if won else (NEVER, 0)
        self._visit(root, NEVER, NEVER, 0, max(until, 0))

    def _visit(self, node: GraphNode, most_proof: int, most_disproof: int, depth: int, until: int) -> None:
        """Explore below a node until one of its numbers reaches its limit."""
        if node.state is None:
            return
        if not node.expanded:
            if self._left <= until:
                return
            self._expand(node)
        node.on_path = True
        mine = node.side == self._side
        while True:
            self._left -= 1
            # `one` counts the positions of which one suffices, `all_` those that are all needed.
            one, second, all_ = NEVER, NEVER, 0
            best: GraphNode | None = None
            for child in node.children:
                if child.on_path or (depth >= LONGEST and child.state is not None):
                    if mine:
                        continue
                    one, second, all_, best = 0, one, NEVER, None
                    break
                single, other = (child.proof, child.disproof) if mine else (child.disproof, child.proof)
                all_ += other
                if single < one:
                    one, second, best = single, one, child
                elif single < second:
                    second = single
            all_ = min(all_, NEVER)
            node.proof, node.disproof = (one, all_) if mine else (all_, one)
            if (
                best is None
                or node.proof >= most_proof
                or node.disproof >= most_disproof
                or not one
                or not all_
                or self._left <= until
            ):
                break
            limit = min(most_proof if mine else most_disproof, second + 1 + (second >> 2))
            rest = (most_disproof if mine else most_proof) - all_
            if mine:
                self._visit(best, limit, rest + best.disproof, depth + 1, until)
            else:
                self._visit(best, rest + best.proof, limit, depth + 1, until)
        node.on_path = False

    # Solving: retrograde analysis

    def _solve(self, side: int, unexplored: bool) -> None:
        """Mark the nodes from which `side` can force a win, if it wins all unexplored ones or none of them."""
        won: deque[GraphNode] = deque()
        for end in self._ends:
            end.won = end.value == (-1 if side else 1)
        for node in self._nodes.values():
            node.won, node.rank = False, 1
            if not node.expanded:
                node.won = unexplored
            elif node.side == side:
                node.won = any(child.won and child.state is None for child in node.children)
            else:
                node.open = len([child for child in node.children if not (child.state is None and child.won)])
                node.won = not node.open
            if node.won:
                won.append(node)
        while won:
            node = won.popleft()
            for parent in node.parents:
                if not parent.won:
                    parent.open -= 1
                    if parent.side == side or not parent.open:
                        parent.won, parent.rank = True, node.rank + 1
                        won.append(parent)


def _rank_of(found: tuple[GraphNode, Move, Any]) -> int:
    return found[0].rank
