"""Keep a few processes running: start them, restart those that die, stop them in stages.

Each child leads its own session, so Ctrl-C on the terminal reaches only the supervisor. Before a restart the whole
process group is killed, such as gunicorn workers whose master was killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from kozyr.terminal import echo
from server.config.folder import UnusableFolder, usable
from workers.stop_request import StopRequest

LOOK_EVERY_S = 0.05
LARGEST_LOG = 10 * 1024 * 1024
_PIECE = 65_536
_LAST_LINES_S = 1.0
"""How long the last lines of a child may take to reach its log, in seconds."""
CANNOT_WORK = 2
"""The status of a command that reports an error which the user must fix."""
LAST_WORDS = 4096
MOST_FAILURES = 3
"""How often a needed child may end before the supervisor gives up."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Child:
    """A process to keep running. The highest `stage` stops first: a process can use those of lower stages to its end.

    It first starts when `starts_when` returns true, which is asked again and again.

    A child with `once` may end: with status 0 it is done; with any other it is restarted. Others wait for a `needed`
    child before their first start; if it ends `MOST_FAILURES` times meanwhile, the supervisor gives up.
    """

    name: str
    command: Sequence[str]
    stage: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    once: bool = False
    needed: bool = False
    reloads: bool = False
    starts_when: Callable[[], bool] = lambda: True


class CannotWork(RuntimeError):
    """The log of a child can't be written, or its first process ended early with `CANNOT_WORK`, or a needed child keeps
    dying. The text says why; mostly it is the last line of the log."""


@dataclass(frozen=True)
class ProcessHealth:
    """The state of a child: `waiting` before its first start, `running`, `restarting`, `done` or `stopped`."""

    name: str
    state: str
    pid: int | None
    starts: int
    status: int | None


def opened(log: Path) -> FileIO:
    """Open a log in a folder that only this user can read, as addresses of clients and errors are in it."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.parent.chmod(0o700)
    log.touch(mode=0o600)
    log.chmod(0o600)
    return log.open("ab", buffering=0)


def write_log(log: Path, lines: BinaryIO) -> None:
    """Write what a child prints to its log, until it ends. A log that is too large becomes `.log.1`, and loses nothing.
    What does not fit on a full disk is dropped."""
    out = opened(log)
    with lines:
        while piece := os.read(lines.fileno(), _PIECE):
            with contextlib.suppress(OSError):
                out.write(piece)
                if out.tell() > LARGEST_LOG and piece.endswith(b"\n"):
                    log.replace(log.with_suffix(".log.1"))
                    out.close()
                    out = opened(log)
    out.close()


class _Kept:
    """A child with its current process."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.process: subprocess.Popen[bytes] | None = None
        self._writing: threading.Thread | None = None
        self.starts = 0
        self.since = time.monotonic()
        self.next_start = 0.0
        self.failures = 0
        self.status: int | None = None
        self.state = "waiting"

    def start(self) -> None:
        child = self.child
        environment = {**os.environ, **child.environment, "KOZYR_PARENT": str(os.getpid())}
        out = None if child.log is None else subprocess.PIPE
        if child.log is not None:
            with usable(child.log.parent):
                opened(child.log).close()
        self.process = subprocess.Popen(
            list(child.command),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out and subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        if child.log is not None:
            self._writing = threading.Thread(
                target=write_log, args=(child.log, self.process.stdout), daemon=True
            )
            self._writing.start()
        self.starts += 1
        self.since = time.monotonic()
        self.state = "running"

    def is_due(self, now: float) -> bool:
        """Return whether the process should be started."""
        if self.state == "waiting":
            return self.child.starts_when()
        return self.state == "restarting" and now >= self.next_start

    def ended(self) -> bool:
        """Return whether the process is dead. If so, kill its group before its id can be reused."""
        process = self.process
        assert process is not None
        if process.returncode is None:
            try:
                if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                    return False
            except ChildProcessError:
                pass
            self.signal_group(signal.SIGKILL)
            process.wait()
        if self._writing is not None:
            self._writing.join(_LAST_LINES_S)
            self._writing = None
        return True

    def signal_group(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)

    def tell(self, number: signal.Signals) -> None:
        """Send a signal to the process only; it handles its own children."""
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, number)

    def last_words(self) -> str:
        """Return the last line of the log, or what happened if there is none."""
        log = self.child.log
        text = log.read_bytes()[-LAST_WORDS:].decode(errors="replace").strip() if log is not None else ""
        return text.splitlines()[-1] if text else f"{self.child.name} ended with status {self.status}"

    def health(self) -> ProcessHealth:
        running = self.process is not None and self.state == "running"
        pid = self.process.pid if running and self.process else None
        return ProcessHealth(self.child.name, self.state, pid, self.starts, self.status)


class Supervisor:
    """Runs children until `stop` is called or SIGINT or SIGTERM arrives.

    Stage 0 (Redis) stops last and has `last_s` seconds to end; all others together have `grace_s`. What still runs
    then is killed. SIGHUP is passed on to the children with `reloads`.
    """

    def __init__(
        self,
        children: Sequence[Child],
        *,
        grace_s: float = 3.0,
        last_s: float = 1.5,
        longest_backoff_s: float = 10.0,
        first_backoff_s: float = 0.1,
    ) -> None:
        self._kept = [_Kept(child) for child in sorted(children, key=lambda child: child.stage)]
        self._stages = sorted({child.stage for child in children})
        self._stopping = StopRequest()
        self._reload = False
        self._grace_s = grace_s
        self._last_s = last_s
        self._longest_backoff_s = longest_backoff_s
        self._first_backoff_s = first_backoff_s

    def health(self) -> list[ProcessHealth]:
        """Return the state of each child, in order of start. Safe to call from any thread."""
        return [kept.health() for kept in self._kept]

    def has_started_all(self) -> bool:
        """Return whether each child has been started. Safe to call from any thread."""
        return all(kept.state != "waiting" for kept in self._kept)

    def stop(self) -> None:
        """Make `run` stop all children and return."""
        self._stopping.set()

    def reload(self) -> None:
        """Send SIGHUP to the children with `reloads`."""
        self._reload = True

    def run(self, *, signals: bool = True) -> None:
        """Start all children and keep them running until `stop`. With `signals`, call this from the main thread.

        Raise `CannotWork` if a child reports, soon after its first start, what no restart would mend.
        """
        before = {number: signal.signal(number, self._on_signal) for number in SIGNALS} if signals else {}
        try:
            while not self._stopping.is_set():
                self._look()
                if self._reload:
                    self._reload = False
                    for kept in self._kept:
                        if kept.child.reloads:
                            kept.tell(signal.SIGHUP)
                self._stopping.wait(LOOK_EVERY_S)
        finally:
            self._stop_all()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self.reload()
        else:
            self.stop()

    def _look(self) -> None:
        """Notice dead children and start those that are due."""
        now = time.monotonic()
        for kept in self._kept:
            if kept.is_due(now):
                self._start(kept)
            elif kept.state == "running" and kept.ended():
                assert kept.process is not None
                kept.status = kept.process.returncode
                if kept.child.once and kept.status == 0:
                    kept.state = "done"
                    continue
                if kept.status == CANNOT_WORK and kept.starts == 1 and self._is_young(kept, now):
                    raise CannotWork(kept.last_words())
                self._start_later(kept, now)
                if kept.child.needed and kept.starts >= MOST_FAILURES and not self.has_started_all():
                    raise CannotWork(f"{kept.child.name} does not start: {kept.last_words()}")

    def _start(self, kept: _Kept) -> None:
        try:
            kept.start()
        except OSError as why:
            if kept.starts == 0 and isinstance(why, UnusableFolder):
                raise CannotWork(str(why)) from why
            echo(f"{kept.child.name} can't be started: {why}", err=True)
            self._start_later(kept, time.monotonic())

    def _start_later(self, kept: _Kept, now: float) -> None:
        """Schedule a restart: at once after the first death, with backoff if the child keeps dying early."""
        kept.failures = kept.failures + 1 if self._is_young(kept, now) else 1
        wait = 0.0 if kept.failures == 1 else self._first_backoff_s * 2 ** min(kept.failures - 2, 16)
        kept.next_start = now + min(wait, self._longest_backoff_s)
        kept.since = now
        kept.state = "restarting"

    def _is_young(self, kept: _Kept, now: float) -> bool:
        """Return whether the last process of a child ended soon after its start."""
        return now - kept.since < self._longest_backoff_s

    def _stop_all(self) -> None:
        for number in reversed(self._stages):
            stage = [kept for kept in self._kept if kept.child.stage == number]
            last = number == self._stages[0]
            self._stop_stage(stage, self._last_s if last else self._grace_s / max(1, len(self._stages) - 1))

    def _stop_stage(self, stage: list[_Kept], within: float) -> None:
        for kept in stage:
            kept.tell(signal.SIGTERM)
        deadline = time.monotonic() + within
        alive = [kept for kept in stage if kept.process is not None]
        while alive and time.monotonic() < deadline:
            alive = [kept for kept in alive if not kept.ended()]
            if alive:
                time.sleep(0.01)
        for kept in alive:
            kept.signal_group(signal.SIGKILL)
            assert kept.process is not None
            kept.process.wait()
            kept.ended()
        for kept in stage:
            if kept.process is not None:
                kept.status = kept.process.returncode
            if kept.state != "done":
                kept.state = "stopped"


def is_supervised() -> bool:
    """Return whether a supervisor has started this process. Ask before `tie_to_parent`."""
    return "KOZYR_PARENT" in os.environ


def tie_to_parent() -> None:
    """End this process when the supervisor that started it ends, even by SIGKILL. Without a supervisor, do nothing.

    Linux only. Elsewhere the children of a killed supervisor keep running, and hold the lock on Redis's folder.
    """
    parent = os.environ.pop("KOZYR_PARENT", "")
    if not parent.isdecimal() or not sys.platform.startswith("linux"):
        return
    die_with_parent = 1  # PR_SET_PDEATHSIG
    ctypes.CDLL(None, use_errno=True).prctl(die_with_parent, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != int(parent):
        sys.exit("the supervisor is gone")
