"""A Redis Cluster of one node, with all slots, on a loopback port. A cluster can't use sockets."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS

from server.embedded import EmbeddedRedis
from tests.support.ports import free_node_port


class ClusterNode(EmbeddedRedis):
    """The node."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, appendfsync="no")
        self.port = free_node_port()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self) -> redis.Redis:
        return redis.Redis(host="127.0.0.1", port=self.port, protocol=2, socket_timeout=5)

    def wait_ready(self, within: float = 60.0) -> None:
        super().wait_ready(within)
        with self.client() as client:
            command: Callable[..., Any] = client.execute_command
            if command("CLUSTER INFO")["cluster_slots_assigned"] == "0":
                command("CLUSTER ADDSLOTS", *range(REDIS_CLUSTER_HASH_SLOTS))
            until = time.monotonic() + within
            while command("CLUSTER INFO")["cluster_state"] != "ok":
                assert time.monotonic() < until, "the cluster did not start in time"
                time.sleep(0.01)

    def _configuration(self) -> dict[str, str]:
        more = {"bind": "127.0.0.1", "port": str(self.port), "cluster-enabled": "yes"}
        usual = super()._configuration() | more
        return {name: value for name, value in usual.items() if not name.startswith("unixsocket")}
