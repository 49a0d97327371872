"""How cost grows: moves by API workers, memory by polls and matches, time by rounds and bots (docs/benchmarks.md)."""

from __future__ import annotations

from bench.growth import memory, moves, standings


def report() -> list[str]:
    """Return the lines of all tables."""
    return [*moves.lines(), "", *memory.lines(), "", *standings.lines()]
