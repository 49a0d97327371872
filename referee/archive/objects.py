"""The object store of the archive: a local folder, or S3 and what speaks its protocol."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import LocalStore, from_url

from referee.greenlets import RunInThread
from referee.object_store import ArchiveAway, ObjectMissing

CONNECT_S: Final = 2.0
"""How long connecting to a bucket may take."""
REQUEST_S: Final = 10.0
"""How long a request to a bucket may take. No further retry begins after that."""
RETRIES: Final = 2
AWAY_S: Final = 1.0
"""How long a bucket counts as away after a failure, so that requests of clients do not queue up behind it."""

LEFT_S: Final = 86_400.0
"""The age of a file without its final name, in seconds, at which its writer must have been killed."""

T = TypeVar("T")


class ObjectStore:
    """Objects in a folder or a bucket. Safe to share between greenlets and threads."""

    def __init__(
        self,
        place: str | Path,
        run_in_thread: RunInThread = lambda call: call(),
        *,
        request_s: float = REQUEST_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`place` is a folder, or an address such as `s3://bucket/prefix`, whose credentials and endpoint come from the
        usual `AWS_…` variables. obstore blocks its thread, so a process with greenlets passes `run_in_thread`.
        `request_s` limits a request to a bucket."""
        self._run_in_thread, self._request_s, self._monotonic = run_in_thread, request_s, monotonic
        self._away_until = -AWAY_S
        self.note_away: Callable[[bool], object] = lambda is_away: None
        """Called when the store is found away, and when it is first found there, or again."""
        self._noted: bool | None = None
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
        return self._call(lambda: self._read_part(name, offset, length))

    def names(self, prefix: str) -> list[str]:
        return self._call(
            lambda: sorted(
                str(found["path"]) for chunk in obstore.list(self._store(), prefix) for found in chunk
            )
        )

    def delete(self, name: str) -> None:
        self._call(lambda: self._delete(name))

    def sweep(self) -> None:
        folder = self._folder
        if folder is not None:
            self._call(lambda: _sweep(folder))

    def _read_part(self, name: str, offset: int, length: int) -> bytes:
        if self._folder is None:
            try:
                return bytes(obstore.get_range(self._store(), name, start=offset, length=length))
            except BaseError as error:
                if "416 Range Not Satisfiable" not in str(error):
                    raise
                return b""  # the object ends before: it is too short, and the bucket is not away
        # obstore reports a file that ends before the part like a disk that fails.
        with (self._folder / name).open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def _delete(self, name: str) -> None:
        try:
            obstore.delete(self._store(), name)
        except (NotFoundError, FileNotFoundError):
            return

    def _create(self, name: str, data: bytes) -> None:
        if self._folder is not None:
            _create_file(self._folder, name, data)
            return
        try:
            obstore.put(self._store(), name, data, mode="create")
        except AlreadyExistsError:
            return

    def _store(self) -> Any:
        if self._opened is None:
            if self._folder is not None:
                self._opened = LocalStore(self._folder, mkdir=True)
            else:
                self._opened = from_url(
                    self._address,
                    client_options={
                        "allow_http": os.environ.get("AWS_ALLOW_HTTP", "").lower() in ("true", "1"),
                        "connect_timeout": timedelta(seconds=min(CONNECT_S, self._request_s)),
                        "timeout": timedelta(seconds=self._request_s),
                    },
                    retry_config={
                        "max_retries": RETRIES,
                        "retry_timeout": timedelta(seconds=self._request_s),
                    },
                )
        return self._opened

    def _call(self, call: Callable[[], T]) -> T:
        def guarded() -> T:
            if self._monotonic() < self._away_until:
                raise ArchiveAway(f"the archive at {self.place} was away a moment ago")
            try:
                return call()
            except (NotFoundError, FileNotFoundError) as error:
                raise ObjectMissing(
                    f"the archive at {self.place} can't be used: it lacks the object"
                ) from error
            except (BaseError, OSError) as error:
                if self._folder is None:
                    self._away_until = self._monotonic() + AWAY_S
                # The lines that follow show obstore's data structures.
                why = str(error).partition("\n")[0] or type(error).__name__
                raise ArchiveAway(f"the archive at {self.place} can't be used: {why}") from error

        try:
            result: T = self._run_in_thread(guarded)
        except ObjectMissing:
            raise
        except ArchiveAway:
            self._note(is_away=True)
            raise
        self._note(is_away=False)
        return result

    def _note(self, *, is_away: bool) -> None:
        if is_away is not self._noted:
            self.note_away(is_away)
            self._noted = is_away


def _create_file(folder: Path, name: str, data: bytes) -> None:
    """Write a new file and flush it. An existing one stays, unless it has only the beginning of these data, as after a
    power cut. The file gets its name only after its content is on disk, which obstore does not ensure."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}#{secrets.randbelow(10**18)}")  # obstore does not list such names
    try:
        with part.open("xb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            if path.stat().st_size < len(data) and data.startswith(path.read_bytes()):
                part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    # Also if the file existed: the process that wrote it may have died before it did so.
    for each in (path.parent, *path.parent.parents):
        flush_folder(each)
        if each == folder:
            break


def _sweep(folder: Path) -> None:
    """Delete the files that never got their final names. Their writers were killed."""
    left = time.time() - LEFT_S
    for part in folder.rglob("?*#[0-9]*"):
        with suppress(FileNotFoundError):  # its writer may name it now
            if part.is_file() and part.stat().st_mtime < left:
                part.unlink()


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
