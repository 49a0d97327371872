"""Start-up beside `import click`, which every command needs.

Commands and imports are compared by processor time, `kozyr up` by the time that passes until its demonstration has
played a match. The targets are half of what the ratios were: on 2026-11-22, before commands were imported when they are
called, 3.1 for `kozyr --help` and 21 for the imports of an API worker; and 49 for `kozyr up` in 0.1.0. The imports are
all those of gunicorn's first worker: its master reads the configuration and imports the worker's class, and the worker
imports the application after the fork.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import httpx

from bench.support.measure import at_most, interleaved, processor_seconds, ratio
from tests.support.ports import free_port

WORKER: Final = """\
from types import SimpleNamespace
import server.gunicorn_conf as conf, server.gunicorn_worker
conf.post_fork(SimpleNamespace(), SimpleNamespace())
import server.app
"""
COMMANDS: Final = {
    "`import click`": ["-c", "import click"],
    "`kozyr --help`": ["-m", "kozyr", "--help"],
    "imports of an API worker": ["-c", WORKER],
}
UP: Final = (sys.executable, "-m", "kozyr", "up")
MOST_UP: Final = 24.5
MOST: Final = {"`kozyr --help`": 1.55, "imports of an API worker": 10.5}
ROUNDS: Final = 3
LONGEST_S: Final = 60.0


def report() -> list[str]:
    """Return the lines of the table."""
    measures = {
        name: partial(processor_seconds, [sys.executable, *words], dict(os.environ))
        for name, words in COMMANDS.items()
    }
    found = interleaved(measures, ROUNDS)
    base = found["`import click`"]
    lines = [
        "| start-up | processor time, ms | beside `import click` | at most |",
        "| --- | --- | --- | --- |",
    ]
    for name, seconds in found.items():
        share = ratio(seconds, base)
        target = at_most(share, MOST[name]) if name in MOST else ""
        lines.append(f"| {name} | {1000 * statistics.median(seconds):.0f} | {share:.2f} | {target} |")
    passed = interleaved(
        {
            "click": partial(_passing, COMMANDS["`import click`"]),
            "up": partial(until_a_match, UP, dict(os.environ)),
        },
        ROUNDS,
    )
    share = ratio(passed["up"], passed["click"])
    return [
        *lines,
        "",
        "| time that passes | ms | beside `import click` | at most |",
        "| --- | --- | --- | --- |",
        f"| `import click` | {1000 * statistics.median(passed['click']):.0f} | 1.00 | |",
        f"| `kozyr up` to its first match | {1000 * statistics.median(passed['up']):.0f} | {share:.1f} "
        f"| {at_most(share, MOST_UP)} |",
    ]


def until_a_match(command: Sequence[str], inherited: Mapping[str, str]) -> float:
    """Return the seconds from the start of `kozyr up` until a match of its demonstration is over."""
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client,
    ):
        others = {name: value for name, value in inherited.items() if not name.startswith("KOZYR_")}
        began = time.perf_counter()
        service = subprocess.Popen(
            command,
            env={**others, "KOZYR_PORT": str(port), "KOZYR_VAR": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not _has_played(client):
                if service.poll() is not None or time.perf_counter() - began > LONGEST_S:
                    raise RuntimeError("kozyr up has played no match")
                time.sleep(0.02)
            return time.perf_counter() - began
        finally:
            service.send_signal(signal.SIGINT)
            service.wait(LONGEST_S)


def _has_played(client: httpx.Client) -> bool:
    try:
        found = client.get("/v1/matches?status=finished&limit=1")
    except httpx.HTTPError:
        return False
    return found.is_success and bool(found.json()["matches"])


def _passing(words: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return time.perf_counter() - began
