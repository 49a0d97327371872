"""What `kozyr up` prints: each change of a process or of the service's state, and where to look."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import httpx

from api.http.own import OWN_AGENT
from kozyr.terminal import echo, harmless
from server.config.settings import Settings
from server.demo import demo_ladder
from server.supervisor import ProcessHealth

LOOK_EVERY_S: Final = 0.5
ASK_EVERY_S: Final = 1.0
IDLE_EVERY_S: Final = 3.0
"""How often the API is asked until it is ready, and from then on."""
_NUMBER: Final = re.compile(r"\d+(\.\d+)?")


class ServiceAnswer(NamedTuple):
    """Whether the service is ready, as its API reports it."""

    ready: bool = False
    trouble: str = "the API does not answer"
    """Why it is not ready."""
    was_ready: bool = False
    """Whether it has been ready since `kozyr up` started."""

    def __str__(self) -> str:
        if self.ready:
            return "ready"
        return f"not ready: {self.trouble}" if self.was_ready else "starting"


def watch(settings: Settings, health: Callable[[], Sequence[ProcessHealth]], over: threading.Event) -> None:
    """Print changes until `over` is set. Meant for a thread; a broken service does not end it."""
    state, asked = ServiceAnswer(), float("-inf")
    shown: dict[str, str] = {}
    with httpx.Client(
        base_url=settings.url, timeout=2.0, trust_env=False, headers={"User-Agent": OWN_AGENT}
    ) as client:
        while True:
            if time.monotonic() - asked >= (IDLE_EVERY_S if state.ready else ASK_EVERY_S):
                fresh = ask(client)
                state = fresh._replace(was_ready=state.was_ready or fresh.ready)
                asked = time.monotonic()
            echo(*changes(settings, health(), state, shown))
            if over.wait(LOOK_EVERY_S):
                return


def ask(client: httpx.Client) -> ServiceAnswer:
    """Ask the API whether the service is ready."""
    try:
        answer = client.get("/readyz")
    except httpx.HTTPError:
        return ServiceAnswer()
    if answer.is_success:
        return ServiceAnswer(ready=True)
    try:
        return ServiceAnswer(trouble=harmless("; ".join(answer.json()["problems"])))
    except (ValueError, KeyError, TypeError):
        return ServiceAnswer(trouble=f"{answer.status_code} {answer.reason_phrase}")


def changes(
    settings: Settings, processes: Sequence[ProcessHealth], state: ServiceAnswer, shown: dict[str, str]
) -> list[str]:
    """Return the lines that changed since the last call, and remember them in `shown`."""
    now = {
        each.name: f"{each.name} {each.state} (pid {each.pid})" if each.pid else f"{each.name} {each.state}"
        for each in processes
    }
    ending = any(each.state == "stopped" for each in processes)
    api = f"{settings.url} is {'stopping' if ending and not state.ready else state}"
    # Reasons contain durations, which grow with each look.
    same = _NUMBER.sub("", shown.get("the api", "")) == _NUMBER.sub("", api)
    now["the api"] = shown["the api"] if same else api
    if state.ready:
        now["where to look"] = f"documentation: {settings.url}/docs/"
        if (ladder := demo_ladder(settings)) is not None:
            now["demonstration"] = f"demonstration ladder: {settings.url}/ladders/{harmless(ladder)}"
    lines = [line for key, line in now.items() if shown.get(key) != line]
    shown.update(now)
    return lines
