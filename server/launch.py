"""The start of gunicorn. It imports neither gevent nor the application."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from typing import Final

from server.config.settings import Settings

SPARE_FILES: Final = 512
"""How many files an API process may open besides its connections."""


def serve(settings: Settings, application: str = "server.gunicorn_worker:create()") -> None:
    """Become gunicorn, which serves this application. Never returns."""
    allow_open_files(settings.connections + SPARE_FILES)
    words = ["-c", "python:server.gunicorn_conf", application]
    if "redis" in sys.modules:
        # The workers would inherit it, and gevent must patch before it is imported.
        os.execv(sys.executable, [sys.executable, "-m", "server.master", *words])  # noqa: S606 - no shell is wanted
    from server import master

    sys.argv = [master.__file__, *words]
    master.run()


def allow_open_files(wanted: int) -> None:
    """Raise the limit of open files as far as this user may. Many systems start at 1024, and each poll needs one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
