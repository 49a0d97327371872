"""The check of a snapshot (RDB) before a server loads it: it is whole, nothing follows it, and it holds values only."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

from server.backup.manifest import BadBackup


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


_CHECKER: Final = "redis-check-rdb"
_MAGIC: Final = (b"REDIS", b"VALKEY")
_END: Final = re.compile(r"^\[offset (\d+)\] \\o/ RDB looks OK! \\o/$", re.MULTILINE)
_FUNCTIONS: Final = re.compile(r"^\[info\] ([1-9]\d*) functions$", re.MULTILINE)
_ERROR: Final = re.compile(r"^\[offset \d+\] ([ -~]+)$", re.MULTILINE)


def check_snapshot(path: Path, server: Path, within: float) -> None:
    """Raise `BadBackup` for a file that is no snapshot, is damaged, goes on after its end, or has function code.

    A server without modules refuses the data of modules itself. `server` is the redis-server, and `within` the time
    that it may take, in seconds.
    """
    with path.open("rb") as file:
        # A server that is started by a script loses the checker's name, and would read the file as a configuration.
        if not file.read(6).startswith(_MAGIC):
            raise BadBackup("the snapshot is not an RDB file")
    try:
        done = check_file(server, _CHECKER, path, within)
    except subprocess.TimeoutExpired:
        raise BadBackup(f"the check of the snapshot took more than {within:g} s") from None
    ends = _END.findall(done.stdout)
    if done.returncode or not ends:
        why = _ERROR.search(done.stdout.rpartition("--- RDB ERROR DETECTED ---")[2])
        raise BadBackup(f"the snapshot can't be loaded: {why[1] if why else 'its check failed'}")
    # Fields of the file are printed before, so only the last line of its kind is the checker's own.
    if int(ends[-1]) != (size := path.stat().st_size):
        raise BadBackup(f"the snapshot goes on after its end: {size - int(ends[-1])} bytes follow")
    if _FUNCTIONS.search(done.stdout, done.stdout.rindex("RDB looks OK!")):
        raise BadBackup("the snapshot contains functions, which are code: a backup of Kozyr has none")
