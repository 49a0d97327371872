"""gunicorn's master, whose reload (SIGHUP) loads the code on disk.

A worker inherits all modules that its master has imported. So the master imports neither the rules nor the application,
and nothing compiled, which Python can't import a second time. At a reload it forgets the few modules of ours that it
has, and gunicorn imports them again with its configuration.

gunicorn ends when a new worker can't load the application. So before a reload another process loads it, and code that
fails there changes nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

from gunicorn.app.wsgiapp import WSGIApplication
from gunicorn.arbiter import Arbiter

PACKAGES: Final = frozenset(
    (
        *("adapters", "api", "bots", "engine", "kozyr", "kozyr_client", "league"),
        *("records", "redisio", "referee", "server", "web", "workers"),
    )
)
TRIAL: Final = """
import sys
from gunicorn.util import import_app
import_app(sys.argv[1])
import server.gunicorn_conf
"""
"""Loads the application that its argument names, and the configuration of gunicorn."""
TRIAL_S: Final = 60.0
"""How long a trial may take, in seconds."""


class CarefulArbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's arbiter, which reloads only code that can be loaded."""

    def reload(self) -> None:
        """Start new workers and end the old ones. Log an error instead if the code on disk fails."""
        why = failure_of(self.app.app_uri)
        if why is not None:
            self.log.error("Not reloaded, because the code on disk can't be loaded: %s", why)
            return
        super().reload()


def failure_of(application: str) -> str | None:
    """Return why a new process can't load this application; `None` if it can."""
    # Without this variable the trial leaves no metrics behind.
    environment = {name: value for name, value in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    try:
        trial = subprocess.run(
            [sys.executable, "-c", TRIAL, application],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TRIAL_S,
            encoding="utf-8",
        )
    except (OSError, subprocess.TimeoutExpired) as why:
        return str(why)
    return trial.stderr.strip() or f"status {trial.returncode}" if trial.returncode else None


class Master(WSGIApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's own application with a careful and complete reload."""

    def run(self) -> None:
        """Run the arbiter. Never returns."""
        CarefulArbiter(self).run()

    def reload(self) -> None:
        """Load the configuration again, and the worker class and its imports with it."""
        for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
            del sys.modules[name]
        super().reload()


def run() -> None:
    """Run gunicorn with the words of the command line. Never returns."""
    Master("%(prog)s [OPTIONS] [APP_MODULE]", prog="gunicorn").run()


if __name__ == "__main__":
    run()
