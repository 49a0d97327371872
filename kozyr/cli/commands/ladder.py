"""`kozyr ladder`: ladders of a service made, entered, started and watched, over HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.cli.commands.at_service import INTERRUPTED, REFUSED, at_service

if TYPE_CHECKING:
    from kozyr.cli.ladders.desk import LadderClient

_STATES: Final = ("draft", "open", "running", "paused", "closing", "closed")

as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print the service's own document, for scripts."
)
top = click.option(
    "--top",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="Show so many of the standings.",
)
of_season = click.option(
    "--season", type=click.IntRange(min=1), help="Of this season.  [default: the present one]"
)


def _named(_: click.Context, __: click.Parameter, given: Sequence[str]) -> dict[str, Any]:
    """What `NAME=VALUE` come to; a value that is JSON (`3`, `0.5`, `true`) is that, any other a text."""
    found = {}
    for each in given:
        name, equals, said = each.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{each!r} is no NAME=VALUE")
        try:
            found[name] = json.loads(said)
        except ValueError:
            found[name] = said
    return found


def named(*names: str, help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # noqa: A002 -- as click has it
    """An option that may come several times as `NAME=VALUE`."""
    return click.option(*names, metavar="NAME=VALUE", multiple=True, callback=_named, help=help)


def scheduled(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command with the options that say when rounds and seasons come."""
    for option in (
        click.option(
            "--timezone", metavar="ZONE", help="The zone of both, as in Europe/Moscow.  [default: UTC]"
        ),
        click.option(
            "--seasons",
            metavar="EXPRESSION",
            help="When seasons end by themselves, as in @monthly; or `none`.",
        ),
        click.option(
            "--cron",
            metavar="EXPRESSION",
            help='When rounds start by themselves, as in "*/30 * * * *"; or `continuous`, or `none`.',
        ),
    ):
        command = option(command)
    return command


def _schedules(cron: str | None, seasons: str | None, timezone: str | None) -> dict[str, Any]:
    """The fields of a body for what `scheduled` was given."""
    by_time = [each for each in (cron, seasons) if each not in (None, "none", "continuous")]
    if timezone is not None and not by_time:
        raise click.UsageError("--timezone goes with an expression in --cron or --seasons")
    zone = {} if timezone is None else {"timezone": timezone}
    fields: dict[str, Any] = {}
    for name, given in (("schedule", cron), ("season_schedule", seasons)):
        if given in ("none", "continuous"):
            fields[name] = None if given == "none" else given
        elif given is not None:
            fields[name] = {"cron": given, **zone}
    return fields


def _full_names(_: click.Context, __: click.Parameter, given: Sequence[str]) -> Sequence[str]:
    for each in given:
        if each.count("/") != 1:
            raise click.BadParameter(f"{each!r} is no OWNER/BOT")
    return given


bots_named = click.argument("bots", nargs=-1, required=True, metavar="OWNER/BOT...", callback=_full_names)


@click.group()
def ladder() -> None:
    """Make, enter, start and watch ladders of a service.

    The status is 0 when it is done, 1 when the service refused, 2 when it does not answer or the command line is wrong,
    130 after Ctrl-C. The token is an owner's with the scope `league`; to look at ladders none is needed.
    """


@ladder.command()
@click.argument("name")
@click.option("--game", required=True, help="The game, as in `GET /v1/games`.")
@click.option("--seats", type=int, default=2, show_default=True, help="Seats of each table.")
@named("--option", "options", help="An option of the game; repeat it.")
@click.option("--deals", type=int, help="Deals of each match, where decks are independent.")
@click.option(
    "--format", "format_", help="Who plays whom: round_robin, gauntlet, swiss, …  [default: round_robin]"
)
@named("--parameter", "parameters", help="One of the format's own; repeat it.")
@click.option("--repeats", type=int, help="How often each set of entrants meets in a round.  [default: 1]")
@click.option("--decks", help="independent, rotated or once_only.  [default: rotated where it is rated]")
@scheduled
@named("--clock", help="move_ms, bank_ms, increment_ms, grace_ms or strikes.")
@click.option(
    "--rated/--casual", default=True, show_default=True, help="Whether its matches count in ratings."
)
@click.option(
    "--check/--no-check",
    default=None,
    help="Whether bots enter only after `kozyr check`.  [default: where it is rated]",
)
@click.option(
    "--state",
    type=click.Choice(_STATES[:3]),
    help="`running` plays by the schedule at once.  [default: open]",
)
@click.option(
    "--bot",
    "bots",
    metavar="OWNER/BOT",
    multiple=True,
    help="Enter this bot, yours or of the house; repeat it.",
)
@as_json
@at_service
def create(
    desk: LadderClient,
    bots: tuple[str, ...],
    as_json: bool,
    cron: str | None,
    seasons: str | None,
    timezone: str | None,
    format_: str | None,
    **fields: Any,
) -> None:
    """Make a ladder called NAME; its id is printed."""
    fields |= {"format": format_, **_schedules(cron, seasons, timezone)}
    made = desk.create({name: value for name, value in fields.items() if value is not None})
    click.echo(json.dumps(made, ensure_ascii=False) if as_json else made["id"])
    _each(bots, lambda bot: f"{desk.enter(made['id'], bot, None)['bot']} is entered")


@ladder.command()
@click.argument("ladder")
@bots_named
@click.option("--entropy", metavar="TEXT", help="Printable characters of the bots' own, for the shuffles.")
@at_service
def enter(desk: LadderClient, ladder: str, bots: tuple[str, ...], entropy: str | None) -> None:
    """Enter bots of yours in LADDER, or house bots in a ladder of yours, from the next round on."""
    _each(bots, lambda bot: f"{desk.enter(ladder, bot, entropy)['bot']} is entered")


@ladder.command()
@click.argument("ladder")
@bots_named
@at_service
def withdraw(desk: LadderClient, ladder: str, bots: tuple[str, ...]) -> None:
    """Withdraw bots of yours from LADDER, or any bots from a ladder of yours. Matches that run are played out."""
    _each(bots, lambda bot: f"{desk.withdraw(ladder, bot)['bot']} is withdrawn")


@ladder.command()
@click.argument("ladder")
@click.option("--dry-run", is_flag=True, help="Start nothing; show who would meet.")
@as_json
@at_service
def start(desk: LadderClient, ladder: str, dry_run: bool, as_json: bool) -> None:
    """Start a round of LADDER now."""
    from kozyr.cli.ladders import show

    if dry_run:
        found = desk.dry_run(ladder)
        lines = [json.dumps(found, ensure_ascii=False)] if as_json else list(show.pairings(found))
    else:
        found = desk.start(ladder)
        lines = [json.dumps(found, ensure_ascii=False)]
        if not as_json:
            lines = [f"round {found['number']} has begun: {found['planned']} matches"]
    click.echo("\n".join(lines))


@ladder.command()
@click.argument("ladder")
@click.argument("state", required=False, type=click.Choice(_STATES))
@at_service
def state(desk: LadderClient, ladder: str, state: str | None) -> None:
    """Tell the state of LADDER, or set it to STATE. A ladder that is closing plays its last round out."""
    found = desk.ladder(ladder) if state is None else desk.change(ladder, {"state": state})
    click.echo(found["state"])


@ladder.command()
@click.argument("ladder")
@scheduled
@as_json
@at_service
def schedule(
    desk: LadderClient,
    ladder: str,
    cron: str | None,
    seasons: str | None,
    timezone: str | None,
    as_json: bool,
) -> None:
    """Tell what comes next in LADDER and what it waits for; with options, set its schedules first."""
    from kozyr.cli.ladders import show

    fields = _schedules(cron, seasons, timezone)
    if fields:
        desk.change(ladder, fields)
    found = desk.schedule(ladder)
    click.echo(json.dumps(found, ensure_ascii=False) if as_json else show.following(found))


@ladder.command(name="list")
@click.option(
    "--most", type=click.IntRange(min=1), default=50, show_default=True, help="Show so many, the youngest."
)
@as_json
@at_service
def list_(desk: LadderClient, most: int, as_json: bool) -> None:
    """List ladders, the youngest first."""
    from kozyr.cli.ladders import show
    from kozyr.cli.terminal import console

    found = desk.ladders(most)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    elif found:
        console().print(show.ladders(found))
    else:
        click.echo("there are no ladders")


@ladder.command(name="show")
@click.argument("ladder")
@top
@of_season
@as_json
@at_service
def show_(desk: LadderClient, ladder: str, top: int, season: int | None, as_json: bool) -> None:
    """Show LADDER: what it is, how far its round is, what comes next, its standings."""
    from kozyr.cli.ladders import show
    from kozyr.cli.terminal import console

    found = desk.standing(ladder, top, season)
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
        return
    screen = console()
    for part in show.standing(found):
        screen.print(part)


@ladder.command()
@click.argument("ladder")
@click.option("--end", is_flag=True, help="End the present season; the next begins.")
@click.option("--most", type=click.IntRange(min=1), default=20, show_default=True, help="Show so many.")
@as_json
@at_service
def seasons(desk: LadderClient, ladder: str, end: bool, most: int, as_json: bool) -> None:
    """List the seasons of LADDER with their winners, the last first."""
    from kozyr.cli.ladders import show
    from kozyr.cli.terminal import console

    if end:
        desk.end_season(ladder)
    found = desk.seasons(ladder, most)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        console().print(show.seasons(found))


@ladder.command()
@click.argument("ladder")
@of_season
@as_json
@at_service
def bracket(desk: LadderClient, ladder: str, season: int | None, as_json: bool) -> None:
    """Show the bracket of LADDER, a knock-out: who met whom, and who went on."""
    from kozyr.cli.ladders import show

    found = desk.bracket(ladder, season)
    click.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(show.bracket(found)))


@ladder.command()
@click.argument("ladder")
@click.option("--round", "rounds_only", is_flag=True, help="End when the rounds now under way are over.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.2),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Look so often.",
)
@top
@as_json
@at_service
def watch(desk: LadderClient, ladder: str, rounds_only: bool, every: float, top: int, as_json: bool) -> None:
    """Watch LADDER until it is closed, or Ctrl-C.

    On a terminal with a bar and live standings; elsewhere a line for each change; with --json a document for each, a
    line long. It only looks: ending it changes nothing. A service that goes away meanwhile is waited for.
    """
    from kozyr.cli.ladders import watching
    from kozyr.cli.terminal import console

    screen = console()
    display: watching.Display = watching.JsonLines() if as_json else watching.Lines(screen)
    if screen.is_terminal and not as_json:
        display = watching.Screen(screen)
    try:
        watching.watch(desk, ladder, display, most=top, every_s=every, rounds_only=rounds_only)
    except KeyboardInterrupt:
        click.echo("stopped watching; the ladder goes on", err=True)
        sys.exit(INTERRUPTED)


def _each(bots: Sequence[str], act: Callable[[str], str]) -> None:
    """Do it to each of these, whatever becomes of the others, and tell; if any was refused, that is the exit status."""
    from bots.client import KozyrError
    from kozyr.cli.commands.at_service import told

    refused = False
    for bot in bots:
        try:
            said = act(bot)
        except KozyrError as why:
            if why.status is None:
                raise
            said, refused = f"kozyr: {bot}: {told(why)}", True
        click.echo(said, err=True)
    if refused:
        sys.exit(REFUSED)
