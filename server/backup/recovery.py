"""Recovery of an append-only file whose end was damaged by a power cut: zeros or garbage after the last whole command.

redis-server itself accepts only an end that is cut short. This module looks for other damage, keeps the damaged file,
and cuts it off after a copy of the rest was loaded and its records agree with their chain.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from server.backup.rdb import check_file
from server.embedded import EmbeddedRedis, EmbeddedRedisError

MOST_CUT: Final = 1 << 20
"""The most bytes, apart from zeros, that are cut off without being asked. A power cut damages what Redis wrote last."""
_CHECKER: Final = "redis-check-aof"
"""Under this name redis-server and valkey-server check a file and serve nothing."""
_ANALYZED: Final = re.compile(r"^AOF analyzed: .*\bok_up_to=(\d+),", re.MULTILINE)
_CHUNK: Final = 1 << 20


class Damage(NamedTuple):
    """A file that has something else after its last whole command."""

    file: Path
    whole: int
    """Size in bytes of its whole commands."""
    size: int

    @property
    def rest(self) -> int:
        """The number of bytes after the whole commands, without the zeros at the end."""
        left, at = 0, self.whole
        with self.file.open("rb") as file:
            file.seek(at)
            while chunk := file.read(_CHUNK):
                if text := chunk.rstrip(b"\0"):
                    left = at + len(text) - self.whole
                at += len(chunk)
        return left


def recover(server: EmbeddedRedis, *, all_of_it: bool = False) -> str | None:
    """Cut off the damaged end of a locked server's file, and return what was done; `None` if nothing was damaged.

    Without `all_of_it`, raise `EmbeddedRedisError` if more than `MOST_CUT` bytes follow the damage. Raise it also if
    the file can't be checked, or if its whole part does not load or verify. The file is then as it was.
    """
    file = server.last_file()
    assert server.binary is not None, "a prepared server has a binary"
    damage = None if file is None else _damage(file, server.binary)
    if file is None or damage is None:
        return None
    if damage.rest > MOST_CUT and not all_of_it:
        raise EmbeddedRedisError(
            f"{file} is damaged at byte {damage.whole}, {damage.size - damage.whole} bytes before its end: restore a "
            "backup (`kozyr restore`), or lose what follows the damage (`kozyr redis --cut-damage`)"
        )
    records = _verified(server, damage)
    kept = server.folder / f"{file.name}.damaged-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    _copy(file, kept)
    os.truncate(file, damage.whole)
    _flush(file)
    return (
        f"{damage.size - damage.whole} damaged bytes at the end of {file.name} were cut off; the {records} records in "
        f"the rest are verified; the damaged file is kept as {kept}"
    )


def _damage(file: Path, binary: Path) -> Damage | None:
    """Return the damage that the server's checker finds in a file. Raise `EmbeddedRedisError` if it can't read it."""
    done = check_file(binary, _CHECKER, file)
    if done.returncode == 0:
        return None
    found = _ANALYZED.findall(done.stdout)
    if not found:
        raise EmbeddedRedisError(f"the beginning of {file} is damaged: restore a backup (`kozyr restore`)")
    return Damage(file, int(found[-1]), file.stat().st_size)


def _verified(server: EmbeddedRedis, damage: Damage) -> int:
    """Load the whole part of a folder elsewhere, and return how many records agree with their chain. Raise
    `EmbeddedRedisError`."""
    from server.backup import check  # large, and rarely needed
    from server.backup.manifest import BadBackup

    with tempfile.TemporaryDirectory(prefix="recovery-", dir=server.folder) as scratch:
        folder = Path(scratch) / "redis"
        folder.mkdir(mode=0o700)
        for part in server.folder.glob("appendonly*"):
            if part.is_dir():
                shutil.copytree(part, folder / part.name)
            elif ".damaged-" not in part.name:
                shutil.copyfile(part, folder / part.name)
        os.truncate(folder / damage.file.relative_to(server.folder), damage.whole)
        try:
            with check.running(EmbeddedRedis(folder, binary=server.binary)) as redis:
                return check.verify(redis, None).records
        except BadBackup as why:
            raise EmbeddedRedisError(
                f"{damage.file} is damaged at byte {damage.whole}, and what precedes can't be used ({why}): restore a "
                "backup (`kozyr restore`)"
            ) from why


def _copy(file: Path, to: Path) -> None:
    shutil.copyfile(file, to)
    to.chmod(0o600)
    _flush(to)
    _flush(to.parent)


def _flush(file: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    opened = os.open(file, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
