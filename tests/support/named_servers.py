"""Redis servers that tests kill and freeze by name."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import redis

from server.embedded import find_server
from tests.support.waiting import eventually


class NamedServers:
    """Running servers by name, each with a folder of its own and a loopback port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports: dict[str, int] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __exit__(self, *exc: object) -> None:
        self.close()

    def client(self, name: str) -> redis.Redis:
        """Return a client for one server, which follows no redirection."""
        return redis.Redis(port=self.ports[name], protocol=2, decode_responses=True, socket_timeout=5)

    def kill(self, name: str) -> None:
        """Send SIGKILL to a server."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def freeze(self, name: str) -> None:
        """Stop a server without closing its connections."""
        self._processes[name].send_signal(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let a frozen server go on."""
        self._processes[name].send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Kill everything."""
        for name in list(self._processes):
            self.kill(name)

    def run(self, name: str, words: Sequence[object]) -> None:
        """Start a server with these arguments, and wait until it answers."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        with (home / "log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [str(find_server()), *map(str, words), "--dir", str(home)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        eventually(lambda: self._answers(name), f"{name} answers")

    def _answers(self, name: str) -> bool:
        ended = self._processes[name].poll()
        if ended is not None:
            raise RuntimeError(
                f"{name} ended with {ended}: {(self.folder / name / 'log').read_text()[-3000:]}"
            )
        with contextlib.suppress(redis.exceptions.RedisError), self.client(name) as client:
            return bool(client.ping())
        return False
