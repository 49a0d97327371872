"""A Redis Cluster of three masters and three replicas, as real processes on loopback ports."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.crc import key_slot

from tests.support.named_servers import NamedServers
from tests.support.ports import free_node_port
from tests.support.waiting import eventually

MASTERS = ("a", "b", "c")
REPLICAS = {"x": "a", "y": "b", "z": "c"}
"""The replicas and the masters that they follow at the start."""


class ClusteredRedis(NamedServers):
    """Six servers: the masters `a`, `b` and `c` with a third of the slots each, and their replicas `x`, `y` and `z`."""

    def __init__(self, folder: Path, *, node_timeout_ms: int = 500, replicated: bool = True) -> None:
        super().__init__(folder)
        self.names = (*MASTERS, *(REPLICAS if replicated else ()))
        self._node_timeout_ms = node_timeout_ms

    @property
    def url(self) -> str:
        """The address of the first master."""
        return self.url_of("a")

    def url_of(self, *names: str) -> str:
        """Return an address that names these servers."""
        return "redis://" + ",".join(f"127.0.0.1:{self.ports[name]}" for name in names)

    def __enter__(self) -> ClusteredRedis:
        try:
            for name in self.names:
                self.ports[name] = free_node_port()
                self.start(name)
            self._join()
        except BaseException:
            self.close()
            raise
        return self

    def start(self, name: str) -> None:
        """Start a server, with the data and the name that it had before."""
        options = {
            "port": self.ports[name],
            "bind": "127.0.0.1",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "no",
            "cluster-enabled": "yes",
            "cluster-node-timeout": self._node_timeout_ms,
            "cluster-replica-validity-factor": 0,
            "repl-diskless-sync-delay": 0,
        }
        self.run(name, [word for option, value in options.items() for word in (f"--{option}", value)])

    def command(self, name: str, *words: Any) -> Any:
        """Return the answer of one server to a command."""
        with self.client(name) as client:
            execute: Callable[..., Any] = client.execute_command
            return execute(*words)

    def ident(self, name: str) -> str:
        """Return the id that the cluster knows a server by."""
        return str(self.command(name, "CLUSTER MYID"))

    def is_master(self, name: str) -> bool:
        """Return whether a server says that it is a master."""
        with contextlib.suppress(redis.exceptions.RedisError):
            return str(self.command(name, "ROLE")[0]) == "master"
        return False

    def serves(self, names: Iterable[str] = ()) -> bool:
        """Return whether these servers, by default all that run, find the cluster complete."""
        for name in names or self._processes:
            try:
                if self.command(name, "CLUSTER INFO")["cluster_state"] != "ok":
                    return False
            except redis.exceptions.RedisError:
                return False
        return True

    def fail_over(self, replica: str) -> None:
        """Let a replica take the place of its living master."""

        def done() -> bool:
            # An attempt fails silently if the master has not met the replica in its new role yet.
            if not self.is_master(replica) and self._linked(replica):
                self.command(replica, "CLUSTER FAILOVER")
                with contextlib.suppress(AssertionError):
                    eventually(lambda: self.is_master(replica), within=10)
            return all(self._serves_slots(replica, name) for name in self._processes)

        eventually(done, f"{replica} is a master and the old one follows")

    def _serves_slots(self, server: str, name: str) -> bool:
        """Return whether a server is a master with slots as `name` sees it."""
        seen = self.command(name, "CLUSTER NODES").get(f"127.0.0.1:{self.ports[server]}", {})
        return "master" in seen.get("flags", "") and bool(seen.get("slots"))

    def master_of(self, key: str) -> str:
        """Return the master that has a key's slot at the start."""
        return MASTERS[_third(key)]

    def key_at(self, name: str, prefix: str = "k") -> str:
        """Return a key in a slot that this master has at the start."""
        return next(key for key in (f"{prefix}{n}" for n in range(1000)) if self.master_of(key) == name)

    def _join(self) -> None:
        for name, (first, end) in zip(MASTERS, _thirds(), strict=True):
            self.command(name, "CLUSTER ADDSLOTS", *range(first, end))
        for epoch, name in enumerate(self.names, 1):
            self.command(name, "CLUSTER SET-CONFIG-EPOCH", epoch)
            self.command(name, "CLUSTER MEET", "127.0.0.1", self.ports["a"])
        size = len(self.names)
        eventually(lambda: all(self._knows(name) == size for name in self.names), "all have met")
        replicas = [name for name in self.names if name in REPLICAS]
        eventually(lambda: all(map(self._follows, replicas)), "the replicas follow")
        eventually(self.serves, "the cluster serves")
        eventually(lambda: all(map(self._linked, replicas)), "the replicas have the data")

    def _knows(self, name: str) -> int:
        return int(self.command(name, "CLUSTER INFO")["cluster_known_nodes"])

    def _follows(self, replica: str) -> bool:
        with contextlib.suppress(redis.exceptions.ResponseError):  # it has not met its master yet
            return bool(self.command(replica, "CLUSTER REPLICATE", self.ident(REPLICAS[replica])))
        return False

    def _linked(self, replica: str) -> bool:
        with self.client(replica) as client:
            return bool(client.info("replication").get("master_link_status") == "up")


def _thirds() -> list[tuple[int, int]]:
    """Return the first slot and the end of the slots of each master."""
    count = len(MASTERS)
    return [(SLOTS * place // count, SLOTS * (place + 1) // count) for place in range(count)]


def _third(key: str) -> int:
    slot = key_slot(key.encode())
    return next(place for place, (first, end) in enumerate(_thirds()) if first <= slot < end)
