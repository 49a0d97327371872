"""A master, a replica and a Sentinel that fails over between them, as real processes on loopback ports."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import redis

from tests.support.named_servers import NamedServers
from tests.support.ports import free_port
from tests.support.waiting import eventually

MASTER = "kozyr-master"


class ReplicatedRedis(NamedServers):
    """Two servers, `first` and `second`, and a Sentinel. At the start the first is the master."""

    def __init__(self, folder: Path, *, failover_ms: int = 300) -> None:
        super().__init__(folder)
        self.ports = {"first": free_port(), "second": free_port(), "sentinel": free_port()}
        self._failover_ms = failover_ms

    @property
    def url(self) -> str:
        """The address that names the Sentinel."""
        return f"redis+sentinel://127.0.0.1:{self.ports['sentinel']}/{MASTER}"

    def __enter__(self) -> ReplicatedRedis:
        try:
            self.start("first")
            self.start("second", "--replicaof", "127.0.0.1", str(self.ports["first"]))
            eventually(
                lambda: self.client("second").info("replication")["master_link_status"] == "up",
                "the replica follows",
            )
            self._start_sentinel()
        except BaseException:
            self.close()
            raise
        return self

    def start(self, name: str, *more: str) -> None:
        """Start a server."""
        port = self.ports[name]
        self.run(name, ["--port", port, "--save", "", "--repl-diskless-sync-delay", 0, *more])

    def fail_over(self) -> bool:
        """Let the Sentinel swap master and replica. Return whether it began."""
        with contextlib.suppress(redis.exceptions.ResponseError):
            sentinel: Any = self.client("sentinel")
            return bool(sentinel.execute_command("SENTINEL", "FAILOVER", MASTER))
        return False

    def _start_sentinel(self) -> None:
        configuration = self.folder / "sentinel.conf"
        configuration.write_text(
            f"port {self.ports['sentinel']}\n"
            f"sentinel monitor {MASTER} 127.0.0.1 {self.ports['first']} 1\n"
            f"sentinel down-after-milliseconds {MASTER} {self._failover_ms}\n"
            f"sentinel failover-timeout {MASTER} 5000\n"
        )
        self.run("sentinel", [configuration, "--sentinel"])
        sentinel: Any = self.client("sentinel")
        eventually(
            lambda: len(sentinel.execute_command("SENTINEL", "REPLICAS", MASTER)) == 1,
            "the Sentinel knows the replica",
        )
