"""Addresses that name several servers. This module imports no redis-py, so settings are read before gevent patches.

    redis://user:password@host:6379,host:6379     nodes of a Redis Cluster

User and password are those of every server. The port may be missing.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

DEFAULT_PORT: Final = 6379


class Node(NamedTuple):
    """The address of a server of a cluster, or of a Sentinel."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def cluster_nodes(url: str) -> tuple[Node, ...]:
    """Return the nodes that an address of a Redis Cluster names, each once. Raise `ValueError` with the reason."""
    parts = urlsplit(url)
    if parts.scheme not in {"redis", "rediss"}:
        raise ValueError(f"{parts.scheme}:// does not name nodes of a cluster")
    database = parts.path.strip("/")
    if database not in {"", "0"}:
        known = database.isdecimal()
        raise ValueError("a Redis Cluster has only database 0" if known else "the nodes come last")
    return hosts(parts, DEFAULT_PORT)


def hosts(parts: SplitResult, port: int) -> tuple[Node, ...]:
    """Return the servers of a split address, separated by commas, each once; `port` is the default. Raise `ValueError`
    with the reason."""
    texts = parts.netloc.rpartition("@")[2].split(",")
    return tuple(dict.fromkeys(_node(text, port) for text in texts))


def _node(text: str, port: int) -> Node:
    parts = SplitResult("", text, "", "", "")
    if not parts.hostname:
        raise ValueError("a server has no host")
    return Node(parts.hostname, port if parts.port is None else parts.port)
