"""Tree search in positions in which nothing is hidden: Monte Carlo with upper confidence bounds (UCT).

A branch is a move after the moves above it. Each round walks down the tree by the branches with the highest bounds,
adds one, and plays the deal out with the playout policy. So the tree learns how the other side answers, where the race
leaves that to the policy. A branch considers more moves the more often it is visited. Ends of the deal prove the
results of the branches above them, and the search does not visit these again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from bots.search.budget import Meter
from bots.search.policies._open_piles import IN_PROGRESS, LONGEST, OpenPiles
from engine.game import Move

CURIOSITY: Final = 1.2
"""The weight of the uncertainty of a branch."""
UNPROVEN: Final = IN_PROGRESS


class Branch:
    """A move in the tree. Its total is the sum of the values for the seat that made it."""

    def __init__(self, move: Move) -> None:
        self.move = move
        self.visits = 0
        self.total = 0.0
        self.proven = UNPROVEN
        """The result for the seat that made the move, once it is proven."""
        self.moves: Sequence[Move] = ()
        """The moves to consider after it, once it was visited."""
        self.complete = False
        """Whether these are all legal moves."""
        self.branches: list[Branch] = []
        """The branches of the first of these moves."""


class Tree:
    """One search from a position for the seat to move. The first of `moves` is played without any time."""

    def __init__(self, position: OpenPiles, moves: Sequence[Move]) -> None:
        self._position = position
        self._root = Branch(moves[0])
        self._root.moves, self._root.complete = moves, True

    def run(self, meter: Meter) -> Move:
        """Search within the budget and return a proven win, or else the most visited move that is no proven loss."""
        root = self._root
        while root.proven == UNPROVEN and meter.more():
            self._round()
        return max(root.branches, key=_preference, default=root).move

    def _round(self) -> None:
        position, branch = self._position.copy(), self._root
        path = [branch]
        value = 0.0
        while len(path) < LONGEST:
            branch = self._following(branch, position)
            path.append(branch)
            if branch.proven == UNPROVEN:
                position.play(branch.move)
                branch.proven = position.result
            if branch.proven != UNPROVEN:
                value = float(branch.proven)
                self._prove(path)
                break
            if not branch.visits:
                value = -float(position.play_on())
                break
        for passed in reversed(path):
            passed.visits += 1
            passed.total += value
            value = -value

    def _following(self, branch: Branch, position: OpenPiles) -> Branch:
        """Return the branch with the highest bound, or a new one for the next move to consider."""
        if not branch.moves:
            branch.moves = position.candidates()
            branch.complete = len(branch.moves) == position.count()
        branches, best, highest = branch.branches, branch, -math.inf
        unsure = CURIOSITY * math.sqrt(math.log(branch.visits + 1))
        for following in branches:
            bound = float(following.proven)
            if following.proven == UNPROVEN:
                bound = following.total / following.visits + unsure / math.sqrt(following.visits)
            if bound > highest:
                best, highest = following, bound
        considered = len(branches)
        if considered < len(branch.moves) and (highest <= -1 or considered * considered <= branch.visits):
            best = Branch(branch.moves[considered])
            branches.append(best)
        return best

    def _prove(self, path: Sequence[Branch]) -> None:
        """Prove what follows from the last branch of a path: a win from one move, other results from all moves."""
        for branch in reversed(path[:-1]):
            results = [following.proven for following in branch.branches]
            decided = branch.complete and len(results) == len(branch.moves) and UNPROVEN not in results
            if 1 not in results and not decided:
                return
            branch.proven = -1 if 1 in results else -max(results)


def _preference(branch: Branch) -> float:
    return branch.visits if branch.proven in (UNPROVEN, 0) else math.inf * branch.proven
