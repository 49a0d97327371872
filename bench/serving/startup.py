"""Start-up, as processor time beside that of `import click`, which every command needs.

The targets are half of what the ratios were on 2026-11-22 before commands were imported when they are called: 3.1 for
`kozyr --help`, and 21 for the imports of an API worker. These are all imports of gunicorn's first worker: its master
reads the configuration and imports the worker's class, and the worker imports the application after the fork.
"""

from __future__ import annotations

import os
import statistics
import sys
from functools import partial
from typing import Final

from bench.support.measure import at_most, interleaved, processor_seconds, ratio

WORKER: Final = """\
import kozyr.serve.gunicorn_conf as conf, kozyr.serve.server
conf.post_fork(None, None)
import kozyr.serve.app
"""
COMMANDS: Final = {
    "`import click`": ["-c", "import click"],
    "`kozyr --help`": ["-m", "kozyr", "--help"],
    "imports of an API worker": ["-c", WORKER],
}
MOST: Final = {"`kozyr --help`": 1.55, "imports of an API worker": 10.5}
ROUNDS: Final = 3


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
    return lines
