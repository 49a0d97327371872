"""What Windows does otherwise than POSIX: file locks, process groups, signals."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import IO, Any, Final

_HAS_GROUPS: Final = hasattr(os, "killpg")
_BREAK: Final = getattr(signal, "SIGBREAK", None)
STOP_SIGNALS: Final = tuple(filter(None, (signal.SIGINT, signal.SIGTERM, _BREAK)))
"""The signals that ask a command to stop: Ctrl-C, the end of the session, and what `terminate` sends on Windows."""
_RETRY_S: Final = 0.05


def lock(file: IO[Any]) -> None:
    """Lock a file until it is closed. Wait while another process has it locked."""
    try:
        import fcntl
    except ImportError:
        _lock_on_windows(file)
    else:
        fcntl.flock(file, fcntl.LOCK_EX)


def _lock_on_windows(file: IO[Any]) -> None:
    import msvcrt

    while True:
        with contextlib.suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # Windows
            return
        time.sleep(_RETRY_S)


def start(words: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own, so that Ctrl-C does not reach it. Raise `OSError`."""
    if _HAS_GROUPS:
        return subprocess.Popen(words, start_new_session=True, **options)
    # Windows finds `npm.cmd` only by its full name.
    options["creationflags"] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen([shutil.which(words[0]) or words[0], *words[1:]], **options)


def status(process: subprocess.Popen[bytes]) -> int | None:
    """Return the exit status of a program from `start`, or minus the number of the signal that ended it; `None` while
    it runs. Its id is not reused before somebody waits for it."""
    if not hasattr(os, "waitid"):
        return process.poll()
    found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def terminate(process: subprocess.Popen[bytes]) -> None:
    """Ask a program from `start` and its children to end. It must not have been waited for."""
    with contextlib.suppress(OSError):
        if _HAS_GROUPS:
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))


def end(process: subprocess.Popen[bytes], within_s: float) -> None:
    """Ask a program from `start` to end, and kill it and its children if it does not within this time."""
    terminate(process)
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        kill(process)
        process.wait()


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program from `start` and its children at once. It must not have been waited for."""
    with contextlib.suppress(OSError):
        if _HAS_GROUPS:
            os.killpg(process.pid, signal.SIGKILL)
            return
        if process.poll() is None and shutil.which("taskkill"):
            subprocess.run(
                ["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False
            )
        process.kill()


@contextlib.contextmanager
def interruptions(*, at_once: bool = False) -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM, so that none interrupts the writing of a record. The second signal acts as usual.

    With `at_once` the first one also raises `KeyboardInterrupt`. Look at the list all the same: Python ignores an
    exception that is raised in a destructor.
    """
    came: list[int] = []
    asked = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in asked}

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        for each, handler in before.items():
            signal.signal(each, handler)
        if at_once:
            raise KeyboardInterrupt

    for number in asked:
        signal.signal(number, note)
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
