"""gunicorn's master, whose reload (SIGHUP) loads the code on disk.

A worker inherits all modules that its master has imported. So the master imports neither the rules nor the application,
and nothing compiled, which Python can't import a second time. At a reload it forgets the few modules of ours that it
has, and gunicorn imports them again with its configuration.
"""

from __future__ import annotations

import sys
from typing import Final

from gunicorn.app.wsgiapp import WSGIApplication

PACKAGES: Final = frozenset(
    (
        "adapters",
        "api",
        "bots",
        "engine",
        "kozyr",
        "kozyr_client",
        "league",
        "redisio",
        "referee",
        "web",
        "workers",
    )
)


class Master(WSGIApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's own application with a complete reload."""

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
