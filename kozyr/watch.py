"""What the terminal of `kozyr up` shows: live, from what the supervisor knows and the HTTP API says.

On a terminal a panel is drawn anew a few times a second; elsewhere (a pipe, a log) only changes are
printed, a line each.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import httpx
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from kozyr.settings import Settings
from kozyr.supervisor import Health

LOOK_EVERY_S = 0.5
COLOURS = {"running": "green", "done": "green", "restarting": "red", "waiting": "yellow", "stopped": "dim"}


def watch(settings: Settings, health: Callable[[], Sequence[Health]], over: threading.Event) -> None:
    """Shows how the service is until `over` is set. Runs in a thread; never fails for what the service does."""
    console = Console()
    with httpx.Client(base_url=settings.url, timeout=1.0, trust_env=False) as client:
        if console.is_terminal:
            with Live(console=console, refresh_per_second=4, transient=False) as live:
                while not over.wait(LOOK_EVERY_S):
                    live.update(panel(settings, health(), is_ready(client)))
            return
        said: dict[str, str] = {}
        while not over.wait(LOOK_EVERY_S):
            for line in changes(settings, health(), is_ready(client), said):
                print(line, flush=True)  # noqa: T201 - this is what it is for


def is_ready(client: httpx.Client) -> bool:
    """Whether the API takes requests."""
    try:
        return client.get("/readyz").is_success
    except httpx.HTTPError:
        return False


def panel(settings: Settings, processes: Sequence[Health], ready: bool) -> RenderableType:
    """What a terminal shows."""
    table = Table(box=None, pad_edge=False)
    for heading in ("process", "state", "pid", "since", "restarts"):
        table.add_column(
            heading, header_style="dim", justify="right" if heading in {"pid", "restarts"} else "left"
        )
    for each in processes:
        table.add_row(
            each.name,
            Text(each.state, style=COLOURS.get(each.state, "")),
            str(each.pid or ""),
            how_long(each.seconds),
            str(max(0, each.starts - 1)),
        )
    where = Text.assemble(
        (settings.url, "bold" if ready else "dim"),
        "  ready" if ready else "  starting",
        f"   logs in {settings.var / 'log'}   Ctrl-C ends everything",
    )
    return Panel(
        Group(where, "", table),
        title="Kozyr",
        title_align="left",
        border_style="green" if ready else "yellow",
    )


def changes(settings: Settings, processes: Sequence[Health], ready: bool, said: dict[str, str]) -> list[str]:
    """What is new since the lines already said, which it notes in `said`."""
    now = {
        each.name: f"{each.name} {each.state} (pid {each.pid})" if each.pid else f"{each.name} {each.state}"
        for each in processes
    }
    now["api at"] = f"{settings.url} is {'ready' if ready else 'not ready yet'}"
    lines = [line for key, line in now.items() if said.get(key) != line]
    said.update(now)
    return lines


def how_long(seconds: float) -> str:
    """A duration in the largest unit that leaves a whole number."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
