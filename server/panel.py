"""The status display of `kozyr up`, from the supervisor and the HTTP API.

A terminal shows a panel that is redrawn a few times a second. Elsewhere (a pipe, a log) each change is printed as a
line.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import httpx
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from api.http.own import OWN_AGENT
from kozyr.console import console
from kozyr.terminal import echo, harmless
from server.config.settings import Settings
from server.demo import demo_ladder
from server.supervisor import ProcessHealth

Json = dict[str, Any]

LOOK_EVERY_S: Final = 0.5
ASK_EVERY_S: Final = 1.0
IDLE_EVERY_S: Final = 3.0
"""How often the API is asked while a round is running, and while none is."""
MOST_LADDERS: Final = 2
_NUMBER: Final = re.compile(r"\d+(\.\d+)?")
MOST_STANDINGS: Final = 8
COLOURS: Final = {
    "running": "green",
    "done": "green",
    "restarting": "red",
    "waiting": "yellow",
    "stopped": "dim",
}


class LadderNews(NamedTuple):
    """A ladder with its last round and its standings."""

    ladder: Json
    round: Json | None
    standings: list[Json]
    is_demo: bool = False
    """Whether it is the ladder of the demonstration."""

    @property
    def title(self) -> str:
        """What ladder it is, safe for a terminal."""
        if self.is_demo:
            return f"demonstration ladder {harmless(self.ladder['name'])}"
        return harmless(f"ladder {self.ladder['name']} of {self.ladder['owner']}")

    @property
    def progress(self) -> str:
        """How many of the planned matches are done."""
        if self.round is None:
            return "no round so far"
        lost = self.round["aborted"] + self.round["dropped"]
        text = (
            f"round {self.round['number']}: {self.round['finished']} of {self.round['planned']} matches done"
            f"{f', {lost} not played' if lost else ''}"
        )
        return text + (f"; failed: {harmless(self.round['reason'])}" if self.round.get("reason") else "")


class News(NamedTuple):
    """The state of the service as its API reports it."""

    ready: bool = False
    ladders: tuple[LadderNews, ...] = ()
    """Open ladders: that of the demonstration, then the newest."""
    trouble: str = ""
    """Why the service is not ready, if the API says so."""
    was_ready: bool = False
    """Whether the service has been ready since `kozyr up` started."""

    @property
    def state(self) -> str:
        """`ready`, `starting`, or why a service that was ready no longer is."""
        if self.ready:
            return "ready"
        if not self.was_ready:
            return "starting"
        return f"not ready: {self.trouble or 'the API does not answer'}"

    @property
    def is_busy(self) -> bool:
        """Whether the next change is likely to come soon."""
        return not self.ready or any(each.round and each.round["state"] == "running" for each in self.ladders)


def watch(settings: Settings, health: Callable[[], Sequence[ProcessHealth]], over: threading.Event) -> None:
    """Show the status until `over` is set. Meant for a thread; a broken service does not end it."""
    screen = console()
    news, asked = News(), float("-inf")
    shown: dict[str, str] = {}
    with httpx.Client(
        base_url=settings.url, timeout=2.0, trust_env=False, headers={"User-Agent": OWN_AGENT}
    ) as client:
        live = Live(console=screen, refresh_per_second=4) if screen.is_terminal else None
        if live is not None:
            live.start()
        try:
            while True:
                if time.monotonic() - asked >= (ASK_EVERY_S if news.is_busy else IDLE_EVERY_S):
                    fresh = ask(client, demo_ladder(settings))
                    news = fresh._replace(was_ready=news.was_ready or fresh.ready)
                    asked = time.monotonic()
                if live is not None:
                    live.update(panel(settings, health(), news))
                else:
                    echo(*changes(settings, health(), news, shown))
                if over.wait(LOOK_EVERY_S):
                    return
        finally:
            if live is not None:
                live.stop()


# 1. Asking


def ask(client: httpx.Client, demo: str | None = None) -> News:
    """Ask the API for its state. An API that does not answer is not ready. `demo` is the ladder of the
    demonstration."""
    try:
        ready = client.get("/readyz")
        if not ready.is_success:
            return News(trouble=_trouble(ready))
        ladders = _get(client, "/v1/ladders?limit=20")["ladders"]
        if demo is not None and all(ladder["id"] != demo for ladder in ladders):
            # Unknown to the service if it has lost its data.
            found = client.get(f"/v1/ladders/{demo}")
            ladders += [found.json()] if found.is_success else []
        played = [ladder for ladder in ladders if ladder["state"] in ("open", "running", "closing")]
        played.sort(key=lambda ladder: ladder["id"] != demo)
        return News(True, tuple(_ladder(client, ladder, demo) for ladder in played[:MOST_LADDERS]))
    except (httpx.HTTPError, ValueError, KeyError):
        return News()


def _trouble(answer: httpx.Response) -> str:
    """Return the problems that /readyz lists, in one line."""
    try:
        return harmless("; ".join(answer.json()["problems"]))
    except (ValueError, KeyError, TypeError):
        return f"{answer.status_code} {answer.reason_phrase}"


def _ladder(client: httpx.Client, ladder: Json, demo: str | None) -> LadderNews:
    path = f"/v1/ladders/{ladder['id']}"
    rounds = _get(client, f"{path}/rounds?limit=1")["rounds"]
    standings = _get(client, f"{path}/standings?limit={MOST_STANDINGS}")["standings"]
    return LadderNews(ladder, rounds[0] if rounds else None, standings, ladder["id"] == demo)


def _get(client: httpx.Client, path: str) -> Json:
    found: Json = client.get(path).raise_for_status().json()
    return found


# 2. A terminal


def panel(settings: Settings, processes: Sequence[ProcessHealth], news: News) -> RenderableType:
    """Return the panel for a terminal."""
    where = Text.assemble(
        (settings.url, "bold" if news.ready else "dim"),
        f"  {news.state}",
        ("   documentation: " if news.ready else ""),
        (f"{settings.url}/docs/" if news.ready else "", "underline"),
        f"\nlogs in {settings.var / 'log'}   Ctrl-C stops everything",
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
        (news.title, "bold"),
        f"  {ladder['game']}, {ladder['seats']} seats  ",
        (f"{settings.url}/ladders/{ladder['id']}", "underline"),
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
    settings: Settings, processes: Sequence[ProcessHealth], news: News, shown: dict[str, str]
) -> list[str]:
    """Return the lines that changed since the last call, and remember them in `shown`."""
    now = {
        each.name: f"{each.name} {each.state} (pid {each.pid})" if each.pid else f"{each.name} {each.state}"
        for each in processes
    }
    ending = any(each.state == "stopped" for each in processes)
    api = f"{settings.url} is {'stopping' if ending and not news.ready else news.state}"
    # Reasons contain durations, which grow with each look.
    same = _NUMBER.sub("", shown.get("the api", "")) == _NUMBER.sub("", api)
    now["the api"] = shown["the api"] if same else api
    if news.ready:
        now["where to look"] = f"documentation: {settings.url}/docs/"
    for each in news.ladders:
        ladder = each.ladder["id"]
        now[f"where {ladder}"] = f"{each.title} is at {settings.url}/ladders/{ladder}"
        now[f"progress {ladder}"] = f"{each.title}, {each.progress}"
        if each.round is not None and each.round["state"] == "done":
            now[f"standings {ladder}"] = _in_words(each)
    lines = [line for key, line in now.items() if shown.get(key) != line]
    shown.update(now)
    return lines


def _in_words(news: LadderNews) -> str:
    places = [f"{line['place']}. {line['bot']} {a_deal(line)}" for line in news.standings[:MOST_STANDINGS]]
    return f"{news.title}, points a deal: {', '.join(places)}"


def a_deal(standing: Json) -> str:
    """Return the points per deal of a line of the standings."""
    points = standing["points_per_deal"]
    return "–" if points is None else f"{points:.3f}"


def how_long(seconds: float) -> str:
    """Return a duration as a whole number of its largest unit."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
