"""`kozyr match`, `challenge` and `watch`: create matches, find them, and see them played."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from typing import Any, Final, Literal

import click

from kozyr.cli.author.profiles import ProfileError
from kozyr.cli.author.service import Service, calls_service, full_name
from kozyr.cli.errors import REFUSED, fail
from kozyr.cli.groups import SuggestingGroup
from kozyr.cli.options import assist_option, named
from kozyr.cli.output import show, together
from kozyr.cli.programs import TakesProgram, bot_command, client_option, running

MATCH_COLUMNS: Final = ("id", "game", "seats", "status", "scores", "result")
WAIT_S: Final = 20.0
"""How long `watch` waits for the next event, in seconds."""
LOOK_S: Final = 0.3
"""How often `challenge` looks whether the match of its program is over, in seconds."""
OPEN: Final = "-"

about_the_game = together(
    click.option("--game", default="durak", show_default=True, help="Game id."),
    named("--option", "game_options", help="Option of the game. May be repeated."),
    click.option("--deals", type=click.IntRange(1), help="Number of deals.  [default: 1]"),
    named(
        "--clock", "clock", help="Rule of the clock, such as pace=reasoning or move_ms=3000. May be repeated."
    ),
    assist_option,
)
"""The options that describe a match."""


@click.group(cls=SuggestingGroup)
def match() -> None:
    """Create, list and show matches."""


@match.command()
@click.argument("seats", nargs=-1, required=True, metavar="OWNER/BOT...")
@about_the_game
@calls_service("any", with_bot=True)
def create(service: Service, seats: tuple[str, ...], **about: Any) -> None:
    """Create a casual match and print its id.

    Name the bot of each seat, or - for an open seat. With a bot's token one of them must be yours.
    """
    _create(service, [None if seat == OPEN else full_name(seat, service.owner) for seat in seats], **about)


@match.command(name="list")
@click.option("--bot", "of_bot", metavar="OWNER/BOT", help="Only matches of this bot.")
@click.option("--opponent", metavar="OWNER/BOT", help="Only matches in which this bot plays too.")
@click.option("--game", help="Only matches of this game.")
@click.option(
    "--status", type=click.Choice(["waiting", "running", "finished"]), help="Only with this status."
)
@click.option(
    "--most", type=click.IntRange(1, 200), default=20, show_default=True, help="Show at most this many."
)
@calls_service("none")
def list_(service: Service, of_bot: str | None, most: int, **filters: str | None) -> None:
    """List matches, those that are not over first."""
    from kozyr.cli.author.columns import match_row, table
    from kozyr_client.http import without_none

    query = without_none(bot=of_bot, limit=most, **filters)
    page = service.client.request("GET", "/v1/matches", params=query)
    rows = [match_row(each) for each in page["matches"]]
    show(page["matches"], table(rows, MATCH_COLUMNS, none="no matches"))


@match.command(name="show")
@click.argument("ident", metavar="MATCH")
@calls_service("none", with_bot=True)
def show_match(service: Service, ident: str) -> None:
    """Show a match as you may see it."""
    from kozyr.cli.author.columns import field_lines, match_row

    found = service.client.match(ident)
    more: dict[str, object] = {
        name: found[name] for name in ("clock", "assist", "turns_ahead") if name in found
    }
    show(found, field_lines({**match_row(found), **more}))


@match.command()
@click.argument("ident", metavar="MATCH")
@click.option("--seat", type=click.IntRange(0), help="The seat to take.  [default: the first open one]")
@calls_service("bot", with_bot=True)
def join(service: Service, ident: str, seat: int | None) -> None:
    """Take an open seat of a match."""
    found = service.client.join(ident, seat)
    show(found, f"joined {ident} in seat {found['seat']}")


@match.command()
@click.argument("ident", metavar="MATCH")
@calls_service("bot", with_bot=True)
def resign(service: Service, ident: str) -> None:
    """Give up a match."""
    found = service.client.resign(ident)
    show(found, f"resigned {ident}")


@click.command(cls=TakesProgram)
@click.argument("opponents", nargs=-1, required=True, metavar="OWNER/BOT...")
@about_the_game
@click.option("--watch", "follows", is_flag=True, help="Watch the match until it is over.")
@client_option
@calls_service("bot", with_bot=True)
def challenge(
    service: Service, opponents: tuple[str, ...], follows: bool, client: bool, **about: Any
) -> None:
    """Create a match of your bot against others and print its id.

    COMMAND starts a program that reads turns and writes moves, as in `kozyr connect`, or with --client a client of the
    API. It runs for the time of the match, and the result follows the id. Without COMMAND, your bot or `kozyr connect`
    must run. House bots are always there: house/random, house/greedy and house/search.

    Exits with status 1 if COMMAND ends before the match.

    \b
    Examples:
      kozyr challenge house/greedy --game durak --deals 4
      kozyr challenge house/greedy -- python my_bot.py
      kozyr challenge house/greedy --client -- python my_client.py
    """
    opponents = tuple(full_name(each, service.owner) for each in opponents)
    about_token = service.client.request("GET", "/v1/token")
    if about_token["kind"] != "bot":
        raise ProfileError(
            "a challenge needs a bot's token: choose a bot with --bot, or use `kozyr match create`"
        )
    made = _create(service, [about_token["name"], *opponents], **about)
    program = bot_command(click.get_current_context(), client=client)
    with running(program, url=service.at.url, token=str(service.at.token)) as process:
        if follows:
            _watch(service, made["id"])
        if process is not None:
            _show_result(service, made["id"], process)


@click.command()
@click.argument("ident", metavar="[MATCH]", required=False)
@calls_service("none", with_bot=True)
def watch(service: Service, ident: str | None) -> None:
    """Watch a match until it is over, or what happens to your bots, a line per event.

    Shows what you may see of a MATCH: your own cards with your bot's token, no hand without one. Without MATCH shows
    matches, rounds, ratings and suspensions of all your bots, or of one with --bot, from now on. `kozyr replay` shows
    a finished match with all hands; `kozyr ladder watch` shows a ladder.
    """
    if ident is None:
        _watch_account(service)
    else:
        _watch(service, ident)


def _create(service: Service, seats: list[str | None], **about: Any) -> dict[str, Any]:
    made: dict[str, Any] = service.client.create_match(
        about["game"],
        seats,
        options=about["game_options"] or None,
        deals=about["deals"],
        clock=about["clock"] or None,
        assist=about["assist"],
    )
    show(made, made["id"])
    return made


def _show_result(service: Service, ident: str, process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a match that the program plays, and print its result. Fail if the program ends first."""
    from kozyr.cli.author.columns import field_lines, match_row

    while (found := service.client.match(ident))["status"] != "finished":
        if process.poll() is not None:
            fail(f"the program ended with status {process.returncode} before the match was over", REFUSED)
        time.sleep(LOOK_S)
    row = {**match_row(found), "places": found["places"]}
    show(found, field_lines({name: row[name] for name in ("seats", "places", "scores", "result")}))


def _watch(service: Service, ident: str) -> None:
    from kozyr.reading.replay import event_line
    from kozyr.terminal import harmless

    view = service.client.match(ident)
    names = [
        harmless((seat or {}).get("bot") or f"seat {number}") for number, seat in enumerate(view["seats"])
    ]
    for event in _events(service, ident):
        line = event_line(names, event)
        show(event, *([] if line is None else [harmless(line)]))


def _watch_account(service: Service) -> None:
    from kozyr.cli.author.columns import update_line
    from kozyr.terminal import harmless

    if service.at.token is None:
        raise ProfileError("name a match, or run `kozyr login URL` to watch your bots")
    account: Literal["bot", "owner"] = service.client.request("GET", "/v1/token")["kind"]
    if account not in ("bot", "owner"):
        raise ProfileError("name a match: an admin has no bots to watch")
    for update in service.client.updates(account):
        show(update, harmless(update_line(update)))


def _events(service: Service, ident: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a match until it is over."""
    after = 0
    while True:
        page = service.client.events(ident, after, WAIT_S)
        yield from page["events"]
        after = page["events"][-1]["n"] if page["events"] else after
        if page["over"] and not page["events"]:
            return
