"""Static files, with addresses that change with their contents.

The address contains one hash of all files. So modules and style sheets refer to each other by relative addresses, and
browsers keep every file without asking again.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

FOLDERS: Final = tuple(Path(str(files(package))) / "static" for package in ("records.page", "web"))
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
    found = {
        path.relative_to(folder).as_posix(): _read(path)
        for folder in FOLDERS
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(_NOT_SERVED)
    }
    digest = hashlib.sha256()
    for name, file in sorted(found.items()):
        digest.update(f"{name}\0{len(file.data)}\0".encode() + file.data)
    return Assets(MappingProxyType(found), digest.hexdigest()[:16])


def _read(path: Path) -> StaticFile:
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    data = path.read_bytes()
    return StaticFile(data, kind, hashlib.sha256(data).hexdigest()[:16])
