"""What the terminal of `kozyr up` shows: live, from what the supervisor knows and the HTTP API says.

On a terminal a panel is drawn anew a few times a second; elsewhere (a pipe, a log) only changes are
printed, a line each.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import httpx
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from kozyr.cli.terminal import harmless
from kozyr.config.settings import Settings
from kozyr.serve.supervisor import ProcessHealth

Json = dict[str, Any]

LOOK_EVERY_S: Final = 0.5
ASK_EVERY_S: Final = 1.0
IDLE_EVERY_S: Final = 3.0
"""How often the API is asked while something is going on, and while nothing is."""
MOST_LADDERS: Final = 2
MOST_STANDINGS: Final = 8
COLOURS: Final = {
    "running": "green",
    "done": "green",
    "restarting": "red",
    "waiting": "yellow",
    "stopped": "dim",
}


class LadderNews(NamedTuple):
    """How a ladder stands."""

    ladder: Json
    round: Json | None
    """The last one."""
    standings: list[Json]

    @property
    def name(self) -> str:
        """Its name, which somebody made up."""
        return harmless(self.ladder["name"])

    @property
    def progress(self) -> str:
        """Matches done of those planned."""
        if self.round is None:
            return "no round so far"
        lost = self.round["aborted"] + self.round["dropped"]
        said = (
            f"round {self.round['number']}: {self.round['finished']} of {self.round['planned']} matches done"
            f"{f', {lost} of them not played' if lost else ''}"
        )
        return said + (f"; failed: {harmless(self.round['reason'])}" if self.round.get("reason") else "")


class News(NamedTuple):
    """What the API says."""

    ready: bool = False
    ladders: tuple[LadderNews, ...] = ()
    """Those that are played, the youngest first."""

    @property
    def is_busy(self) -> bool:
        """Whether things are about to change."""
        return not self.ready or any(each.round and each.round["state"] == "running" for each in self.ladders)


def watch(settings: Settings, health: Callable[[], Sequence[ProcessHealth]], over: threading.Event) -> None:
    """Shows how the service is until `over` is set. Runs in a thread; never fails for what the service does."""
    console = Console()
    news, asked = News(), float("-inf")
    said: dict[str, str] = {}
    with httpx.Client(base_url=settings.url, timeout=2.0, trust_env=False) as client:
        live = Live(console=console, refresh_per_second=4) if console.is_terminal else None
        if live is not None:
            live.start()
        try:
            while not over.wait(LOOK_EVERY_S):
                if time.monotonic() - asked >= (ASK_EVERY_S if news.is_busy else IDLE_EVERY_S):
                    news, asked = ask(client), time.monotonic()
                if live is not None:
                    live.update(panel(settings, health(), news))
                    continue
                for line in changes(settings, health(), news, said):
                    print(line, flush=True)  # noqa: T201 - this is what it is for
        finally:
            if live is not None:
                live.stop()


# 1. Asking


def ask(client: httpx.Client) -> News:
    """What the API says now. While it does not answer, it is not ready and nothing else is known."""
    try:
        if not client.get("/readyz").is_success:
            return News()
        ladders = _get(client, "/v1/ladders?limit=20")["ladders"]
        played = [ladder for ladder in ladders if ladder["state"] in ("open", "running", "closing")]
        return News(True, tuple(_ladder(client, ladder) for ladder in played[:MOST_LADDERS]))
    except (httpx.HTTPError, ValueError, KeyError):
        return News()


def _ladder(client: httpx.Client, ladder: Json) -> LadderNews:
    path = f"/v1/ladders/{ladder['id']}"
    rounds = _get(client, f"{path}/rounds?limit=1")["rounds"]
    standings = _get(client, f"{path}/standings?limit={MOST_STANDINGS}")["standings"]
    return LadderNews(ladder, rounds[0] if rounds else None, standings)


def _get(client: httpx.Client, path: str) -> Json:
    found: Json = client.get(path).raise_for_status().json()
    return found


# 2. A terminal


def panel(settings: Settings, processes: Sequence[ProcessHealth], news: News) -> RenderableType:
    """What a terminal shows."""
    where = Text.assemble(
        (settings.url, "bold" if news.ready else "dim"),
        "  ready" if news.ready else "  starting",
        ("   look at " if news.ready else ""),
        (f"{settings.url}/docs/" if news.ready else "", "underline"),
        f"\nlogs in {settings.var / 'log'}   Ctrl-C ends everything",
    )
    parts: list[RenderableType] = [where, Text(), _processes(processes)]
    for each in news.ladders:
        parts += [Text(), *_ladder_parts(settings, each)]
    return Panel(
        Group(*parts), title="Kozyr", title_align="left", border_style="green" if news.ready else "yellow"
    )


def _processes(processes: Sequence[ProcessHealth]) -> Table:
    table = _table("process", "state", "pid", "since", "restarts", right=("pid", "restarts"))
    for each in processes:
        table.add_row(
            each.name,
            Text(each.state, style=COLOURS.get(each.state, "")),
            str(each.pid or ""),
            how_long(each.seconds),
            str(max(0, each.starts - 1)),
        )
    return table


def _ladder_parts(settings: Settings, news: LadderNews) -> list[RenderableType]:
    ladder = news.ladder
    head = Text.assemble(
        (f"ladder {news.name}", "bold"),
        f"  {ladder['game']}, {ladder['seats']} seats  ",
        (f"{settings.url}/v1/ladders/{ladder['id']}/standings", "underline"),
    )
    progress = Table.grid(padding=(0, 2))
    progress.add_row(news.progress, *([_bar(news.round)] if news.round is not None else []))
    parts: list[RenderableType] = [head, progress]
    if news.standings:
        table = _table(
            "",
            "bot",
            "matches",
            "deals",
            "points",
            "a deal",
            right=("", "matches", "deals", "points", "a deal"),
        )
        for line in news.standings[:MOST_STANDINGS]:
            table.add_row(
                str(line["place"]),
                line["bot"],
                str(line["matches"]),
                str(line["deals"]),
                str(line["points"]),
                a_deal(line),
            )
        parts.append(table)
    return parts


def _bar(played: Json) -> ProgressBar:
    return ProgressBar(total=max(1, played["planned"]), completed=played["finished"], width=40)


def _table(*headings: str, right: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, header_style="dim", justify="right" if heading in right else "left")
    return table


# 3. Lines


def changes(
    settings: Settings, processes: Sequence[ProcessHealth], news: News, said: dict[str, str]
) -> list[str]:
    """What is new since the lines already said, which it notes in `said`."""
    now = {
        each.name: f"{each.name} {each.state} (pid {each.pid})" if each.pid else f"{each.name} {each.state}"
        for each in processes
    }
    ending = any(each.state == "stopped" for each in processes)
    now["the api"] = f"{settings.url} is {'ready' if news.ready else 'ending' if ending else 'not ready yet'}"
    if news.ready:
        now["where to look"] = f"look at {settings.url}/docs/"
    for each in news.ladders:
        ladder = each.ladder["id"]
        now[f"where {ladder}"] = f"ladder {each.name} is at {settings.url}/v1/ladders/{ladder}/standings"
        now[f"progress {ladder}"] = f"ladder {each.name}, {each.progress}"
        if each.round is not None and each.round["state"] == "done":
            now[f"standings {ladder}"] = _in_words(each)
    lines = [line for key, line in now.items() if said.get(key) != line]
    said.update(now)
    return lines


def _in_words(news: LadderNews) -> str:
    places = [f"{line['place']}. {line['bot']} {a_deal(line)}" for line in news.standings[:MOST_STANDINGS]]
    return f"ladder {news.name}, points a deal: {', '.join(places)}"


def a_deal(standing: Json) -> str:
    """A standing's points per deal."""
    points = standing["points_per_deal"]
    return "–" if points is None else f"{points:.3f}"


def how_long(seconds: float) -> str:
    """A duration in the largest unit that leaves a whole number."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
