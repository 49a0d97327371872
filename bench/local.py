"""A local tournament beside bare playouts, and the start-up of the command line.

`kozyr play greedy random` in Durak with one job, start-up included; its moves are those of the records. The bare
playouts are those of `bench.engine`. Both use compiled rules if these are built.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Final

from bench.engine import BenchPlayer
from bench.support.measure import at_least, interleaved, ratio
from tools import compile_engine
from tools.run_compiled import environment

DEALS: Final = 500
ROUNDS: Final = 3
KOZYR: Final = (sys.executable, "-m", "kozyr")


def report() -> list[str]:
    """Return the lines of the tables."""
    folder, inherited = compile_engine.ROOT, dict(os.environ)
    if compile_engine.is_current(compile_engine.FOLDER):
        folder, inherited = compile_engine.FOLDER, environment(compile_engine.FOLDER, os.environ)
    bare = BenchPlayer(folder)
    try:
        measures = {
            "play": partial(_tournament, inherited),
            "bare": partial(bare.rate, "durak"),
            "help": partial(_seconds, inherited, "--help"),
        }
        found = interleaved(measures, ROUNDS)
    finally:
        bare.end()
    share = ratio(found["play"], found["bare"])
    return [
        "| durak, one process | moves/s | beside bare playouts | at least |",
        "| --- | --- | --- | --- |",
        f"| bare random playouts | {statistics.median(found['bare']):,.0f} | 1 | |",
        f"| `kozyr play greedy random` | {statistics.median(found['play']):,.0f} | {share:.2f} "
        f"| {at_least(share, 0.2)} |",
        "",
        f"`kozyr --help` takes {statistics.median(found['help']) * 1000:.0f} ms.",
    ]


def _tournament(inherited: dict[str, str]) -> float:
    """Return the moves per second of a tournament."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        records = Path(folder) / "records"
        seconds = _seconds(
            inherited,
            *("play", "greedy", "random", "--game", "durak", "--jobs", "1"),
            *("--deals", str(DEALS), "--out", str(records)),
        )
        return records.read_bytes().count(b'"move"') / seconds


def _seconds(inherited: dict[str, str], *words: str) -> float:
    """Return how long a command takes."""
    began = time.perf_counter()
    subprocess.run([*KOZYR, *words], env=inherited, check=True, capture_output=True)
    return time.perf_counter() - began
