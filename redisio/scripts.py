"""Lua scripts in files of their own, run by digest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final

Command = tuple[Any, ...]
"""A Redis command and its arguments."""
_SCRIPTS: Final[dict[str, str]] = {}


class Script:
    """A Lua script, preceded by the files whose functions it calls."""

    def __init__(self, package: str, *files: str) -> None:
        """Read `files` from the package's `lua` folder. `package:name` names a file of another package. The last file
        is the script; the others define functions for it."""
        self.text = "\n".join(_lua(package, name) for name in files)
        self.digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, keys: Sequence[str], *arguments: Any) -> Command:
        """Return the command that runs the script."""
        _SCRIPTS[self.digest] = self.text
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)


def script_text(digest: str) -> str:
    """Return the text of a script that was called before."""
    return _SCRIPTS[digest]


def _lua(package: str, name: str) -> str:
    other, _, file = name.rpartition(":")
    return (resources.files(other or package) / "lua" / file).read_text()
