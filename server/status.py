"""What `kozyr up` prints: each change of a process or of the service's state, and where to look."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from kozyr.terminal import echo, harmless
from server.config.settings import Settings
from server.demo import demo_ladder
from server.probe import answers
from server.supervisor import ProcessHealth

LOOK_EVERY_S: Final = 0.5
ASK_EVERY_S: Final = 1.0
IDLE_EVERY_S: Final = 3.0
"""How often the API is asked until it is ready, and from then on."""


def watch(settings: Settings, health: Callable[[], Sequence[ProcessHealth]], over: threading.Event) -> None:
    """Print changes until `over` is set. Meant for a thread; a broken service does not end it."""
    is_ready, asked = False, float("-inf")
    shown: dict[str, str] = {}
    while True:
        if time.monotonic() - asked >= (IDLE_EVERY_S if is_ready else ASK_EVERY_S):
            is_ready, asked = answers(settings.url, 2.0, "/readyz"), time.monotonic()
        echo(*changes(settings, health(), is_ready, shown))
        if over.wait(LOOK_EVERY_S):
            return


def changes(
    settings: Settings, processes: Sequence[ProcessHealth], is_ready: bool, shown: dict[str, str]
) -> list[str]:
    """Return the lines that changed since the last call, and remember them in `shown`."""
    now = {
        each.name: f"{each.name} {each.state} (pid {each.pid})" if each.pid else f"{each.name} {each.state}"
        for each in processes
    }
    if is_ready:
        state = "is ready"
    elif any(each.state == "stopped" for each in processes):
        state = "is stopping"
    else:
        state = f"is not ready: see {settings.url}/readyz" if "where to look" in shown else "is starting"
    now["the api"] = f"{settings.url} {state}"
    if is_ready:
        now["where to look"] = f"documentation: {settings.url}/docs/"
        if (ladder := demo_ladder(settings)) is not None:
            now["demonstration"] = f"demonstration ladder: {settings.url}/ladders/{harmless(ladder)}"
    lines = [line for key, line in now.items() if shown.get(key) != line]
    shown.update(now)
    return lines
