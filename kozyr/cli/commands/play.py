"""`kozyr play`: play a tournament on this machine, without a service."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kozyr.cli.errors import AWAY, REFUSED, fail, status_after
from kozyr.cli.options import hypotheses_of, local_table, seats_of, sprt_options
from kozyr.cli.output import as_json, show, wants_json
from kozyr.systems import interruptions
from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr.console import Console
    from kozyr.local.run import Tournament


@click.command()
@click.argument("bots", nargs=-1, required=True)
@local_table
@click.option(
    "--deals",
    default=100,
    show_default=True,
    help="Minimum number of deals for each line-up. A match of King has twelve.",
)
@click.option("--jobs", type=click.IntRange(1), help="Number of processes.  [default: one per processor]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["round_robin", "gauntlet"]),
    default="round_robin",
    show_default=True,
    help="Pair all bots with each other, or the first bot with all others.",
)
@click.option(
    "--duplicate/--independent",
    default=True,
    help="Play each deck from every seat, or deal a fresh deck for each match.  [default: duplicate]",
)
@click.option(
    "--fill",
    default="greedy",
    show_default=True,
    help="Bot for seats that are left over.",
)
@click.option(
    "--move-ms",
    type=click.IntRange(1),
    default=5000,
    show_default=True,
    help="Time for each move, in milliseconds.",
)
@click.option(
    "--strikes",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Missing answers after which a bot forfeits.",
)
@sprt_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the records to this file, one per line.",
)
@click.option("--resume", is_flag=True, help="Continue the tournament in the file given with --out.")
@as_json
def play(
    bots: tuple[str, ...],
    out: Path | None,
    resume: bool,
    logs: Path | None,
    jobs: int | None,
    **given: Any,
) -> None:
    """Play a tournament on this machine, without a service.

    BOTS are house bots (greedy, random, search:200), your own classes (package.module:Class) and your own programs
    ("python my_bot.py"). docs/local-play.md describes them.

    Exits with status 0 after the tournament, 1 if a bot never gave a usable answer, 2 if the command line is wrong, 130
    after Ctrl-C.

    \b
    Example:
      kozyr play greedy "python my_bot.py" --game durak --deals 1000 --seed 7
    """
    from rich.text import Text

    from kozyr.console import console
    from kozyr.local.match import WorkerDied
    from kozyr.local.run import Tournament
    from kozyr.local.show import document, tables
    from kozyr.reading.file import BadRecordFile, RecordFile

    if resume and out is None:
        fail("--resume needs --out", AWAY)
    try:
        playing, plan, tested = _plan(bots, given)
        file = None if out is None else RecordFile(out, resume=resume)
        run = Tournament(plan, file, tested)
        folder = log_folder(logs)
    except ValueError as why:
        fail(str(why), AWAY)
    screen, status = console(quiet=wants_json()), 0
    gc.freeze()  # modules and the plan stay to the end, so no collection needs to look at them
    with interruptions() as interrupted, _display(run, screen) as step:
        try:
            with contextlib.nullcontext() if file is None else contextlib.closing(file):
                run.play(playing, jobs or os.cpu_count() or 1, folder, step, lambda: bool(interrupted))
        except WorkerDied as why:
            echo(f"kozyr: {why}", err=True)
            status = REFUSED
        except BadRecordFile as why:
            echo(f"kozyr: {why}; make room and continue with --out {out} --resume", err=True)
            status = AWAY
    for part in tables(run):
        screen.print(part, soft_wrap=isinstance(part, Text))
    if wants_json():
        show(document(run))
    for bot in run.silent:
        echo(f"kozyr: {bot} never gave a usable answer: {run.reasons[bot]}", err=True)
        status = status or REFUSED
    if interrupted:
        status = status_after(interrupted[0])
        more = f"; continue with --out {out} --resume" if out is not None else ""
        screen.print(f"stopped after {run.matches} of {plan.matches} matches{more}")
    elif run.silent and run.matches < plan.matches:
        screen.print(f"stopped after {run.matches} of {plan.matches} matches: fewer than two bots can play")
    clear_logs(folder, (one.seat.name for one in playing), keep=logs is not None)
    sys.exit(status)


@contextlib.contextmanager
def _display(run: Tournament, screen: Console) -> Iterator[Callable[[], None]]:
    """Show live standings on a terminal. Yield what updates them after each match."""
    if not screen.is_terminal:
        yield lambda: None
        return
    from kozyr.local.live import LiveStandings
    from kozyr.local.show import tables

    with LiveStandings(
        screen,
        units="matches",
        total=run.plan.matches,
        counted=lambda: run.matches,
        tables=lambda: tables(run),
    ) as live:
        yield live.step


def _plan(bots: tuple[str, ...], given: dict[str, Any]) -> tuple[list[Any], Any, Any]:
    """Return the bots, the plan and the hypotheses to test. Raise `ValueError` with a text for the user."""
    from kozyr.local.bots import bot
    from kozyr.local.plan import CLOCK, LocalPlan

    playing = [bot(text) for text in bots]
    fill = bot(given["fill"])
    plan = LocalPlan.checked(
        game=given["game"],
        options=given["options"],
        seats=seats_of(given["game"], given["seats"]),
        bots=tuple(one.seat for one in playing),
        deals=given["deals"],
        seed=given["seed"],
        fill=fill.seat,
        duplicate=given["duplicate"],
        gauntlet=given["form"] == "gauntlet",
        clock=CLOCK._replace(move_ms=given["move_ms"], strikes=given["strikes"]),
    )
    tested = hypotheses_of(given["sprt"], given["alpha"], given["beta"])
    if tested is not None and len(playing) != 2:
        raise ValueError(f"--sprt compares two bots; {len(playing)} were given")
    return [*playing, fill], plan, tested


def log_folder(logs: Path | None) -> Path:
    """Make the folder for the bots' standard error. Raise `ValueError` with a text for the user."""
    try:
        folder = logs or Path(tempfile.mkdtemp(prefix="kozyr-play-"))
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass  # it can be written to
    except OSError as why:
        raise ValueError(f"the folder of --logs can't be used: {why.strerror or why}") from why
    return folder


def clear_logs(folder: Path, names: Iterable[str], *, keep: bool) -> None:
    """Remove empty logs of the bots with these names, and the folder unless it is to be kept. Say where the others
    are."""
    for log in (folder / f"{name}.log" for name in names):
        if log.exists() and not log.stat().st_size:
            log.unlink()
    if any(folder.iterdir()):
        echo(f"kozyr: the bots' standard error is in {folder}", err=True)
    elif not keep:
        folder.rmdir()
