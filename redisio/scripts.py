"""Lua scripts in files of their own, run by digest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final

Command = tuple[Any, ...]
"""A Redis command and its arguments."""
READS: Final = frozenset(
    {
        *("ECHO", "EXISTS", "GET", "GETRANGE", "HEXISTS", "HGET", "HGETALL", "HLEN", "HMGET"),
        *("INFO", "LINDEX", "LLEN", "LRANGE", "MGET", "PING", "PTTL", "PUBLISH", "SCARD"),
        *("SISMEMBER", "SMEMBERS", "SMISMEMBER", "SSCAN", "STRLEN", "TIME", "TTL", "ZCARD"),
        *("ZCOUNT", "ZMSCORE", "ZRANGE", "ZRANGEBYLEX", "ZRANGEBYSCORE", "ZRANK", "ZREVRANGE"),
        *("ZREVRANGEBYSCORE", "ZREVRANK", "ZSCAN", "ZSCORE"),
    }
)
"""The commands that change no data. Every other counts as a write."""
_CALLED: Final = re.compile(r"redis\.p?call\(\s*(?:'(\w+)'|\"(\w+)\")?")
_SCRIPTS: Final[dict[str, str]] = {}
_READING: Final[set[str]] = set()
"""The digests of scripts that only read."""


class Script:
    """A Lua script, preceded by the files whose functions it calls."""

    def __init__(self, package: str, *files: str) -> None:
        """Read `files` from the package's `lua` folder. `package:name` names a file of another package. The last file
        is the script; the others define functions for it."""
        self.text = "\n".join(_lua(package, name) for name in files)
        self.digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, keys: Sequence[str], *arguments: Any) -> Command:
        if self.digest not in _SCRIPTS:
            _SCRIPTS[self.digest] = self.text
            if all((single or double).upper() in READS for single, double in _CALLED.findall(self.text)):
                _READING.add(self.digest)
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)


def writes(command: Command) -> bool:
    if command[0] == "EVALSHA":
        return command[1] not in _READING
    return command[0] not in READS


def script_text(digest: str) -> str:
    return _SCRIPTS[digest]


def _lua(package: str, name: str) -> str:
    other, _, file = name.rpartition(":")
    return (resources.files(other or package) / "lua" / file).read_text(encoding="utf-8")
