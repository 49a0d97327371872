"""Clients for an address of Redis: a server (`redis://`, `rediss://`, `unix://`), or the master that Sentinels name
(`redisio.sentinel`).

A client of Sentinels asks them again at each connect, so that it follows a failover.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel

from redisio.hosts import Node
from redisio.sentinel import sentinel_address

SENTINEL_TIMEOUT_S: Final = 0.5


def node_url(url: str, node: Node) -> str:
    """Return the address of one server that takes the same credentials and certificates."""
    parts = urlsplit(url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{login}@{node}" if login else str(node)).geturl()


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
