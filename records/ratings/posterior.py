"""The rating model: R. A. Bradley and M. E. Terry's (Biometrika 39, 1952) with normal priors. Pure.

Of two sides that differ by 400 points, the better one expects ten times the share of the other. A tie is half a win.
Our choices:

* **Several sides.** A group of k sides gives k(k-1)/2 comparisons. If its order follows R. L. Plackett's and R. D.
  Luce's model, each comparison follows Bradley and Terry's. Two comparisons of one side are correlated by r, the mean
  over the results (1/3 among equals). So each comparison counts 1/(1 + (k-2)r).
* **Ties** vary less than wins and losses. All weights are divided by the share of the variance that they leave
  (R. W. M. Wedderburn, Biometrika 61, 1974).
* **Teams.** The strength of a side is the mean of its players.

Skills are on the logistic scale here, where the anchor is 0. Newton's method finds the mode of the posterior; variances
follow from the curvature there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from operator import mul
from typing import Final, NamedTuple

Triangle = list[list[float]]
"""The lower triangle of a symmetric matrix: row i has i + 1 numbers."""


def factor(matrix: Triangle) -> Triangle:
    """Return the Cholesky factor of a positive definite matrix. A thousand unknowns take seconds."""
    rows: Triangle = []
    for given in matrix:
        row: list[float] = []
        for other, value in zip(rows, given, strict=False):
            row.append((value - sum(map(mul, row, other))) / other[-1])
        row.append(math.sqrt(given[-1] - sum(map(mul, row, row))))
        rows.append(row)
    return rows


def solve(factor: Triangle, right: Sequence[float]) -> list[float]:
    """Return the solution of the system with this factor and this right side."""
    found: list[float] = []
    for row, value in zip(factor, right, strict=True):
        found.append((value - sum(map(mul, row, found))) / row[-1])
    for place in reversed(range(len(found))):
        row = factor[place]
        value = found[place] = found[place] / row[-1]
        found[:place] = [before - value * entry for before, entry in zip(found[:place], row, strict=False)]
    return found


def inverse(factor: Triangle) -> Triangle:
    """Return the inverse of the matrix with this factor."""
    columns: list[list[float]] = []
    for first in range(len(factor)):
        column = [1.0 / factor[first][first]]
        for row in factor[first + 1 :]:
            column.append(-sum(map(mul, row[first:-1], column)) / row[-1])
        columns.append(column)
    return [
        [sum(map(mul, column, columns[other][place - other :])) for other in range(place + 1)]
        for place, column in enumerate(columns)
    ]


_EQUALS: Final = 1.0 / 3.0
"""The correlation of two comparisons of one side among equals."""
_LEAST_LEFT: Final = 0.1
"""The least share of the variance that ties leave."""
_STEPS: Final = 60
_NEAR: Final = 0.03
"""Steps no longer than this reuse the factor of the step before."""
_EXACT: Final = 1e-10


class SideComparison(NamedTuple):
    """The sum of the results of two sides in groups of `sides` sides."""

    first: tuple[int, ...]
    """The players of the first side, by index. Anchors have none."""
    second: tuple[int, ...]
    parts: tuple[float, float]
    """The share of each player in the strength of the first and of the second side."""
    sides: int
    groups: int
    wins: int
    """Of the first side."""
    ties: int

    def share(self, skills: Sequence[float]) -> float:
        """Return the expected share of the first side."""
        one = sum([skills[player] for player in self.first]) * self.parts[0]
        other = sum([skills[player] for player in self.second]) * self.parts[1]
        return 1.0 / (1.0 + math.exp(other - one))


class Posterior:
    """What results say about the skills of players, given priors."""

    def __init__(self, comparisons: Sequence[SideComparison], precision: Triangle) -> None:
        """The prior is normal with the mean 0 and this inverse covariance."""
        self._comparisons, self._precision = comparisons, precision
        self._correlation, self._left = _EQUALS, 1.0

    def mode(self, skills: Sequence[float]) -> tuple[list[float], Triangle]:
        """Return the mode, searched from these skills, and the Cholesky factor of the curvature there."""
        root: Triangle = []
        longest = math.inf
        for _ in range(_STEPS):
            gradient, curvature = self._derivatives(skills)
            if longest > _NEAR:  # else the last factor is nearly that of the mode
                root = factor(curvature)
            step = solve(root, gradient)
            longest = max(map(abs, step), default=0.0)
            short = 1.0 / max(1.0, longest)
            skills = [skill + short * each for skill, each in zip(skills, step, strict=True)]
            if longest < _EXACT:
                break
        return list(skills), factor(self._derivatives(skills)[1])

    def weigh(self, skills: Sequence[float]) -> bool:
        """Estimate the correlation of comparisons and the effect of ties at these skills, for the next search. Return
        whether there is any."""
        if not any(each.ties or each.sides > 2 for each in self._comparisons):
            return False
        shares = [each.share(skills) for each in self._comparisons]
        self._correlation, self._left = self._correlated(shares), self._left_by_ties(shares)
        return True

    def _derivatives(self, skills: Sequence[float]) -> tuple[list[float], Triangle]:
        """Return the gradient of the log posterior and its negative curvature."""
        gradient = [0.0] * len(skills)
        for one, row in enumerate(self._precision):
            for other, entry in enumerate(row):
                if entry:
                    gradient[one] -= entry * skills[other]
                    if other != one:
                        gradient[other] -= entry * skills[one]
        curvature = [list(row) for row in self._precision]
        for each in self._comparisons:
            share = each.share(skills)
            weight = 1.0 / ((1.0 + (each.sides - 2) * self._correlation) * self._left)
            push = weight * (each.wins + each.ties / 2.0 - each.groups * share)
            bend = weight * each.groups * share * (1.0 - share)
            weights = [(player, each.parts[0]) for player in each.first]
            weights += [(player, -each.parts[1]) for player in each.second]
            for one, part in weights:
                gradient[one] += push * part
                row = curvature[one]
                for other, part_too in weights:
                    if other <= one:
                        row[other] += bend * part * part_too
        return gradient, curvature

    def _left_by_ties(self, shares: Sequence[float]) -> float:
        """Return the share of the variance that ties leave: one tie takes a quarter away."""
        pairs = zip(self._comparisons, shares, strict=True)
        without = math.fsum(each.groups * share * (1.0 - share) for each, share in pairs)
        return max(_LEAST_LEFT, 1.0 - sum(each.ties for each in self._comparisons) / 4.0 / without)

    def _correlated(self, shares: Sequence[float]) -> float:
        """Return the mean correlation of two comparisons of one side in a group. Triples are neighbours in the list of
        comparisons that have the same first side."""
        together, variance = _EQUALS / 4.0, 1.0 / 4.0  # the prior: one triple of equals
        for (one, share), (other, share_too) in pairwise(zip(self._comparisons, shares, strict=True)):
            if one.sides > 2 and one.first == other.first and share and share_too:
                odds = 1.0 + (1.0 - share) / share + (1.0 - share_too) / share_too
                together += 1.0 / odds - share * share_too
                variance += (share * (1.0 - share) + share_too * (1.0 - share_too)) / 2.0
        return together / variance
