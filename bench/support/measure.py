"""Interleaved measurements: alternatives are measured in turn, so that drift of the machine's speed cancels out."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROUNDS = 7


def interleaved(measures: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Return the values of each measure by round, after a warm-up round."""
    found: dict[str, list[float]] = {name: [] for name in measures}
    for number in range(rounds + 1):
        for name, measure in measures.items():
            value = measure()
            if number:
                found[name].append(value)
    return found


def ratio(values: list[float], base: list[float]) -> float:
    """Return the median of the ratios per round."""
    return statistics.median(value / other for value, other in zip(values, base, strict=True))


def at_least(value: float, target: float) -> str:
    """Return the cell of a target that a value must reach, marked if it does not."""
    return f"{target:g}" if value >= target else f"{target:g} **missed**"


def at_most(value: float, target: float) -> str:
    """Return the cell of a target that a value must not exceed, marked if it does."""
    return f"{target:g}" if value <= target else f"{target:g} **missed**"


def percentile(values: list[float], share: float) -> float:
    """Return the quantile `share` of the values."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def processor_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a command and return the processor time of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def used_seconds(pid: int) -> float:
    """Return the processor time that a running process has used, in seconds."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Return the resident memory of a process in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
