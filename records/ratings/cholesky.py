"""Symmetric linear systems, as lists of floats. Pure.

A symmetric matrix is given by its lower triangle: row i has i + 1 numbers. A thousand unknowns take seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

Triangle = list[list[float]]


def factor(matrix: Triangle) -> Triangle:
    """Return the Cholesky factor of a positive definite matrix."""
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
