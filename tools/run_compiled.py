"""Run a command with the compiled rules. Until they are built, run it with the rules in Python and build meanwhile.

`python tools/run_compiled.py COMMAND …`. The first line of output says which rules the command uses. The build takes a
minute or two at low priority, writes to build/compiled.log, and serves the next start: a running process keeps the
rules that it has imported.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import compile_engine

LOG = compile_engine.ROOT / "build" / "compiled.log"
NICENESS = 15


def environment(folder: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which Python finds the compiled engine of this folder first."""
    # Without the safe path, `python -m` would search the current folder, which has the sources, before it.
    path = os.pathsep.join([str(folder), *filter(None, [inherited.get("PYTHONPATH")])])
    return {**inherited, "PYTHONSAFEPATH": "1", "PYTHONPATH": path}


def choose(rules: str, inherited: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a line that says which rules are used, and the environment for them. Start the build that is missing."""
    if rules == "python":
        return "rules: Python, as requested", dict(inherited)
    if compile_engine.is_current(compile_engine.FOLDER):
        return "rules: compiled", environment(compile_engine.FOLDER, inherited)
    if compile_engine.compiler() is None:
        return "rules: Python; there is no C compiler to compile them with", dict(inherited)
    start_build()
    line = f"rules: Python; compiling them for the next start ({LOG.relative_to(compile_engine.ROOT)})"
    return line, dict(inherited)


def start_build() -> None:
    """Start the build in the background, unless one is running."""
    LOG.parent.mkdir(parents=True, exist_ok=True)
    log = LOG.open("a", encoding="utf-8")
    if not _locked(log):
        return
    log.truncate(0)
    # The build inherits the file and with it the lock, which ends with the build.
    subprocess.Popen(
        ["nice", "-n", str(NICENESS), sys.executable, compile_engine.__file__],
        stdout=log,
        stderr=log,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def _locked(log: IO[str]) -> bool:
    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def main() -> None:
    """Replace this process with the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", choices=("compiled", "python"), default="compiled")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    line, chosen = choose(arguments.rules, os.environ)
    print(line, flush=True)
    os.execvpe(arguments.command[0], arguments.command, chosen)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
