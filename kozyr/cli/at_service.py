"""The options of commands that call a service, and the client for ladders that they pass."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from kozyr.cli.author.service import Service, calls_service


def at_service(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--url`, `--token`, `--profile` and `--json` to a command, and pass it a `LadderClient` and `as_json`."""

    @functools.wraps(command)
    def run(service: Service, *args: Any, **kwargs: Any) -> None:
        from kozyr.cli.ladders.desk import LadderClient

        command(LadderClient(service.client), *args, as_json=service.as_json, **kwargs)

    return calls_service("none")(run)
