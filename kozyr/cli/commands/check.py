"""`kozyr check`: run the conformance check of a bot."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.cli.author.service import Service, calls_service
from kozyr.cli.errors import REFUSED
from kozyr.cli.output import show, wants_json
from kozyr.cli.programs import TakesProgram, bot_command, client_option, running

if TYPE_CHECKING:
    from kozyr.console import Console

_LOOK_S: Final = 0.3
_FAULTS: Final[Mapping[str, str]] = {
    "poll_refused": "a 503 instead of a turn",
    "poll_cut": "the connection ended in the middle of a turn",
    "turn_repeated": "the turn was delivered twice",
    "move_refused": "a 503 before the move was made",
    "answer_lost": "a 503 after the move was made",
    "connection_lost": "no answer to a move that was made",
    "answer_cut": "half an answer to a move that was made",
    "near_deadline": "the turn was delivered 1.5 seconds before its deadline",
}


@click.command(cls=TakesProgram)
@click.argument("at", required=False, metavar="[URL]")
@click.option("--game", default="durak", show_default=True, help="Game of the check.")
@client_option
@calls_service("bot", with_bot=True)
def check(service: Service, game: str, client: bool) -> None:
    """Run the conformance check of a bot on the service at URL.

    The service plays a match against the bot, injects faults and gives a verdict (docs/checks.md).

    COMMAND starts a program that reads turns and writes moves, as in `kozyr connect`, or with --client a client of the
    API. It runs for the time of the check. Without COMMAND, start the bot yourself.

    Exits with status 0 if the bot passed, 1 if it failed or the service refused the check, 2 if there was no answer.

    \b
    Examples:
      kozyr check -- python my_bot.py
      kozyr check --client -- python my_client.py
    """
    from kozyr.console import console

    begun = service.client.request("POST", "/v1/checks", body={"game": game})
    command = bot_command(click.get_current_context(), client=client)
    with running(command, url=service.at.url, token=str(service.at.token)) as process:
        verdict = _watch(console(stderr=wants_json()), service.client.request, begun, process)
    show(verdict)
    sys.exit(0 if verdict["status"] == "passed" else REFUSED)


def _watch(
    screen: Console, request: Any, found: dict[str, Any], process: subprocess.Popen[bytes] | None
) -> dict[str, Any]:
    """Show the progress of the check until there is a verdict. Return the check."""
    from kozyr_client.http import api_path

    address, shown, stage, gone = api_path("checks", found["match"]), 0, "", False
    screen.print(f"check {found['match']}: {found['game']}, version {found['version']}", style="bold")
    while True:
        if found["status"] != stage:
            stage = found["status"]
            if stage in ("waiting", "running"):
                screen.print("waiting for the bot" if stage == "waiting" else "the match has begun")
        for one in found["faults_met"][shown:]:
            move = "" if one["move"] is None else f", {one['move']}"
            meaning = _FAULTS.get(one["fault"], one["fault"])
            screen.print(f"  turn {one['turn']}{move}: {meaning}")
        shown = len(found["faults_met"])
        if stage in ("passed", "failed"):
            break
        if process is not None and not gone and process.poll() is not None:
            gone = True
            screen.print(
                f"the bot ended with status {process.returncode}; waiting for the verdict", style="yellow"
            )
        time.sleep(_LOOK_S)
        found = request("GET", address)
    moves = found["moves"]
    screen.print(f"moves: {moves['made']} made, {moves['replayed']} replayed, {moves['refused']} refused")
    screen.print(stage, style="bold green" if stage == "passed" else "bold red")
    for reason in found["reasons"]:
        screen.print(f"  {reason}")
    return found
