"""Metric files take their room when they are made, so no write to them can fail."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.mmap_dict import MmapedDict

from server.metric_files import FIRST_BYTES, ReservedDict


def read(path: Path) -> dict[str, float]:
    return {key: value for key, value, *_ in MmapedDict.read_all_values_from_file(str(path))}  # type: ignore[no-untyped-call]


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A full disk, until the patch is undone."""

    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    return monkeypatch


def test_every_page_of_a_file_has_its_room(tmp_path: Path) -> None:
    path = tmp_path / "counter_1.db"
    counts = ReservedDict(str(path))
    assert path.stat().st_blocks * 512 >= FIRST_BYTES
    for number in range(2000):
        counts.write_value(f"a rather long name of a metric {number}", float(number), 0.0)
    assert path.stat().st_size > FIRST_BYTES
    assert path.stat().st_blocks * 512 >= path.stat().st_size
    assert read(path) == {f"a rather long name of a metric {number}": float(number) for number in range(2000)}
    counts.close()
    again = ReservedDict(str(path))
    assert again.read_value("a rather long name of a metric 1999")[0] == 1999.0


@pytest.mark.usefixtures("full")
def test_without_room_a_process_counts_in_its_own_memory(tmp_path: Path) -> None:
    path = tmp_path / "counter_1.db"
    counts = ReservedDict(str(path))
    counts.write_value("a", 1.0, 0.0)
    assert counts.read_value("a")[0] == 1.0
    assert not path.exists(), "nobody could read an empty file"


def test_a_file_that_can_not_grow_keeps_what_it_has(tmp_path: Path, full: pytest.MonkeyPatch) -> None:
    path = tmp_path / "counter_1.db"
    full.undo()
    counts = ReservedDict(str(path))
    counts.write_value("a", 1.0, 0.0)
    with full.context() as patch:
        patch.setattr(os, "posix_fallocate", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        counts.write_value("b" * FIRST_BYTES, 2.0, 0.0)
    assert read(path) == {"a": 1.0}
    counts.write_value("c" * 4 * FIRST_BYTES, 3.0, 0.0)
    assert read(path) == {"a": 1.0, "b" * FIRST_BYTES: 2.0, "c" * 4 * FIRST_BYTES: 3.0}
