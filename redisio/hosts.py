"""Addresses that name several servers. This module imports no redis-py, so settings are read before gevent patches.

    redis://user:password@host:6379,host:6379                     nodes of a Redis Cluster
    redis+sentinel://user:password@host:26379,host:26379/NAME     Sentinels that watch over the master NAME

User and password are those of every Redis server. The port may be missing. Parameters of Sentinels: `db`, and
`sentinel_username` and `sentinel_password` for the Sentinels themselves.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

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


SENTINEL_SCHEMES: Final = {"redis+sentinel": False, "rediss+sentinel": True}
"""The schemes of Sentinel addresses, and whether they use TLS."""
DEFAULT_SENTINEL_PORT: Final = 26379
_PARAMETERS: Final = frozenset(
    {"db", "sentinel_username", "sentinel_password", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile"}
)


class SentinelAddress(NamedTuple):
    """A parsed Sentinel address."""

    hosts: tuple[Node, ...]
    master: str
    redis: dict[str, Any]
    """Arguments of the connections to Redis."""
    sentinels: dict[str, Any]
    """Arguments of the connections to the Sentinels."""


def sentinel_address(url: str) -> SentinelAddress | None:
    """Return the parts of a Sentinel address, or `None` for the address of a server. Raise `ValueError`."""
    parts = urlsplit(url)
    if parts.scheme not in SENTINEL_SCHEMES:
        return None
    given = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    master = unquote(parts.path.strip("/"))
    if not master or "/" in master or not given.keys() <= _PARAMETERS:
        raise ValueError(f"not a Sentinel address: {parts.scheme}://…{parts.path}")
    tls = {name: value for name, value in given.items() if name.startswith("ssl_")}
    if SENTINEL_SCHEMES[parts.scheme]:
        tls["ssl"] = True  # type: ignore[assignment]  # a flag among paths
    login = parts.netloc.rpartition("@")[0]
    user, _, password = login.partition(":")
    server = {"username": unquote(user) or None, "password": unquote(password) or None}
    sentinels = {
        "username": given.get("sentinel_username"),
        "password": given.get("sentinel_password"),
    }
    return SentinelAddress(
        hosts(parts, DEFAULT_SENTINEL_PORT),
        master,
        {"db": int(given.get("db", "0")), **server, **tls},
        {**sentinels, **tls},
    )
