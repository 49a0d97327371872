"""The logger that gunicorn uses."""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger

from server.logs.structured import configure


class GunicornLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's log lines in the format of all others."""

    def warning(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """See gunicorn. `server.gunicorn_worker.write_problem` logs what it can't read, but for floods."""
        if not msg.startswith("Invalid request from ip="):
            super().warning(msg, *args, **kwargs)

    def setup(self, cfg: Any) -> None:
        """See gunicorn."""
        configure(cfg.loglevel)
        super().setup(cfg)
        self.error_log.handlers = []
        self.error_log.propagate = True
