"""The checkers of files that redis-server and valkey-server contain, under names of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path


def check_file(
    server: Path, checker: str, file: Path, within: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a server under the name of a checker, with which it checks a file and serves nothing.

    Return its status, 0 for a file that is whole, and its report. Raise `subprocess.TimeoutExpired` after `within`
    seconds.
    """
    return subprocess.run(
        [checker, file.resolve()],
        executable=server,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=within,
        check=False,
    )
