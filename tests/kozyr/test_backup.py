"""Copying the archive into a backup while the service merges its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from kozyr.backup.saving import copy_archive
from referee.archive.objects import ObjectStore
from referee.tables.store import ArchiveAway

NAMES = (
    "index/one.table",
    "index/two.table",
    "segments/one.zst",
    "catalogue/month=2025-11/one.parquet",
    "dumps/2025-11/card-1.md",
)


class Merging(ObjectStore):
    """An archive whose tables are deleted right after they were listed."""

    gone = "index/two.table"

    def names(self, prefix: str) -> list[str]:
        found = super().names(prefix)
        self.delete(self.gone)
        return found


def archive(folder: Path, kind: type[ObjectStore] = ObjectStore) -> ObjectStore:
    found = kind(folder)
    for name in NAMES:
        found.create(name, name.encode())
    return found


def test_a_backup_copies_tables_segments_the_catalogue_and_dumps(tmp_path: Path) -> None:
    target = ObjectStore(tmp_path / "copy")
    copy_archive(archive(tmp_path / "archive"), target)
    assert {name: target.read(name) for name in target.names("")} == {name: name.encode() for name in NAMES}


def test_a_table_that_a_merge_deletes_during_a_backup_is_left_out(tmp_path: Path) -> None:
    target = ObjectStore(tmp_path / "copy")
    copy_archive(archive(tmp_path / "archive", Merging), target)
    assert target.names("") == sorted(set(NAMES) - {Merging.gone})


def test_an_unreadable_object_is_not_left_out(tmp_path: Path) -> None:
    source = archive(tmp_path / "archive")

    def away(name: str) -> bytes:
        raise ArchiveAway(name)

    source.read = away  # type: ignore[method-assign]
    with pytest.raises(ArchiveAway):
        copy_archive(source, ObjectStore(tmp_path / "copy"))
