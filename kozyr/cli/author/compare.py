"""`kozyr compare`: compare two bots on a service, such as two versions of one's own."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.cli.author.service import Service, calls_service, full_name
from kozyr.cli.errors import REFUSED, CommandError, explained, fail, status_after, status_of
from kozyr.cli.options import assist_option, hypotheses_of, named, sprt_options
from kozyr.cli.output import show, wants_json
from kozyr.systems import interruptions

if TYPE_CHECKING:
    from kozyr.cli.comparison.run import ComparisonRun
    from kozyr.console import Console

GROUPS: Final = 100
"""How many groups are counted without a test."""
AT_ONCE: Final = 4
"""How many groups run at a time. The bots keep free slots for other matches."""


@click.command()
@click.argument("one", metavar="OWNER/BOT")
@click.argument("other", metavar="OWNER/BOT")
@click.option("--game", required=True, help="Game id, such as durak.")
@named("--option", "game_options", help="Option of the game. May be repeated.")
@named("--clock", "clock", help="Rule of the clock, such as pace=reasoning or move_ms=3000. May be repeated.")
@assist_option
@click.option(
    "--against",
    multiple=True,
    metavar="house/BOT",
    help="House bot for another seat; both bots then take the same seat. May be repeated.",
)
@click.option(
    "--groups",
    "most",
    type=click.IntRange(1),
    help=f"Number of groups to count.  [default: {GROUPS}; with --sprt: until the verdict]",
)
@click.option(
    "--at-once",
    type=click.IntRange(1, 100),
    default=AT_ONCE,
    show_default=True,
    help="Number of groups that run at a time, if the bots have free slots.",
)
@sprt_options
@calls_service("any", with_bot=True)
def compare(service: Service, one: str, other: str, most: int | None, at_once: int, **given: Any) -> None:
    """Compare two bots, such as two versions of your own, in unrated duplicate groups on the service.

    Both bots must run. The command starts groups, waits for their results and adds them up, until the number of
    groups is reached, the sequential test has a verdict, or you stop it with Ctrl-C or SIGTERM. docs/groups.md
    explains the result.

    Exits with status 1 if a bot gets another version meanwhile or does not show up.

    \b
    Examples:
      kozyr compare me/fool me/fool-next --game durak --groups 200
      kozyr compare me/fool-next me/fool --game durak --sprt 0,0.1
      kozyr compare me/fool me/fool-next --game king --against house/greedy --against house/greedy \\
          --against house/greedy
    """
    from kozyr.cli.comparison.result import Comparison, ComparisonEnding
    from kozyr.cli.comparison.run import ComparisonRun, GroupRequest
    from kozyr.cli.comparison.show import document, failure, last_lines, tables
    from kozyr.console import console
    from kozyr_client import KozyrError

    names = (full_name(one, service.owner), full_name(other, service.owner))
    try:
        tested = hypotheses_of(given["sprt"], given["alpha"], given["beta"])
    except ValueError as why:
        raise CommandError(str(why)) from None
    about = (given["game"], given["game_options"], given["clock"])
    request = GroupRequest(*about, names, given["against"], given["assist"])
    comparison = Comparison(names, most or (GROUPS if tested is None else None), tested)
    run = ComparisonRun(service.client, request, comparison, at_once)
    screen, refusal = console(quiet=wants_json()), None
    with interruptions(at_once=True) as interrupted:
        try:
            with _display(run, screen) as step:
                run.play(step, lambda: bool(interrupted))
        except KeyboardInterrupt:
            comparison.end(ComparisonEnding.INTERRUPTED)
        except KozyrError as why:
            refusal = why
            comparison.end(ComparisonEnding.FAILED)
    if run.started or refusal is None:
        show(document(run), tables(run), last_lines(run))
    if refusal is not None:
        too_few = refusal.problem.get("field") == "seats" and not request.against
        hint = "; fill the other seats with house bots, as in --against house/greedy" if too_few else ""
        fail(explained(refusal, service.at.url) + hint, status_of(refusal))
    if (sentence := failure(comparison)) is not None:
        fail(sentence, REFUSED)
    if comparison.ending is ComparisonEnding.INTERRUPTED:
        sys.exit(status_after(interrupted[0]))


@contextlib.contextmanager
def _display(run: ComparisonRun, screen: Console) -> Iterator[Callable[[], None]]:
    """Show the result so far on a terminal. Elsewhere report each notice once, such as why the comparison waits."""
    if not screen.is_terminal:
        from kozyr.cli.comparison.show import report_notices

        reported: set[str] = set()
        yield lambda: report_notices(run, reported)
        return
    from kozyr.cli.comparison.show import tables
    from kozyr.local.live import LiveStandings

    found = run.comparison
    with LiveStandings(
        screen,
        units="groups",
        total=found.most,
        counted=lambda: len(found.groups),
        tables=lambda: tables(run),
    ) as live:
        yield live.step
