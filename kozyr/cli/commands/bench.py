"""`kozyr bench`: measure an agent against anchors and in positions with exact values."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from kozyr.cli.author.service import with_options
from kozyr.cli.commands.play import clear_logs, log_folder
from kozyr.cli.errors import AWAY, REFUSED, fail, status_after
from kozyr.cli.options import SEED, assist_option, local_table, named, seats_of
from kozyr.cli.output import show
from kozyr.systems import interruptions
from kozyr.terminal import echo, show_progress

if TYPE_CHECKING:
    from kozyr.bench.agent import CountedChair
    from kozyr.bench.plan import BenchPlan
    from kozyr.bench.run import BenchRun

ANCHORS: Final = ("random", "greedy", "search:32")
"""The anchors of a bench, from weak to strong."""
SERVICE_ANCHORS: Final = ("house/random", "house/greedy", "house/search")
"""The anchors of a bench at a service."""
_LOCAL_ONLY: Final = frozenset({"seed", "relabel", "mcp", "move_ms", "logs"})
_SERVICE_ONLY: Final = frozenset({"clock", "assist", "at_once", "url", "token", "profile"})
MCP_MS: Final = 120_000
"""The default time of an MCP client for each move, in ms."""


@click.command()
@click.argument("agent")
@local_table
@click.option(
    "--against",
    "anchors",
    multiple=True,
    metavar="BOT",
    help="Anchor for the other seats: random, greedy or search:PLAYOUTS; with --service a house bot. May be repeated.  "
    f"[default: {', '.join(ANCHORS)}; with --service {', '.join(SERVICE_ANCHORS)}]",
)
@click.option(
    "--groups",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Number of groups against each anchor. A group is one deck, played from each side.",
)
@click.option("--relabel", type=SEED, metavar="SEED", help="Show the agent the same decks with other suits.")
@click.option(
    "--mcp", is_flag=True, help="AGENT is the command of an MCP client, with {config} and {prompt}."
)
@click.option(
    "--move-ms",
    type=click.IntRange(1),
    help="Time for each move, in milliseconds.  [default: 5000; with --mcp 120000]",
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write each result to this file."
)
@click.option("--resume", is_flag=True, help="Continue the bench in the file given with --out.")
@click.option("--service", is_flag=True, help="AGENT is OWNER/BOT, a bot that runs and plays at a service.")
@named(
    "--clock",
    "clock",
    help="With --service: rule of the clock, such as pace=reasoning or move_ms=3000. May be repeated.",
)
@assist_option
@click.option(
    "--at-once",
    type=click.IntRange(1, 100),
    default=4,
    show_default=True,
    help="With --service: number of groups that run at a time, if the bot has free slots.",
)
@with_options()
@click.pass_context
def bench(
    ctx: click.Context,
    /,
    agent: str,
    out: Path | None,
    resume: bool,
    logs: Path | None,
    **given: Any,
) -> None:
    """Measure AGENT against anchors on fixed decks, and in positions with exact values.

    AGENT is a house bot, your class or your program, as for `kozyr play`, with --mcp the command of an MCP client, or
    with --service a bot that plays at a service. docs/bench.md explains the result.

    Exits with status 0 after the bench, 1 if the agent never gave a usable answer, 2 if the command line is wrong, 130
    after Ctrl-C.

    \b
    Examples:
      kozyr bench "python my_bot.py" --game durak
      kozyr bench "python my_bot.py" --game durak --relabel 1 --out results.ndjson --resume
      kozyr bench me/fool --service --game durak --clock pace=reasoning --out results.ndjson
    """
    from kozyr.bench.report import report, text
    from kozyr.bench.run import BenchFile, BenchRun

    if resume and out is None:
        fail("--resume needs --out", AWAY)
    _refuse_other_options(ctx, _LOCAL_ONLY if given["service"] else _SERVICE_ONLY)
    if given["service"]:
        from kozyr.cli.commands.bench_at_service import bench_at_service

        given["anchors"] = given["anchors"] or SERVICE_ANCHORS
        bench_at_service(agent, out, resume=resume, **given)
        return
    try:
        plan = _plan(agent, **given)
        header = plan.header()
        if not plan.total:
            raise ValueError(
                f"--groups 0 leaves nothing to play: {plan.game} has no endgame set at this table"
            )
        folder = log_folder(logs)
    except (ValueError, OSError) as why:
        fail(str(why), AWAY)
    file = BenchFile(out, header, resume=resume)
    run = BenchRun(plan, file)
    with contextlib.closing(file), interruptions() as interrupted:
        has_answered = _play(run, folder, interrupted)
    result = report(header, file.lines)
    show(result, text(result))
    clear_logs(folder, (each.seat.name for each in (plan.agent, *plan.anchors)), keep=logs is not None)
    if interrupted:
        more = f"; continue with --out {out} --resume" if out is not None else ""
        echo(f"kozyr: stopped after {len(file.lines)} of {plan.total}{more}", err=True)
        sys.exit(status_after(interrupted[0]))
    if run.reason is not None and not has_answered:
        fail(f"{plan.agent.seat.bot} never gave a usable answer: {run.reason}", REFUSED)


def _refuse_other_options(ctx: click.Context, names: Collection[str]) -> None:
    """Raise `click.UsageError` for an option that means nothing here."""
    for option in ctx.command.params:
        if option.name in names and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            wanted = "goes without" if names is _LOCAL_ONLY else "needs"
            raise click.UsageError(f"{option.opts[0]} {wanted} --service", ctx)


def _plan(agent: str, **given: Any) -> BenchPlan:
    """Return the plan. Raise `ValueError` with a text for the user."""
    from kozyr.bench.plan import BenchPlan
    from kozyr.local.bots import bot, mcp_client
    from kozyr.local.plan import CLOCK

    playing = mcp_client(agent) if given["mcp"] else bot(agent)
    move_ms = given["move_ms"] or (MCP_MS if given["mcp"] else CLOCK.move_ms)
    anchors = tuple(bot(text) for text in given["anchors"] or ANCHORS)
    if unfit := [each.seat.bot for each in anchors if each.kind not in ("house", "search")]:
        raise ValueError(f"--against {unfit[0]}: an anchor is random, greedy or search:PLAYOUTS")
    if len(set(anchors)) < len(anchors):
        raise ValueError("--against names a bot twice")
    anchors = tuple(each for each in anchors if each.seat.id != playing.seat.id)
    if not anchors:
        raise ValueError(f"--against {playing.seat.bot} leaves no anchor: name another bot")
    return BenchPlan(
        agent=playing,
        anchors=anchors,
        game=given["game"],
        options=given["options"],
        seats=seats_of(given["game"], given["seats"]),
        groups=given["groups"],
        seed=given["seed"],
        clock=CLOCK._replace(move_ms=move_ms),
        relabel=given["relabel"],
    )


def _play(run: BenchRun, folder: Path, interrupted: list[int]) -> bool:
    """Play the bench. Return whether the agent gave any usable answer."""
    from kozyr.local.bots import chair

    plan = run.plan
    anchors = {each.seat.id: found for each in plan.anchors if (found := chair(each, folder)) is not None}

    def step() -> None:
        done = len(run.file.lines)
        show_progress(f"{done} of {plan.total} endings and matches", over=done == plan.total)

    with _agent(plan, folder) as agent:
        run.play(agent, anchors, step, lambda: bool(interrupted))
        return agent.has_answered


@contextlib.contextmanager
def _agent(plan: BenchPlan, folder: Path) -> Iterator[CountedChair]:
    """Yield the agent's chair, and end its program afterwards."""
    from kozyr.bench.agent import CountedChair, HouseChair
    from kozyr.bench.mcp_client import McpClient
    from kozyr.local.bots import chair
    from kozyr.local.command import Command

    playing = plan.agent
    if playing.kind == "mcp":
        client = McpClient(playing.words, plan.game, folder, folder / f"{playing.seat.name}.log")
        with contextlib.closing(client):
            yield CountedChair(client, lambda: client.refused, client.ended)
        return
    found = chair(playing, folder) or HouseChair(playing.words[0])
    try:
        yield CountedChair(found)
    finally:
        if isinstance(found, Command):
            found.close()
