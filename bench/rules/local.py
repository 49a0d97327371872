"""A local tournament beside bare playouts.

`kozyr play greedy random` in Durak with one job. Its processor time includes the start and the result. Its moves are
counted in the records of another run, which has the same matches. The bare playouts are those of
`bench.rules.engine`. Both use compiled rules if these are built.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Final

from bench.rules.engine import BenchPlayer
from bench.support.measure import at_least, interleaved, processor_seconds, ratio
from tools import compile_engine
from tools.run_compiled import environment

DEALS: Final = (2_000, 10_000)
"""The second number shows the speed when the start and the intervals matter little."""
ROUNDS: Final = 3
KOZYR: Final = (sys.executable, "-m", "kozyr")


def report() -> list[str]:
    """Return the lines of the tables."""
    folder, inherited = compile_engine.ROOT, dict(os.environ)
    if compile_engine.is_current(compile_engine.FOLDER):
        folder, inherited = compile_engine.FOLDER, environment(compile_engine.FOLDER, os.environ)
    bare = BenchPlayer(folder)
    try:
        measures = {str(deals): partial(_tournament, inherited, deals) for deals in DEALS}
        measures["bare"] = partial(bare.rate, "durak")
        found = interleaved(measures, ROUNDS)
    finally:
        bare.end()
    lines = [
        "| durak, one job | moves/s | beside bare playouts | at least |",
        "| --- | --- | --- | --- |",
        f"| bare random playouts | {statistics.median(found['bare']):,.0f} | 1 | |",
    ]
    for deals in DEALS:
        rates = found[str(deals)]
        share = ratio(rates, found["bare"])
        lines.append(
            f"| `kozyr play greedy random`, {deals:,} deals | {statistics.median(rates):,.0f} | {share:.2f} "
            f"| {at_least(share, 0.2)} |"
        )
    return lines


def _tournament(inherited: dict[str, str], deals: int) -> float:
    """Return the moves per second of a tournament."""
    return _moves(deals) / processor_seconds(_command(deals), inherited)


@cache
def _moves(deals: int) -> int:
    """Return the number of moves in a tournament, which is always the same."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        records = Path(folder) / "records"
        subprocess.run([*_command(deals), "--out", str(records)], check=True, stdout=subprocess.DEVNULL)
        return records.read_bytes().count(b'"move"')


def _command(deals: int) -> list[str]:
    return [*KOZYR, "play", "greedy", "random", "--game", "durak", "--jobs", "1", "--deals", str(deals)]
