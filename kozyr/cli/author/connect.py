"""`kozyr connect`: play on a service with a program that reads turns and writes moves, one per line."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.cli.author.service import Address, address, check_version, with_options
from kozyr.cli.errors import AWAY, PATIENCE_S, REFUSED, fail, one_sentence

if TYPE_CHECKING:
    from kozyr.connect.bridge import ProgramCommand
    from kozyr_client import Finished

USELESS: Final = REFUSED
"""Exit status: the program does not answer."""


@click.command()
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[URL] -- COMMAND...")
@click.option("--per-match", is_flag=True, help="Run one process per match.  [default: one for all matches]")
@click.option("--matches", type=click.IntRange(1), metavar="N", help="End after N finished matches.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append the program's standard error to this file.",
)
@with_options(with_bot=True)
def connect(
    words: tuple[str, ...],
    per_match: bool,
    matches: int | None,
    log: Path | None,
    url: str | None,
    token: str | None,
    profile: str | None,
    bot_name: str | None,
    as_json: bool,
) -> None:
    """Play on the service at URL with your program.

    COMMAND starts a program that reads turns from standard input and writes moves to standard output, as in `kozyr
    play` (docs/line-protocol.md). It plays all matches of the bot until you press Ctrl-C. A program that crashes is
    started again; the last lines of its standard error are shown.

    Exits with status 0 after --matches, 1 if the program never answers, 2 if the service does not answer or the
    command line is wrong, 130 after Ctrl-C.

    \b
    Example:
      kozyr connect https://kozyr.example.org -- python my_bot.py
    """
    from kozyr.cli.author.profiles import Profiles
    from kozyr.connect.bridge import ProgramCommand
    from kozyr_client import Client

    if "://" in words[0]:
        url, words = words[0], words[1:]
    if not words or shutil.which(words[0]) is None:
        what = f"{words[0]!r} is not a program that can be run" if words else "the program is missing"
        fail(f"{what}: put its command after --, as in `kozyr connect -- python my_bot.py`", AWAY)
    with one_sentence() as at:
        found = address(Profiles(), url=url, token=token, name=profile, bot=bot_name, role="bot")
        at.append(found.url)
        with Client(found.url, found.token, patience_s=PATIENCE_S, fail_fast=True) as client:
            check_version(client, found.url)
            about = client.request("GET", "/v1/token")
        if about["kind"] != "bot":
            fail(f"the token is that of an {about['kind']}: create a bot with `kozyr bot create NAME`", AWAY)
        click.echo(f"{about['name']} plays at {found.url}; Ctrl-C ends", err=True)
        sys.exit(asyncio.run(_play(found, ProgramCommand(words, per_match, log), matches, as_json)))


async def _play(at: Address, command: ProgramCommand, matches: int | None, as_json: bool) -> int:
    """Play until the end and return the exit status."""
    from kozyr.connect.bridge import Bridge, UselessProgram
    from kozyr_client import AsyncClient

    logging.basicConfig(format="kozyr: %(message)s", level=logging.WARNING)
    came: list[int] = []
    async with (
        AsyncClient(at.url, at.token, patience_s=PATIENCE_S) as client,
        AsyncClient(at.url, at.token, patience_s=0.0) as events,
    ):
        bridge = Bridge(client, events, command, lambda text: click.echo(f"kozyr: {text}", err=True))

        def stop(number: int) -> None:
            came.append(number)
            client.stop()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop, number)
        try:
            await bridge.play(matches=matches, on_finished=lambda over: _show(over, as_json))
        except UselessProgram as why:
            click.echo(f"kozyr: {why}", err=True)
            return USELESS
    return 128 + came[0] if came else 0


def _show(finished: Finished, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(dict(finished), ensure_ascii=False))
        return
    words: dict[str, Any] = {"match": finished.match, "ending": finished.ending}
    if finished.get("places"):
        seat = finished.seat
        words |= {"place": finished.places[seat], "score": finished.scores[seat]}
    click.echo("  ".join(f"{name} {value}" for name, value in words.items()))
