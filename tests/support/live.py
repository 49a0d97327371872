"""The real processes of a service, in a temporary folder and on a free loopback port."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import httpx
import redis

from server import embedded
from server.config.settings import Settings, load
from tests.support.ports import free_port
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
ALL = ("redis", "api", "clock", "worker")


class LiveService:
    """Start, kill and restart the processes of a service by name, and read their logs.

    `settings` are environment variables (`{"KOZYR_TICK_MS": "20"}`); `commands` replaces the commands of processes.
    Redis is embedded, with its data in the folder, unless `redis_url` names another server.
    """

    def __init__(
        self,
        folder: Path,
        parts: Sequence[str] = ALL,
        *,
        settings: Mapping[str, str] | None = None,
        commands: Mapping[str, Sequence[str]] | None = None,
        redis_url: str | None = None,
        port: int | None = None,
        ready_path: str = "/readyz",
    ) -> None:
        self.var = folder / "var"
        self.port = port or free_port()
        self.metrics_port = free_port()
        self.parts = tuple(parts)
        self.ready_path = ready_path
        self._commands = dict(commands or {})
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._own_redis = redis_url is None
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("KOZYR_")},
            "KOZYR_VAR": str(self.var),
            "KOZYR_PORT": str(self.port),
            "KOZYR_METRICS_PORT": str(self.metrics_port),
            "KOZYR_SECRET": secrets.token_hex(32),
            "KOZYR_RATE_ANONYMOUS": "0",  # tests poll without a token
            "PYTHONPATH": str(ROOT),
            **(settings or {}),
        }
        if redis_url is not None:
            self._environment["KOZYR_REDIS_URL"] = redis_url
        elif "redis" in self.parts:
            self._environment["KOZYR_REDIS_URL"] = embedded.of(load(self._environment)).url

    @property
    def settings(self) -> Settings:
        """The settings of the processes."""
        return load(self._environment)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the processes."""
        return dict(self._environment)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def redis_url(self) -> str:
        return self._environment["KOZYR_REDIS_URL"]

    def redis(self) -> redis.Redis:
        """Open a connection to the service's Redis, to inspect its data."""
        return redis.Redis.from_url(self.redis_url, protocol=2)

    def metrics(self) -> str:
        """Return the text of the metrics. The new connection may reach any process of the API."""
        found = httpx.get(f"http://127.0.0.1:{self.metrics_port}/metrics", trust_env=False, timeout=90)
        assert found.is_success, found.text
        return found.text

    def http(self, **more: object) -> httpx.Client:
        """Return an HTTP client for the API."""
        return httpx.Client(base_url=self.url, trust_env=False, timeout=90, **more)  # type: ignore[arg-type]  # passed on

    def kozyr(self, *words: str, **more: str | None) -> subprocess.CompletedProcess[str]:
        """Run a command in the environment of the processes, changed by `more`; `None` removes a variable."""
        environment = {
            name: value for name, value in {**self._environment, **more}.items() if value is not None
        }
        return subprocess.run(
            [sys.executable, "-m", "kozyr", *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def __enter__(self) -> LiveService:
        try:
            for name in self.parts:
                self.start(name)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, name: str, *, wait: bool = True, within: float = 120.0) -> None:
        """Start a process. With `wait`, return once it serves (api, redis)."""
        assert not self.running(name), f"{name} is already running"
        log = self.log_file(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        environment = dict(self._environment)
        if name == "redis":
            environment.pop("KOZYR_REDIS_URL", None)  # the embedded Redis starts only without a URL
        if threading.current_thread() is threading.main_thread():
            environment["KOZYR_PARENT"] = str(os.getpid())
        with log.open("ab") as out:
            self._processes[name] = subprocess.Popen(
                list(self._commands.get(name, [sys.executable, "-m", "kozyr", name])),
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        if wait:
            self.wait_for(name, within)

    def wait_for(self, name: str, within: float = 120.0) -> None:
        """Wait until a started process serves (api, redis)."""
        eventually(
            lambda: self._serves(name), f"{name} serves; its log:\n{self.log(name)[-3000:]}", within=within
        )

    def kill(self, name: str) -> None:
        """Send SIGKILL to the process and its group."""
        process = self._processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def terminate(self, name: str, within: float = 60.0) -> int:
        """Send SIGTERM and return the exit status."""
        process = self._processes.pop(name)
        process.terminate()
        try:
            return process.wait(within)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def restart(self, name: str) -> None:
        """Kill a process and start it again."""
        self.kill(name)
        self.start(name)

    def signal(self, name: str, number: signal.Signals) -> None:
        os.kill(self._processes[name].pid, number)

    def wait_for_end(self, name: str, within: float) -> None:
        """Wait for the end of a process that something else ends."""
        self._processes[name].wait(within)
        del self._processes[name]

    @contextlib.contextmanager
    def frozen(self, name: str) -> Iterator[None]:
        """Freeze a process and its group during the block."""
        group = self._processes[name].pid
        os.killpg(group, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(group, signal.SIGCONT)

    def kill_one_api_worker(self) -> int:
        """Send SIGKILL to a gunicorn worker, which gunicorn replaces. Return its process id."""
        victim = self.api_workers()[0]
        os.kill(victim, signal.SIGKILL)
        return victim

    def api_workers(self) -> list[int]:
        """Return the process ids of gunicorn's workers (Linux)."""
        pid = self._processes["api"].pid
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def pid(self, name: str) -> int:
        return self._processes[name].pid

    def running(self, name: str) -> bool:
        process = self._processes.get(name)
        return process is not None and process.poll() is None

    def log_file(self, name: str) -> Path:
        return self.var / "log" / f"{name}.log"

    def log(self, name: str) -> str:
        """Return the log of a process over all its starts."""
        path = self.log_file(name)
        return path.read_text(errors="replace") if path.exists() else ""

    def close(self) -> None:
        """Stop all processes, Redis last."""
        for name in sorted(self._processes, key=lambda name: name == "redis"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.terminate(name, within=20.0)
        self._processes.clear()

    def _serves(self, name: str) -> bool:
        assert self.running(name), f"{name} ended: {self.log(name)[-3000:]}"
        if name == "redis":
            return embedded.answers(self.redis_url) and self._pings()
        if name == "api":
            try:
                return _api_serves(httpx.get(self.url + self.ready_path, timeout=2, trust_env=False))
            except httpx.HTTPError:
                return False
        return True

    def _pings(self) -> bool:
        try:
            with contextlib.closing(self.redis()) as client:
                return bool(client.ping())
        except redis.exceptions.RedisError:
            return False


def _api_serves(answer: httpx.Response) -> bool:
    """Return whether the API itself works. The clock and the worker may be missing, since they start later."""
    parts = answer.json().get("parts", {}) if answer.is_error else {}
    return not answer.is_error or all(parts.get(name) for name in ("redis", "writes", "api"))
