"""Redis servers that tests kill and freeze by name."""

from __future__ import annotations

import signal
import subprocess


class NamedServers:
    """Running servers by name."""

    _processes: dict[str, subprocess.Popen[bytes]]

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
