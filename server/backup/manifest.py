"""The manifest of a backup: what it contains, with the size and SHA-256 of every file, signed with the secret."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from server.config.folder import write_private

NAME: Final = "manifest.json"
SIGNATURE: Final = f"{NAME}.hmac"
"""HMAC-SHA-256 of the manifest, in hexadecimal, with a key that is derived from KOZYR_SECRET."""
SNAPSHOT: Final = "redis.rdb"
ARCHIVE: Final = "archive"
INDEX: Final = f"{ARCHIVE}/index/"
SECRETS: Final = ("secret", "signing-key")
FORMAT: Final = 2


class BadBackup(RuntimeError):
    """A backup is incomplete, damaged or of another format. The message says what is wrong."""


class UnreadableBackup(BadBackup):
    """A folder holds no backup that this release can read."""


class BackedUpFile(NamedTuple):
    size: int
    sha256: str


class BackupManifest(NamedTuple):
    created: str
    """ISO 8601, UTC."""
    release: str
    data_version: str
    server: str
    """The Redis or Valkey that wrote the snapshot, as in `Redis 7.2.4`."""
    keys: int
    records: int
    """Records in the chain."""
    link: str
    """The last link of the chain, in hexadecimal; empty without one."""
    archived: int
    """Records that are in the archive."""
    archive: str
    """Where the archive was."""
    files: Mapping[str, BackedUpFile]
    """By path inside the backup."""

    @property
    def has_archive(self) -> bool:
        """Whether the backup includes the archive, and not only its index."""
        return any(name.startswith(f"{ARCHIVE}/") and not name.startswith(INDEX) for name in self.files)

    @property
    def has_index(self) -> bool:
        """Whether the backup includes the index of the archive, whose files a service replaces."""
        return any(name.startswith(INDEX) for name in self.files)

    def to_json(self) -> dict[str, Any]:
        files = {name: file._asdict() for name, file in sorted(self.files.items())}
        return {"format": FORMAT, **self._asdict(), "files": files}

    def write(self, folder: Path, secret: str) -> None:
        """Write and flush the manifest and its signature, the last files of a backup."""
        text = orjson.dumps(self.to_json(), option=orjson.OPT_INDENT_2) + b"\n"
        for name, content in ((NAME, text), (SIGNATURE, _signature(text, secret).encode() + b"\n")):
            write_private(folder / name, content)


def read(folder: Path, secret: str) -> BackupManifest:
    """Return the manifest of a backup after verifying its signature. Raise `BadBackup`."""
    try:
        text = (folder / NAME).read_bytes()
        signature = (folder / SIGNATURE).read_bytes().strip() if (folder / SIGNATURE).exists() else b""
        if not hmac.compare_digest(signature, _signature(text, secret).encode()):
            raise BadBackup(
                f"{folder} is not signed with this KOZYR_SECRET: set that of the service that wrote the backup; "
                "if it is the same, somebody has changed the backup"
            )
        data: dict[str, Any] = orjson.loads(text)
        if data.pop("format") != FORMAT:
            raise UnreadableBackup(f"{folder} has a format that this release doesn't know")
        data["files"] = {name: BackedUpFile(**file) for name, file in data["files"].items()}
        return BackupManifest(**data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UnreadableBackup(f"{folder} is not a complete backup: {NAME} is missing or damaged") from error


def listed(folder: Path) -> dict[str, BackedUpFile]:
    """Return the files that a backup has now, except its manifest and its signature."""
    return {
        path.relative_to(folder).as_posix(): _described(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path not in (folder / NAME, folder / SIGNATURE)
    }


def check_files(folder: Path, manifest: BackupManifest) -> None:
    """Raise `BadBackup` if a file is missing, differs from the manifest or is not in it."""
    found = listed(folder)
    for name in sorted(found.keys() | manifest.files.keys()):
        if name not in found:
            raise BadBackup(f"{name} is missing from the backup")
        if name not in manifest.files:
            raise BadBackup(f"{name} is not in the manifest of the backup")
        if found[name] != manifest.files[name]:
            raise BadBackup(f"{name} differs from the manifest of the backup")


def _signature(text: bytes, secret: str) -> str:
    key = hmac.digest(secret.encode(), b"kozyr-backup-manifest", "sha256")
    return hmac.new(key, text, "sha256").hexdigest()


def _described(path: Path) -> BackedUpFile:
    with path.open("rb") as file:
        return BackedUpFile(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())
