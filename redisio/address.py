"""Clients for an address of Redis: a server (`redis://`, `rediss://`, `unix://`), or the master that Sentinels name
(`redisio.hosts`).

A client of Sentinels asks all of them again at each connect, so that it follows a failover. Between the promotion of a
replica and the end of the failover, a master that is back may still have a replica that confirms its writes. They would
be lost, so no client connects to a master that is being replaced.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, Sentinel

from redisio.errors import WrongServers, is_refusal
from redisio.hosts import Node, sentinel_address

SENTINEL_TIMEOUT_S: Final = 0.5


class SentinelView(NamedTuple):
    """What one Sentinel knows about the master."""

    epoch: int
    """The number of the last failover that it knows."""
    address: tuple[str, int]
    is_down: bool
    is_replaced: bool
    """Whether a failover is under way that has not promoted a replica yet."""


class SentinelClient(Sentinel):
    """The Sentinels of an address, which are asked for the master one after the other."""

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Return the master of the last failover. Raise `MasterNotFoundError` if it is down or being replaced, or if
        no Sentinel knows one, and `WrongServers`."""
        views: list[SentinelView] = []
        errors: list[RedisError] = []
        for sentinel in self.sentinels:
            try:
                views.append(_view(sentinel, service_name))
            except RedisError as error:
                errors.append(error)
        if not views:
            kind = WrongServers if all(map(is_refusal, errors)) else MasterNotFoundError
            raise kind(f"no Sentinel names {service_name!r}: {'; '.join(map(str, errors))}")
        epoch = max(view.epoch for view in views)
        latest = [view for view in views if view.epoch == epoch]
        if any(view.is_replaced for view in latest) or all(view.is_down for view in latest):
            raise MasterNotFoundError(f"the master {service_name!r} is down or being replaced")
        return latest[0].address


def _view(sentinel: Any, master: str) -> SentinelView:
    """Ask one Sentinel. Raise `RedisError`."""
    try:
        words = [word.decode() for word in sentinel.execute_command("SENTINEL", "MASTER", master)]
    except ResponseError as error:
        if "unknown command" in str(error):
            raise WrongServers("a server there is no Sentinel") from error
        raise
    state = dict(zip(words[::2], words[1::2], strict=True))
    # From the promotion on, this is the address of the promoted replica, while the state is still the old master's.
    host, port = sentinel.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", master)
    address = (host.decode(), int(port))
    is_current = address == (state["ip"], int(state["port"]))
    flags = set(state["flags"].split(","))
    return SentinelView(
        int(state["config-epoch"]),
        address,
        is_down=is_current and "s_down" in flags,
        is_replaced=is_current and not flags.isdisjoint({"o_down", "failover_in_progress"}),
    )


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
    # A Sentinel that does not answer must not delay the failover.
    asking = {**durations, "socket_timeout": SENTINEL_TIMEOUT_S, "socket_connect_timeout": SENTINEL_TIMEOUT_S}
    asking |= {"protocol": 2, **found.sentinels}
    sentinel = SentinelClient(found.hosts, sentinel_kwargs=asking)  # type: ignore[no-untyped-call]  # redis-py's
    client: redis.Redis = sentinel.master_for(found.master, protocol=2, **found.redis, **durations)  # type: ignore[no-untyped-call]  # redis-py's
    return client
