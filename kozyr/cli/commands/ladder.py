"""`kozyr ladder`: create, enter, start and watch ladders over HTTP."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from kozyr.cli.author.service import Service, calls_service
from kozyr.cli.errors import INTERRUPTED, REFUSED
from kozyr.cli.groups import SuggestingGroup
from kozyr.cli.ladders import show as shown
from kozyr.cli.options import assist_option, named
from kozyr.cli.output import Option, show, together, wants_json
from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr.cli.ladders.desk import LadderClient

LADDER_COLUMNS: Final = ("id", "name", "owner", "game", "seats", "format", "state")
_STATES: Final = ("draft", "open", "running", "paused", "closing", "closed")
_RULES: Final = {"invite": "invited", "ban": "banned", "clear": None}
"""The rules of access that commands set."""


def at_service(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--url`, `--token`, `--profile` and `--json` to a command, and pass it a `LadderClient`."""

    @functools.wraps(command)
    def run(service: Service, *args: Any, **kwargs: Any) -> None:
        from kozyr.cli.ladders.desk import LadderClient

        command(LadderClient(service.client), *args, **kwargs)

    return calls_service("none")(run)


def of_ladder(command: Callable[..., None]) -> click.Command:
    """Make a function a command of `kozyr ladder` with the argument LADDER. It has the function's name."""
    own = vars(command).pop("__click_params__", [])
    made = at_service(command)
    vars(made)["__click_params__"] += own  # in --help its own options come first
    return ladder.command(name=command.__name__.rstrip("_"))(click.argument("ladder")(made))


top = click.option(
    "--top",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="Show at most this many bots of the standings.",
)
of_season = click.option(
    "--season", type=click.IntRange(min=1), help="Number of the season.  [default: the current one]"
)


def most(default: int, what: str) -> Option:
    """Add the option that limits a list."""
    return click.option(
        "--most",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        help=f"Show at most this many {what}.",
    )


def _schedules(cron: str | None, seasons: str | None, timezone: str | None) -> dict[str, Any]:
    """Return the fields of the request body for the options that schedule rounds and seasons."""
    by_time = [each for each in (cron, seasons) if each not in (None, "none", "continuous")]
    if timezone is not None and not by_time:
        raise click.UsageError("--timezone needs a cron expression in --cron or --seasons")
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
            raise click.BadParameter(f"{each!r} is not of the form OWNER/BOT")
    return given


bots_named = click.argument("bots", nargs=-1, required=True, metavar="OWNER/BOT...", callback=_full_names)


@click.group(cls=SuggestingGroup)
def ladder() -> None:
    """Create, enter, start and watch ladders.

    Commands that change a ladder need the token of an owner with the scope league. Reading needs no token.

    Exits with status 0 on success, 1 if the service refuses the request, 2 if it does not answer or the command line
    is wrong, 130 after Ctrl-C.
    """


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the request body for the options of `settings`."""
    times = _schedules(options.pop("cron"), options.pop("seasons"), options.pop("timezone"))
    return {name.rstrip("_"): value for name, value in options.items() if value not in (None, {})} | times


settings = together(
    click.option(
        "--cron",
        metavar="EXPRESSION",
        help='Cron expression for rounds, such as "*/30 * * * *", or continuous, or none.',
    ),
    click.option(
        "--seasons",
        metavar="EXPRESSION",
        help="Cron expression for the end of seasons, such as @monthly, or none.",
    ),
    click.option(
        "--timezone",
        metavar="ZONE",
        help="Time zone of both schedules, such as Europe/Moscow.  [default: UTC]",
    ),
    click.option("--description", help="What the ladder is about, shown on its page."),
    click.option("--game", help="Game id, such as durak."),
    click.option("--seats", type=int, help="Number of seats at each table."),
    named("--option", "options", help="Option of the game. May be repeated."),
    click.option("--deals", type=int, help="Deals per match, with independent decks."),
    click.option(
        "--format",
        "format_",
        help="Pairing format, such as round_robin, gauntlet or swiss.  [default: round_robin]",
    ),
    named("--parameter", "parameters", help="Parameter of the format. May be repeated."),
    click.option("--repeats", type=int, help="How often the same bots meet in a round.  [default: 1]"),
    click.option(
        "--decks",
        help="How decks are shared: independent, rotated or once_only.  [default: rotated if rated]",
    ),
    click.option(
        "--minimum-groups", type=int, help="Groups that a bot must play to have a place.  [default: 0]"
    ),
    named(
        "--clock",
        help="Clock rule: pace, move_ms, bank_ms, increment_ms, grace_ms or strikes. May be repeated.",
    ),
    assist_option,
    click.option(
        "--start-ms",
        type=int,
        help="How long a match waits for its bots to show up, in ms.  [default: as the service says]",
    ),
    click.option(
        "--rated/--casual", default=None, help="Whether matches count for ratings.  [default: rated]"
    ),
    click.option(
        "--check/--no-check",
        default=None,
        help="Whether entrants must have passed a conformance check.  [default: check if rated]",
    ),
)
"""The options that say what a ladder plays, and when."""


@ladder.command()
@click.argument("name")
@settings
@click.option(
    "--state",
    type=click.Choice(_STATES[:3]),
    help="First state of the ladder; running starts its schedule.  [default: open]",
)
@click.option(
    "--bot",
    "bots",
    metavar="OWNER/BOT",
    multiple=True,
    help="Enter this bot, yours or a house bot. May be repeated.",
)
@at_service
def create(desk: LadderClient, bots: tuple[str, ...], **options: Any) -> None:
    """Create the ladder NAME for a --game, by default with two seats, and print its id."""
    if options["game"] is None:
        raise click.UsageError("Missing option '--game'.")
    made = desk.create(body={"seats": 2, **_settings(options)})
    show(made, made["id"])
    _enter(desk, made["id"], bots, None, quiet=True)


@of_ladder
@click.option("--name", help="Its new name.")
@settings
@click.option(
    "--access",
    type=click.Choice(("open", "invitation", "closed")),
    help="Who may enter bots.",
)
@click.option(
    "--organiser",
    "organisers",
    metavar="OWNER",
    multiple=True,
    help="An owner who may do what you may. May be repeated. Co-organisers that you don't name are removed.",
)
@click.option("--no-organisers", is_flag=True, help="Remove all co-organisers.")
def change(
    desk: LadderClient,
    ladder: str,
    organisers: tuple[str, ...],
    no_organisers: bool,
    **options: Any,
) -> None:
    """Rename or describe LADDER, correct its settings, or name co-organisers.

    Name, description and access can always change, the clock and what the next rounds play between rounds, and
    everything else before the first round. --clock, --option and --parameter replace all values of their kind.
    """
    changes = _settings(options)
    if organisers or no_organisers:
        changes["organisers"] = organisers
    if not changes:
        raise click.UsageError("Name a setting to change.")
    found = desk.request("PATCH", ladder, body=changes)
    show(found, f"changed {', '.join(sorted(changes))}")


@of_ladder
@bots_named
@click.option(
    "--entropy", metavar="TEXT", help="Entropy of your bots for the shuffles: printable characters."
)
def enter(desk: LadderClient, ladder: str, bots: tuple[str, ...], entropy: str | None) -> None:
    """Enter bots in LADDER from the next round on.

    Enter your own bots in any ladder, and house bots in your own ladders.
    """
    _enter(desk, ladder, bots, entropy)


@of_ladder
@bots_named
def withdraw(desk: LadderClient, ladder: str, bots: tuple[str, ...]) -> None:
    """Withdraw bots from LADDER.

    Withdraw your own bots from any ladder, and any bot from your own ladders. Running matches are finished.
    """
    _each(bots, lambda bot: desk.request("DELETE", ladder, "entries", *bot.split("/")), "was withdrawn")


@of_ladder
@click.argument("action", required=False, type=click.Choice(tuple(_RULES)))
@click.argument("names", nargs=-1, metavar="[OWNER[/BOT]]...")
@click.option("--reason", default="", help="Why. The owner of a banned bot sees it.")
def access(desk: LadderClient, ladder: str, action: str | None, names: tuple[str, ...], reason: str) -> None:
    """Show who is invited to your LADDER and who is banned, or invite, ban or clear owners and bots.

    An owner stands for all of its bots. A ban withdraws the bots that it names; clear removes the rule of a name.
    """
    if (action is None) != (not names):
        raise click.UsageError("Name owners or bots after invite, ban or clear.")
    if action is not None:
        done = {"invite": "is invited", "ban": "is banned", "clear": "has no rule"}[action]

        def act(name: str) -> dict[str, Any]:
            body = {"name": name, "rule": _RULES[action], "reason": reason}
            desk.request("POST", ladder, "access", body=body)
            return {"bot": name, "rule": _RULES[action]}

        _each(names, act, done)
        return
    found = desk.request("GET", ladder, "access")["rules"]
    show(found, shown.rules(found))


@of_ladder
def names(desk: LadderClient, ladder: str) -> None:
    """Show the standings of your LADDER with the real names that owners gave to you.

    Owners whose invitation asked for a name on your behalf gave one. Nobody but the organisers of LADDER sees them.
    """
    found = desk.request("GET", ladder, "names")["standings"]
    show(found, shown.named(found))


@of_ladder
@click.option("--from", "since", metavar="INSTANT", help="Such as 2026-11-27T18:00:00Z.  [default: now]")
def freeze(desk: LadderClient, ladder: str, since: str | None) -> None:
    """Withhold the results of LADDER until you release them."""
    found = desk.request("POST", ladder, "freeze", body={"from": since})
    text = f"results are withheld from {found['freeze']} on"
    show(found, text)


@of_ladder
def release(desk: LadderClient, ladder: str) -> None:
    """Publish the results of LADDER that a freeze withheld."""
    found = desk.request("POST", ladder, "release")
    show(found, "the results are published")


@of_ladder
@click.option("--template", is_flag=True, help="Leave out entries, invitations and bans.")
def export(desk: LadderClient, ladder: str, template: bool) -> None:
    """Print your LADDER as a JSON file for kozyr ladder import: settings, entries, invitations and bans."""
    found = desk.request("GET", ladder, "export", template="true" if template else None)
    echo(json.dumps(found, ensure_ascii=False))


@ladder.command(name="import")
@click.argument("file", type=click.File(encoding="utf-8-sig"))
@click.option("--name", help="Another name than the file has.")
@at_service
def import_(desk: LadderClient, file: TextIO, name: str | None) -> None:
    """Create a ladder from a FILE of kozyr ladder export, and print its id."""
    try:
        data = json.load(file)
    except ValueError:
        raise click.UsageError(f"{file.name} is no JSON file") from None
    if name is not None and isinstance(data, dict) and isinstance(data.get("settings"), dict):
        data["settings"]["name"] = name
    made = desk.create("import", body=data)
    show(made, made["ladder"]["id"])
    for each in made["left_out"]:
        echo(f"kozyr: {each['name']}: {each['reason']}", err=True)


@ladder.command()
@click.argument("match")
@click.option("--reason", required=True, help="Shown to those concerned.")
@at_service
def void(desk: LadderClient, match: str, reason: str) -> None:
    """Void a MATCH of your ladders, so that it does not count."""
    found = desk.change_match(match, "void", reason)
    show(found, f"match {found['id']} does not count")


@ladder.command()
@click.argument("match")
@click.option("--reason", required=True, help="Kept in the audit log.")
@at_service
def rerun(desk: LadderClient, match: str, reason: str) -> None:
    """Play a void MATCH of your ladders again.

    A duplicate group is played again as a whole, with a new deck.
    """
    found = desk.change_match(match, "rerun", reason)
    show(found, found["match"] or found["group"])


@of_ladder
@click.argument("action", type=click.Choice(("disqualify", "reinstate", "decide")))
@click.argument("bot", metavar="OWNER/BOT")
@click.option("--season", type=int, help="Number of the season.  [default: the current one]")
@click.option("--reason", required=True, help="Published with the result.")
def correct(desk: LadderClient, ladder: str, action: str, bot: str, season: int | None, reason: str) -> None:
    """Correct the result of a season of your LADDER.

    disqualify takes a bot out of the places, and reinstate puts it back. decide lets it go on from its undecided
    meeting of a knock-out whose season has ended.
    """
    body = {"action": action, "bot": bot, "season": season, "reason": reason}
    found = desk.request("POST", ladder, "corrections", body=body)
    text = f"season {found['number']}: won by {', '.join(each['bot'] for each in found['winners']) or 'nobody yet'}"
    show(found, text)


@of_ladder
@click.option("--season", type=int, required=True, help="Number of the season.")
def results(desk: LadderClient, ladder: str, season: int) -> None:
    """Show the versions of the published result of a season of LADDER, newest first."""
    for each in desk.request("GET", ladder, "seasons", str(season), "results")["versions"]:
        show(each, shown.result(each))


@of_ladder
@click.option("--dry-run", is_flag=True, help="Only show who would meet.")
def start(desk: LadderClient, ladder: str, dry_run: bool) -> None:
    """Start a round of LADDER now."""
    if dry_run:
        found = desk.request("GET", ladder, "rounds", "next")
        show(found, shown.pairings(found))
    else:
        found = desk.create(ladder, "rounds")
        show(found, f"round {found['number']} has started: {found['planned']} matches")


@of_ladder
@click.argument("state", required=False, type=click.Choice(_STATES))
def state(desk: LadderClient, ladder: str, state: str | None) -> None:
    """Print the state of LADDER, or set it to STATE.

    A closing ladder finishes its last round.
    """
    found = (
        desk.request("GET", ladder) if state is None else desk.request("PATCH", ladder, body={"state": state})
    )
    show(found, found["state"])


@ladder.command(name="list")
@most(50, "ladders")
@at_service
def list_(desk: LadderClient, most: int) -> None:
    """List ladders, newest first."""
    from kozyr.cli.author.columns import table

    found = desk.listed(field="ladders", most=most)
    show(found, table(found, LADDER_COLUMNS, none="no ladders"))


@of_ladder
@top
@of_season
def show_(desk: LadderClient, ladder: str, top: int, season: int | None) -> None:
    """Show the settings, current round, next round and standings of LADDER."""
    found = desk.standing(ladder, top, season)
    show(found._asdict(), shown.standing(found), f"as CSV: {desk.table(ladder, season)}")


@of_ladder
@click.option("--end", is_flag=True, help="End the current season and begin the next.")
@most(20, "seasons")
def seasons(desk: LadderClient, ladder: str, end: bool, most: int) -> None:
    """List the seasons of LADDER with their winners, newest first."""
    if end:
        desk.create(ladder, "seasons")
    found = desk.listed(ladder, "seasons", field="seasons", most=most)
    show(found, shown.seasons(found))


@of_ladder
@most(50, "entries")
def audit(desk: LadderClient, ladder: str, most: int) -> None:
    """Print the audit log of your LADDER, newest first.

    It shows bans, withdrawals of others' bots, changes, ends of seasons, voided and replayed matches.
    """
    found = desk.audit(ladder, most)
    show(found, shown.audit(found))


@of_ladder
@of_season
def bracket(desk: LadderClient, ladder: str, season: int | None) -> None:
    """Show the bracket of LADDER, which must be a knock-out."""
    found = desk.request("GET", ladder, "bracket", season=season)
    show(found, shown.bracket(found))


@of_ladder
@click.option("--round", "rounds_only", is_flag=True, help="Stop when the current round is over.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.2),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds between updates.",
)
@top
def watch(desk: LadderClient, ladder: str, rounds_only: bool, every: float, top: int) -> None:
    """Watch LADDER until it is closed or you press Ctrl-C.

    On a terminal, shows live standings. Elsewhere, prints a line per change; with --json, a JSON
    document per line. Watching changes nothing. If the service goes away, the command waits for it.
    """
    from kozyr.cli.ladders import ladder_watch
    from kozyr.console import console

    screen = console()
    found = ladder_watch.looks(desk, ladder, most=top, every_s=every, rounds_only=rounds_only)
    try:
        if wants_json():
            ladder_watch.print_json(found)
        elif screen.is_terminal:
            ladder_watch.redraw(screen, found)
        else:
            ladder_watch.print_lines(screen, found)
    except KeyboardInterrupt:
        echo("stopped watching; the ladder continues", err=True)
        sys.exit(INTERRUPTED)


def _enter(
    desk: LadderClient, ladder: str, bots: Sequence[str], entropy: str | None, *, quiet: bool = False
) -> None:
    def act(bot: str) -> Any:
        return desk.request("POST", ladder, "entries", body={"bot": bot, "entropy": entropy})

    _each(bots, act, "was entered", quiet=quiet)


def _each(bots: Sequence[str], act: Callable[[str], Any], done: str, *, quiet: bool = False) -> None:
    """Call `act` for each bot. Unless `quiet`, print its entry with `--json`, or else that it `was done`. Exit with
    `REFUSED` if any was refused."""
    from kozyr.cli.errors import message_of
    from kozyr_client import KozyrError

    refused = False
    for bot in bots:
        try:
            entry = act(bot)
        except KozyrError as why:
            if why.status is None:
                raise
            refused = True
            echo(f"kozyr: {bot}: {message_of(why)}", err=True)
        else:
            if quiet or not wants_json():
                echo(f"{entry['bot']} {done}", err=True)
            else:
                show(entry)
    if refused:
        sys.exit(REFUSED)
