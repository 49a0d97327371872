"""Static files, with addresses that change with their contents.

The address contains one hash of all files. So modules and style sheets refer to each other by relative addresses, and
browsers keep every file without asking again.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final, NamedTuple

FOLDERS: Final = tuple(resources.files(package) / "static" for package in ("records.page", "web"))
"""Those of the pages of matches, and of the site."""
_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_NOT_SERVED: Final = (".md", ".LICENSE")


class StaticFile(NamedTuple):
    """A static file."""

    data: bytes
    kind: str
    """Its content type."""
    etag: str
    """The hash of its contents."""


class Assets(NamedTuple):
    """The static files by path, and the hash of all of them."""

    files: Mapping[str, StaticFile]
    version: str

    def address(self, path: str) -> str:
        """Return the address of a file. Raise `KeyError` for an unknown one."""
        if path not in self.files:
            raise KeyError(f"there is no static file {path}")
        return f"/static/{self.version}/{path}"


@lru_cache(maxsize=1)
def assets() -> Assets:
    """Return the static files, read once."""
    files = dict(found for folder in FOLDERS for found in _found(folder, ""))
    digest = hashlib.sha256()
    for path, file in sorted(files.items()):
        digest.update(f"{path}\0{len(file.data)}\0".encode() + file.data)
    return Assets(MappingProxyType(files), digest.hexdigest()[:16])


def _found(folder: Traversable, prefix: str) -> list[tuple[str, StaticFile]]:
    files: list[tuple[str, StaticFile]] = []
    for entry in folder.iterdir():
        path = prefix + entry.name
        if entry.is_dir():
            files += _found(entry, path + "/")
        elif not entry.name.endswith(_NOT_SERVED):
            suffix = "." + entry.name.rpartition(".")[2]
            kind = _KINDS.get(suffix) or mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
            data = entry.read_bytes()
            files.append((path, StaticFile(data, kind, hashlib.sha256(data).hexdigest()[:16])))
    return files
