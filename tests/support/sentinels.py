"""Redis servers and Sentinels: real processes, each with a loopback address and a folder of its own."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from pathlib import Path
from typing import Any, Final

import redis

from server.embedded import find_server
from tests.support.ports import free_port

SERVERS: Final = ("redis-0", "redis-1", "redis-2")
SENTINELS: Final = ("sentinel-0", "sentinel-1", "sentinel-2")
MASTER: Final = "kozyr"
PASSWORD: Final = "a-password-of-redis"


class Sentinels:
    """Three servers and three Sentinels, by name. Each keeps its folder, and so its role, when it is killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.redis_port, self.sentinel_port = free_port(), free_port()
        net = f"127.{random.randrange(1, 255)}.{random.randrange(255)}"
        self.hosts = {name: f"{net}.{number}" for number, name in enumerate((*SERVERS, *SENTINELS), 1)}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._sentinel = folder / "redis-sentinel"
        self._sentinel.symlink_to(find_server())  # which runs as a Sentinel by this name

    @property
    def url(self) -> str:
        """The address that names the Sentinels."""
        hosts = ",".join(f"{self.hosts[name]}:{self.sentinel_port}" for name in SENTINELS)
        return f"redis+sentinel://:{PASSWORD}@{hosts}/{MASTER}?sentinel_password={PASSWORD}"

    def __enter__(self) -> Sentinels:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill(*self.running)

    @property
    def running(self) -> list[str]:
        """The names of the processes that run."""
        return list(self._processes)

    def start(self, *names: str) -> None:
        """Start processes, without waiting until they are ready."""
        for name in names:
            folder = self.folder / name
            if not folder.exists():
                folder.mkdir()
                (folder / "conf").write_text("\n".join(self._configuration(name)) + "\n", encoding="utf-8")
            program = find_server() if name in SERVERS else self._sentinel
            with (folder / "log").open("ab") as log:
                self._processes[name] = subprocess.Popen(
                    [str(program), str(folder / "conf")],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )

    def _configuration(self, name: str) -> list[str]:
        """Return the lines of a first start. The first server is the master; later the Sentinels change the lines."""
        common = [f"bind {self.hosts[name]}", f"dir {self.folder / name}", f"requirepass {PASSWORD}"]
        first = f"{self.hosts[SERVERS[0]]} {self.redis_port}"
        if name in SENTINELS:
            return [
                *common,
                f"port {self.sentinel_port}",
                f"sentinel announce-ip {self.hosts[name]}",
                f"sentinel monitor {MASTER} {first} 2",
                f"sentinel auth-pass {MASTER} {PASSWORD}",
                f"sentinel sentinel-pass {PASSWORD}",
                f"sentinel down-after-milliseconds {MASTER} 3000",
                f"sentinel failover-timeout {MASTER} 10000",
            ]
        return [
            *common,
            *([] if name == SERVERS[0] else [f"replicaof {first}"]),
            f"port {self.redis_port}",
            f"replica-announce-ip {self.hosts[name]}",
            f"masterauth {PASSWORD}",
            "appendonly yes",
            "appendfsync always",
            "maxmemory-policy noeviction",
            "min-replicas-to-write 1",
        ]

    def kill(self, *names: str) -> None:
        """Send SIGKILL to processes."""
        for name in names:
            process = self._processes.pop(name)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def freeze(self, name: str) -> None:
        """Stop a process without closing its connections."""
        os.killpg(self._processes[name].pid, signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let a frozen process go on."""
        os.killpg(self._processes[name].pid, signal.SIGCONT)

    def client(self, name: str) -> redis.Redis:
        """Return a client for one server or Sentinel."""
        port = self.redis_port if name in SERVERS else self.sentinel_port
        return redis.Redis(
            self.hosts[name], port, password=PASSWORD, protocol=2, decode_responses=True, socket_timeout=5
        )

    def command(self, name: str, *words: Any) -> Any:
        """Return the answer of one server or Sentinel to a command, or `None` if it does not answer."""
        with contextlib.suppress(redis.exceptions.RedisError), self.client(name) as client:
            execute: Any = client.execute_command
            return execute(*words)
        return None

    def master(self) -> str | None:
        """Return the master that all running Sentinels agree on, or `None` if they don't."""
        found = {
            tuple(self.command(name, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER) or ())
            for name in self.running
            if name in SENTINELS
        }
        if len(found) != 1:
            return None
        return next((name for name in SERVERS if (self.hosts[name], str(self.redis_port)) in found), None)

    def settled(self, master: str | None = None) -> bool:
        """Return whether all know each other, and this master, or any one, has all other servers as replicas."""
        known = self.master()
        if known is None or master not in (None, known):
            return False
        for name in SERVERS:
            role = self.command(name, "ROLE")
            if name == known:
                if not role or role[0] != "master" or len(role[2]) != len(SERVERS) - 1:
                    return False
            elif not role or role[:2] != ["slave", self.hosts[known]] or role[3] != "connected":
                return False
        answers = [self.command(name, "SENTINEL", "MASTER", MASTER) or () for name in SENTINELS]
        known_to = [dict(zip(answer[::2], answer[1::2], strict=True)) for answer in answers]
        return all(each.get("num-slaves") == each.get("num-other-sentinels") == "2" for each in known_to)
