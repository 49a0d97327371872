"""Clients for an address of Redis: a server, or the master that Sentinels name.

    redis://user:password@host:6379/0                             a server (also `rediss://` and `unix://`)
    redis+sentinel://user:password@host:26379,host:26379/NAME     the master NAME; user and password are those of Redis

Parameters of a Sentinel address: `db`, and `sentinel_username` and `sentinel_password` for the Sentinels themselves. A
client of such an address asks the Sentinels again at each connect, so that it follows a failover.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel

SENTINEL_SCHEMES: Final = {"redis+sentinel": False, "rediss+sentinel": True}
"""The schemes of Sentinel addresses, and whether they use TLS."""
DEFAULT_SENTINEL_PORT: Final = 26379
SENTINEL_TIMEOUT_S: Final = 0.5
_PARAMETERS: Final = frozenset(
    {"db", "sentinel_username", "sentinel_password", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile"}
)


class SentinelAddress(NamedTuple):
    """A parsed Sentinel address."""

    hosts: tuple[tuple[str, int], ...]
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
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    server = {"username": unquote(user) or None, "password": unquote(password) or None}
    sentinels = {
        "username": given.get("sentinel_username"),
        "password": given.get("sentinel_password"),
    }
    return SentinelAddress(
        tuple(_host(each) for each in hosts.split(",")),
        master,
        {"db": int(given.get("db", "0")), **server, **tls},
        {**sentinels, **tls},
    )


def client_for(url: str, *, timeout: float | None, connect_timeout: float = 5.0) -> redis.Redis:
    """Return a client for the server or the master at this address; timeouts are in seconds. Connects when first
    used."""
    durations: dict[str, Any] = {
        "socket_timeout": timeout,
        "socket_connect_timeout": connect_timeout,
        "socket_keepalive": True,
        "retry": Retry(NoBackoff(), 0),
    }
    found = sentinel_address(url)
    if found is None:
        if url.startswith("unix:"):
            del durations["socket_keepalive"]
        return redis.Redis.from_url(url, protocol=2, **durations)
    # A Sentinel that does not answer must not delay the failover: ask the next one.
    asking = {**durations, "socket_timeout": SENTINEL_TIMEOUT_S, "socket_connect_timeout": SENTINEL_TIMEOUT_S}
    sentinel = Sentinel(found.hosts, sentinel_kwargs={**found.sentinels, **asking})  # type: ignore[no-untyped-call]  # redis-py's
    client: redis.Redis = sentinel.master_for(found.master, protocol=2, **found.redis, **durations)  # type: ignore[no-untyped-call]  # redis-py's
    return client


def _host(text: str) -> tuple[str, int]:
    """Return host and port of a Sentinel. Raise `ValueError`."""
    parts = SplitResult("", text, "", "", "")
    if not parts.hostname:
        raise ValueError("a Sentinel has no host")
    return parts.hostname, parts.port or DEFAULT_SENTINEL_PORT
