"""Runs `kozyr` as on Windows: our modules find nothing that only POSIX has.

    python -m tests.support.like_windows play greedy random --game durak

Libraries and the standard library keep it, since they have code of their own for Windows.
"""

from __future__ import annotations

import asyncio
import builtins
import importlib
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

OURS: Final = frozenset({"bots", "engine", "kozyr", "kozyr_client", "records"})
MODULES: Final = frozenset({"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"})
LACKS: Final[Mapping[str, str]] = {
    "os": "chown fchmod fchown fork forkpty getegid geteuid getgid getpgid getuid killpg mkfifo nice posix_spawn "
    "register_at_fork set_blocking setpgid setsid uname wait waitid waitpid EX_OK O_CLOEXEC O_DIRECTORY O_NOFOLLOW "
    "WNOHANG",
    "select": "epoll poll POLLIN POLLOUT",
    "signal": "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGTSTP SIGUSR1 SIGUSR2 alarm ITIMER_REAL pause "
    "pthread_kill pthread_sigmask setitimer sigwait siginterrupt",
    "time": "tzset clock_gettime",
}
"""What Windows lacks, by module."""


class PartialModule(types.ModuleType):
    """A module without some of its names."""

    def __init__(self, whole: types.ModuleType, hidden: str) -> None:
        super().__init__(whole.__name__)
        self.__dict__["_whole"], self.__dict__["_hidden"] = whole, hidden.split()

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_hidden"]:
            raise AttributeError(f"Windows has no {self.__name__}.{name}")
        return getattr(self.__dict__["_whole"], name)


def hide() -> None:
    """Hide what Windows lacks from our modules that are imported from now on."""
    imported = builtins.__import__
    partial = {name: PartialModule(importlib.import_module(name), hidden) for name, hidden in LACKS.items()}

    def import_(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 -- as the builtin has it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        if str((globals or {}).get("__name__", "")).partition(".")[0] in OURS:
            if name.partition(".")[0] in MODULES:
                raise ImportError(f"Windows has no module {name}")
            if name in partial:
                return partial[name]
        return imported(name, globals, locals, fromlist or (), level)

    def no_handler(*_: object) -> NoReturn:
        raise NotImplementedError

    builtins.__import__ = import_
    asyncio.SelectorEventLoop.add_signal_handler = no_handler  # type: ignore[method-assign,assignment]
    sys.modules["msvcrt"] = _msvcrt()


def _msvcrt() -> types.ModuleType:
    import fcntl

    module: Any = types.ModuleType("msvcrt")
    module.LK_NBLCK = 2

    def locking(number: int, mode: int, size: int) -> None:
        assert mode == module.LK_NBLCK
        fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB, size)

    module.locking = locking
    found: types.ModuleType = module
    return found


if __name__ in ("__main__", "__mp_main__"):  # also in the processes that multiprocessing starts
    hide()
if __name__ == "__main__":
    from kozyr.cli.main import main

    main(prog_name="kozyr")
