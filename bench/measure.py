"""Interleaved rounds: what is compared is measured in turn, so that a machine whose speed drifts treats all alike."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping

ROUNDS = 7


def interleaved(measures: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Each measure's values, round by round, after one round that does not count."""
    found: dict[str, list[float]] = {name: [] for name in measures}
    for number in range(rounds + 1):
        for name, measure in measures.items():
            value = measure()
            if number:
                found[name].append(value)
    return found


def ratio(values: list[float], base: list[float]) -> float:
    """The median of the ratios round by round."""
    return statistics.median(value / other for value, other in zip(values, base, strict=True))


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of the values lie."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
