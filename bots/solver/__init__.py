"""Exact values of endings: positions in which nothing is hidden from the seat to move.

`values(game, state)` solves the endings of Durak for two players (`bots.solver.durak`).
"""

from __future__ import annotations

from bots.solver.durak import TooLong, values

__all__ = ["TooLong", "values"]
