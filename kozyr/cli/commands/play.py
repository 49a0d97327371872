"""`kozyr play`: a tournament of bots on this machine, without a service."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn

import click

BAD: Final = 2
"""The exit status for what the user can put right."""
INTERRUPTED: Final = 130


@click.command()
@click.argument("bots", nargs=-1, required=True)
@click.option("--game", required=True, help="Its id, as in `durak`.")
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game; repeat it."
)
@click.option("--seats", type=int, help="Seats at a table. [default: the fewest that the game has]")
@click.option(
    "--deals",
    default=100,
    show_default=True,
    help="Deals of each line-up, at least; a match of King has twelve.",
)
@click.option("--seed", default=0, show_default=True, help="Decks and the bots' chance follow from it.")
@click.option("--jobs", type=click.IntRange(1), help="Processes. [default: one a processor]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["round_robin", "gauntlet"]),
    default="round_robin",
    show_default=True,
    help="Everybody with everybody, or every table with the first bot.",
)
@click.option(
    "--duplicate/--independent",
    default=True,
    help="Each deck once for every side of the table, or a fresh deck for each match.  [default: duplicate]",
)
@click.option(
    "--fill",
    default="greedy",
    show_default=True,
    help="Who sits where there are too few bots.",
)
@click.option(
    "--move-ms", type=click.IntRange(1), default=5000, show_default=True, help="Time for each move."
)
@click.option(
    "--strikes",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How many missing answers forfeit.",
)
@click.option(
    "--sprt",
    metavar="LOW,HIGH",
    help="Stop when it is clear which of these the first bot's lead is.",
)
@click.option("--alpha", default=0.05, show_default=True, help="With --sprt: error of taking LOW for HIGH.")
@click.option("--beta", default=0.05, show_default=True, help="With --sprt: error of taking HIGH for LOW.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the records here, a line each."
)
@click.option("--resume", is_flag=True, help="Go on from what the file of --out has.")
@click.option(
    "--logs",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for what your bots say on standard error.  [default: a fresh one]",
)
def play(
    bots: tuple[str, ...], out: Path | None, resume: bool, logs: Path | None, jobs: int | None, **given: Any
) -> None:
    """Play BOTS against each other here: house bots (greedy, random, search:200), classes of yours
    (package.module:Class) and programs of yours ("python my_bot.py"). docs/local-play.md has it all.

    For example: kozyr play greedy "python my_bot.py" --game durak --deals 1000 --seed 7 --jobs 2
    """
    from rich.text import Text

    from kozyr.cli.terminal import console
    from kozyr.local.run import Run
    from kozyr.local.show import Show, tables
    from kozyr.local.workers import WorkerDied
    from kozyr.records.file import RecordFile

    if resume and out is None:
        _end("--resume goes on from a file: name it with --out")
    try:
        playing, plan, tested = _plan(bots, given)
        book = None if out is None else RecordFile(out, resume=resume)
        run = Run(plan, book, tested)
    except ValueError as why:
        _end(str(why))
    folder = logs or Path(tempfile.mkdtemp(prefix="kozyr-play-"))
    folder.mkdir(parents=True, exist_ok=True)
    screen, status = console(), 0
    with _interruptions() as interrupted, Show(run, screen) as show:
        try:
            run.play(playing, jobs or os.cpu_count() or 1, folder, show.step, lambda: bool(interrupted))
        except WorkerDied as why:
            click.echo(f"kozyr: {why}", err=True)
            status = 1
        finally:
            if book is not None:
                book.close()
    for part in tables(run):
        screen.print(part, soft_wrap=isinstance(part, Text))
    if interrupted:
        status = INTERRUPTED
        more = f"; go on with --out {out} --resume" if out is not None else ""
        screen.print(f"stopped after {run.matches} of {plan.matches} matches{more}")
    for log in [folder / f"{one.seat.name}.log" for one in playing]:
        if log.exists() and not log.stat().st_size:
            log.unlink()
    if any(folder.iterdir()):
        screen.print(f"what the bots said on standard error is in {folder}")
    elif logs is None:
        folder.rmdir()
    sys.exit(status)


def _plan(bots: tuple[str, ...], given: dict[str, Any]) -> tuple[list[Any], Any, Any]:
    """Who plays what, and what is tested. Raises `ValueError`, whose text is for the user."""
    from engine.registry import GAMES
    from kozyr.local.bots import bot
    from kozyr.local.plan import CLOCK, LocalPlan
    from league.results.sprt import hypotheses

    game = given["game"]
    playing = [bot(text) for text in bots]
    fill = bot(given["fill"])
    seats = given["seats"]
    if seats is None and game in GAMES:
        seats = GAMES[game].seat_counts[0]
    plan = LocalPlan.checked(
        game=game,
        options=dict(_option(text) for text in given["options"]),
        seats=seats,
        bots=tuple(one.seat for one in playing),
        deals=given["deals"],
        seed=given["seed"],
        fill=fill.seat,
        duplicate=given["duplicate"],
        gauntlet=given["form"] == "gauntlet",
        clock=CLOCK._replace(move_ms=given["move_ms"], strikes=given["strikes"]),
    )
    tested = None
    if given["sprt"] is not None:
        try:
            low, high = map(float, given["sprt"].split(","))
        except ValueError:
            raise ValueError(f"--sprt {given['sprt']}: two numbers are needed, as in --sprt 0,0.1") from None
        tested = hypotheses(low, high, given["alpha"], given["beta"])
        if len(playing) != 2:
            raise ValueError(f"--sprt tests one bot against one other; {len(playing)} were named")
    return [*playing, fill], plan, tested


def _option(text: str) -> tuple[str, Any]:
    """`teams=true` -> `("teams", True)`; what is no JSON is text. Raises `ValueError`."""
    name, found, value = text.partition("=")
    if not found:
        raise ValueError(f"--option {text}: an option is given as KEY=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


@contextlib.contextmanager
def _interruptions() -> Iterator[list[int]]:
    """Gathers the signals that ask to stop, so that none falls into the middle of keeping a record. A second one is
    obeyed as usual."""
    came: list[int] = []
    asked = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in asked}

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        for each, handler in before.items():
            signal.signal(each, handler)

    for number in asked:
        signal.signal(number, note)
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(why: str) -> NoReturn:
    click.echo(f"kozyr: {why}", err=True)
    sys.exit(BAD)
