"""Metric files whose pages exist.

prometheus_client counts in sparse files that it maps into memory. The first write to a page takes room on the disk, and
on a full disk the system kills the process (SIGBUS). Here a file takes its room when it is created or grows. If there
is none, the process counts in memory of its own, and `/metrics` lacks what it counts.
"""

from __future__ import annotations

import mmap
import os
import struct
from typing import Final

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

FIRST_BYTES: Final = 1 << 16
"""The size of a new file. It doubles whenever it is full."""
ENTRY_BYTES: Final = 64
"""More than an entry takes besides its key."""
_HEAD: Final = struct.Struct("i")
_HEAD_BYTES: Final = 8


class ReservedDict(MmapedDict):
    """prometheus_client's dictionary of one process, which finds no page missing."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        assert not read_mode, "the files of others are read without a dictionary"
        self._fname = filename
        present = os.path.getsize(filename) if os.path.exists(filename) else 0  # noqa: PTH202, PTH110
        self._capacity = max(present, FIRST_BYTES)
        self._m = self._mapped()
        self._positions: dict[str, int] = {}
        self._used = _HEAD.unpack_from(self._m, 0)[0]
        if self._used:
            self._positions = {key: place for key, _, _, place in self._read_all_values()}  # type: ignore[no-untyped-call]
        else:
            self._used = _HEAD_BYTES
            self._m[: _HEAD.size] = _HEAD.pack(self._used)

    def close(self) -> None:
        """Close the file."""
        self._m.close()

    def _init_value(self, key: str) -> None:
        while self._used + len(key.encode()) + ENTRY_BYTES > self._capacity:
            self._capacity *= 2
            before, self._m = self._m, self._mapped()
            self._m[: self._used] = before[: self._used]
        super()._init_value(key)  # type: ignore[no-untyped-call]  # the library's

    def _mapped(self) -> mmap.mmap:
        """Return the file with all its pages, or as much memory if the disk has no room."""
        try:
            with open(self._fname, "a+b") as file:  # noqa: PTH123
                try:
                    os.posix_fallocate(file.fileno(), 0, self._capacity)
                    return mmap.mmap(file.fileno(), self._capacity)
                except OSError:
                    if self._capacity == FIRST_BYTES:
                        os.unlink(self._fname)  # noqa: PTH108 - nobody can read an empty one
                    raise
        except OSError:
            return mmap.mmap(-1, self._capacity)


def install() -> None:
    """Let prometheus_client use these files. Call this before the first metric."""
    if hasattr(os, "posix_fallocate"):
        values.MmapedDict = ReservedDict  # type: ignore[attr-defined]
