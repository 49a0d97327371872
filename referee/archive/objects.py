"""The object store of the archive: a local folder, or S3 and what speaks its protocol."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import LocalStore, from_url

from referee.tables.store import ArchiveAway

T = TypeVar("T")
Off = Callable[[Callable[[], Any]], Any]
"""Calls a function where it may block, and returns its result."""


class ObjectStore:
    """Objects in a folder or a bucket. Safe to share between greenlets and threads."""

    def __init__(self, place: str | Path, off: Off = lambda call: call()) -> None:
        """`place` is a folder, or an address such as `s3://bucket/prefix`, whose credentials and endpoint come from the
        usual `AWS_…` variables. obstore blocks its thread, so a process with greenlets passes `off`."""
        self._off = off
        self._folder: Path | None = None
        if isinstance(place, Path):
            self._folder = place.absolute()
            self.place = str(place)
        else:
            url = urlsplit(place)
            self.place = url._replace(netloc=url.netloc.rpartition("@")[2], query="").geturl()
            self._address = place
        self._opened: Any = None

    def create(self, name: str, data: bytes) -> None:
        self._call(lambda: self._create(name, data))

    def read(self, name: str) -> bytes:
        return self._call(lambda: bytes(obstore.get(self._store(), name).bytes()))

    def read_part(self, name: str, offset: int, length: int) -> bytes:
        return self._call(lambda: bytes(obstore.get_range(self._store(), name, start=offset, length=length)))

    def names(self, prefix: str) -> list[str]:
        return self._call(
            lambda: sorted(
                str(found["path"]) for chunk in obstore.list(self._store(), prefix) for found in chunk
            )
        )

    def delete(self, name: str) -> None:
        self._call(lambda: self._delete(name))

    def _delete(self, name: str) -> None:
        try:
            obstore.delete(self._store(), name)
        except (NotFoundError, FileNotFoundError):
            return

    def _create(self, name: str, data: bytes) -> None:
        try:
            obstore.put(self._store(), name, data, mode="create")
        except AlreadyExistsError:
            return
        if self._folder is not None:
            _flush(self._folder / name)

    def _store(self) -> Any:
        if self._opened is None:
            if self._folder is not None:
                self._opened = LocalStore(self._folder, mkdir=True)
            else:
                self._opened = from_url(self._address)
        return self._opened

    def _call(self, call: Callable[[], T]) -> T:
        def guarded() -> T:
            try:
                return call()
            except (BaseError, OSError) as error:
                raise ArchiveAway(
                    f"the archive at {self.place} can't be used: {type(error).__name__}"
                ) from error

        result: T = self._off(guarded)
        return result


def _flush(path: Path) -> None:
    """Flush a file and its folder to disk."""
    for each in (path, path.parent):
        opened = os.open(each, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
