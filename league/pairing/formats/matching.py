"""Maximum matchings in general graphs: J. Edmonds, "Paths, trees, and flowers", Canadian Journal of Mathematics 17
(1965).

A breadth-first search for augmenting paths with contracted blossoms, in O(V³).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

NOBODY: Final = -1


class Matching:
    """A maximum matching of a graph. It stays maximum while vertices are removed."""

    def __init__(self, neighbours: Sequence[Sequence[int]]) -> None:
        """Match the graph in which `neighbours` lists the neighbours of each vertex, in the order of preference."""
        self._neighbours = neighbours
        self._gone = [False] * len(neighbours)
        self.mate = [NOBODY] * len(neighbours)
        """By vertex, its partner or `NOBODY`."""
        for vertex, others in enumerate(neighbours):
            if self.mate[vertex] == NOBODY:
                free = next((other for other in others if self.mate[other] == NOBODY), NOBODY)
                if free != NOBODY:
                    self.mate[vertex], self.mate[free] = free, vertex
        for vertex in range(len(neighbours)):
            if self.mate[vertex] == NOBODY:
                self._augment(vertex)

    @property
    def size(self) -> int:
        return sum(mate != NOBODY for mate in self.mate) // 2

    def without(self, vertex: int) -> bool:
        """Remove a vertex if the matching keeps its size. Return whether it was removed."""
        mate = self.mate[vertex]
        self._gone[vertex] = True
        if mate == NOBODY:
            return True
        self.mate[vertex] = self.mate[mate] = NOBODY
        if self._augment(mate):
            return True
        self._gone[vertex] = False
        self.mate[vertex], self.mate[mate] = mate, vertex
        return False

    def take(self, one: int, other: int) -> bool:
        """Remove two neighbours as a pair if the rest has a matching that is only one pair smaller. Return whether they
        were removed."""
        left, right = self.mate[one], self.mate[other]
        self._gone[one] = self._gone[other] = True
        if left == other:
            return True
        self.mate[one] = self.mate[other] = NOBODY
        mates = [mate for mate in (left, right) if mate != NOBODY]
        for mate in mates:
            self.mate[mate] = NOBODY
        # Two pairs are lost if both were matched. Only a path from one of their mates can regain one.
        if len(mates) == 1 or any(map(self._augment, mates)):
            return True
        self._gone[one] = self._gone[other] = False
        self.mate[one], self.mate[left] = left, one
        self.mate[other], self.mate[right] = right, other
        return False

    def _augment(self, root: int) -> bool:
        """Match this free vertex if possible. Return whether it is matched."""
        count = len(self._neighbours)
        base = list(range(count))
        parent = [NOBODY] * count
        outer = [False] * count
        outer[root] = True
        waiting = deque([root])
        while waiting:
            vertex = waiting.popleft()
            for other in self._neighbours[vertex]:
                if self._gone[other] or base[vertex] == base[other] or self.mate[vertex] == other:
                    continue
                if other == root or (self.mate[other] != NOBODY and parent[self.mate[other]] != NOBODY):
                    self._contract(vertex, other, base, parent, outer, waiting)
                elif parent[other] == NOBODY:
                    parent[other] = vertex
                    if self.mate[other] == NOBODY:
                        self._flip(other, parent)
                        return True
                    outer[self.mate[other]] = True
                    waiting.append(self.mate[other])
        return False

    def _flip(self, end: int, parent: list[int]) -> None:
        while end != NOBODY:
            before = parent[end]
            following = self.mate[before]
            self.mate[end], self.mate[before] = before, end
            end = following

    def _contract(
        self,
        one: int,
        other: int,
        base: list[int],
        parent: list[int],
        outer: list[bool],
        waiting: deque[int],
    ) -> None:
        """Contract an odd cycle to one vertex, its base."""
        top = self._common(one, other, base, parent)
        inside: set[int] = set()
        for start, child in ((one, other), (other, one)):
            vertex = start
            while base[vertex] != top:
                inside |= {base[vertex], base[self.mate[vertex]]}
                parent[vertex] = child
                child = self.mate[vertex]
                vertex = parent[child]
        for vertex in range(len(base)):
            if base[vertex] in inside:
                base[vertex] = top
                if not outer[vertex]:
                    outer[vertex] = True
                    waiting.append(vertex)

    def _common(self, one: int, other: int, base: list[int], parent: list[int]) -> int:
        """Return the first base that the paths of both vertices to the root share."""
        seen: set[int] = set()
        vertex = one
        while True:
            vertex = base[vertex]
            seen.add(vertex)
            if self.mate[vertex] == NOBODY:
                break
            vertex = parent[self.mate[vertex]]
        vertex = base[other]
        while vertex not in seen:
            vertex = base[parent[self.mate[vertex]]]
        return vertex
