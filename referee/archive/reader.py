"""Reads archived matches by their pointers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from referee.archive.segment import lines_of, parse_match
from referee.archive.store import ArchiveAway, Objects, Register
from referee.match.record import Record
from referee.storage.pointer import Pointer

FRAMES: Final = 16
"""How many decompressed frames a process keeps. Lists read neighbours one after another."""


class ArchiveReader:
    """Reads archived matches. Safe to share between greenlets and threads."""

    def __init__(self, register: Register, objects: Objects) -> None:
        self._register, self._objects = register, objects
        self._names: list[str] = []
        self._frames: OrderedDict[tuple[int, int], list[bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def match(self, pointer: Pointer) -> Record:
        """Return an archived match. Raise `ArchiveAway`, and `ValueError` or `LookupError` for a damaged one."""
        return parse_match(self._lines(pointer)[pointer.line]).record

    def _lines(self, pointer: Pointer) -> list[bytes]:
        key = pointer.segment, pointer.offset
        with self._lock:
            found = self._frames.get(key)
            if found is not None:
                self._frames.move_to_end(key)
                return found
        frame = self._objects.read_part(self._name(pointer.segment), pointer.offset, pointer.length)
        lines = lines_of(frame)
        with self._lock:
            self._frames[key] = lines
            while len(self._frames) > FRAMES:
                self._frames.popitem(last=False)
        return lines

    def _name(self, segment: int) -> str:
        if segment >= len(self._names):
            # Segments never change, so the known names stay.
            self._names = [entry.name for entry in self._register.segments()]
        if segment >= len(self._names):
            raise ArchiveAway(f"the register has no segment {segment}")
        return self._names[segment]
