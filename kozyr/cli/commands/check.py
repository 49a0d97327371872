"""`kozyr check`: run the conformance check of a bot."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.cli.errors import explained

if TYPE_CHECKING:
    from rich.console import Console

FAILED: Final = 1
"""Exit status: the bot failed."""
UNKNOWN: Final = 2
"""Exit status: the service gave no verdict."""
_LOOK_S: Final = 0.3
_LEAVING_S: Final = 5.0
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


@click.command()
@click.argument("url")
@click.option("--token", required=True, envvar="KOZYR_TOKEN", help="The bot's token.  [default: KOZYR_TOKEN]")
@click.option("--game", default="durak", show_default=True, help="Game of the check.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as the API sends it.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def check(url: str, token: str, game: str, as_json: bool, command: tuple[str, ...]) -> None:
    """Run the conformance check of a bot on the service at URL.

    The service plays a match against the bot, injects faults and gives a verdict (docs/checks.md).

    COMMAND starts the bot for the time of the check, with KOZYR_URL and KOZYR_TOKEN in its environment. Put -- before
    it. Without COMMAND, start the bot yourself.

    Exits with status 0 if the bot passed, 1 if it failed, 2 if the service gave no verdict.
    """
    from rich.console import Console

    from kozyr_client import Client, KozyrError

    console = Console(highlight=False, soft_wrap=True, stderr=as_json)
    try:
        with Client(url, token, fail_fast=True) as client:
            begun = client.request("POST", "/v1/checks", body={"game": game})
            with _running(command, {"KOZYR_URL": url, "KOZYR_TOKEN": token}) as process:
                found = _watch(console, client.request, begun, process)
    except KozyrError as why:
        click.echo(f"kozyr: {explained(why, url)}", err=True)
        sys.exit(UNKNOWN)
    except OSError as why:
        click.echo(f"kozyr: {command[0]} could not be started: {why}", err=True)
        sys.exit(UNKNOWN)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    sys.exit(0 if found["status"] == "passed" else FAILED)


@contextlib.contextmanager
def _running(
    command: Sequence[str], environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes] | None]:
    """Run the bot, if a command was given. Its output goes to our standard error."""
    if not command:
        yield None
        return
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=sys.stderr)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_LEAVING_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _watch(
    console: Console, request: Any, found: dict[str, Any], process: subprocess.Popen[bytes] | None
) -> dict[str, Any]:
    """Show the progress of the check until there is a verdict. Return the check."""
    address, shown, stage, gone = f"/v1/checks/{found['match']}", 0, "", False
    console.print(
        f"check {found['match']}: {found['game']}, version {found['version']}", style="bold", markup=False
    )
    while True:
        if found["status"] != stage:
            stage = found["status"]
            if stage in ("waiting", "running"):
                console.print("waiting for the bot" if stage == "waiting" else "the match has begun")
        for one in found["faults_met"][shown:]:
            move = "" if one["move"] is None else f", {one['move']}"
            told = _FAULTS.get(one["fault"], one["fault"])
            console.print(f"  turn {one['turn']}{move}: {told}", markup=False)
        shown = len(found["faults_met"])
        if stage in ("passed", "failed"):
            break
        if process is not None and not gone and process.poll() is not None:
            gone = True
            console.print(f"the bot ended with status {process.returncode}", style="yellow")
        time.sleep(_LOOK_S)
        found = request("GET", address)
    moves = found["moves"]
    console.print(f"moves: {moves['made']} made, {moves['replayed']} replayed, {moves['refused']} refused")
    console.print(stage, style="bold green" if stage == "passed" else "bold red")
    for reason in found["reasons"]:
        console.print(f"  {reason}", markup=False)
    return found
