"""`kozyr connect`: play on a service with a program that reads turns and writes moves, one per line."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from kozyr.cli.author.service import Address, plays_at_service
from kozyr.cli.errors import PATIENCE_S, REFUSED, status_after
from kozyr.cli.output import show
from kozyr.cli.programs import NeedsProgram, program_of
from kozyr.systems import STOP_SIGNALS
from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr.connect.bridge import ProgramCommand
    from kozyr_client import Finished


@click.command(cls=NeedsProgram)
@click.option("--per-match", is_flag=True, help="Run one process per match.  [default: one for all matches]")
@click.option("--matches", type=click.IntRange(1), metavar="N", help="End after N finished matches.")
@click.option("--find", metavar="GAME", help="Look for opponents in this game, one match after another.")
@click.option(
    "--starting",
    type=click.FloatRange(0),
    metavar="SECONDS",
    default=10.0,
    show_default=True,
    help="How long a program may take from its start to its first answer.",
)
@click.option("--text", is_flag=True, help="Send turns in words, each with an empty line after it.")
@click.option("--lang", type=click.Choice(["en", "ru"]), default="en", help="Language of --text.")
@plays_at_service
def connect(
    at: Address,
    name: str,
    per_match: bool,
    matches: int | None,
    find: str | None,
    starting: float,
    text: bool,
    lang: str,
) -> None:
    """Play on the service at URL with your program.

    COMMAND starts a program that reads turns from standard input and writes moves to standard output, as in `kozyr
    play` (docs/line-protocol.md). It plays all matches of the bot. A program that crashes is started again. Its
    standard error is that of this command. With --find the bot waits in the queue for an opponent whenever it has no
    match from there.

    After Ctrl-C or SIGTERM it begins no new match, and ends when the running ones are over. A second signal ends it at
    once.

    Exits with status 0 after --matches or when the matches are over, 1 if the program never answers, 2 if the service
    does not answer or the command line is wrong, 130 after a second Ctrl-C.

    \b
    Example:
      kozyr connect https://kozyr.example.org -- python my_bot.py
    """
    from kozyr.connect.bridge import ProgramCommand

    echo(f"{name} plays at {at.url}; Ctrl-C finishes its matches", err=True)
    command = ProgramCommand(
        program_of(click.get_current_context()), per_match, starting, lang if text else None
    )
    sys.exit(asyncio.run(_play(at, command, matches, None if find is None else {"game": find})))


async def _play(
    at: Address, command: ProgramCommand, matches: int | None, find: dict[str, Any] | None
) -> int:
    """Play until the end and return the exit status."""
    from kozyr.connect.bridge import Bridge, UselessProgram
    from kozyr_client import AsyncClient

    came: list[int] = []
    async with (
        AsyncClient(at.url, at.token, patience_s=PATIENCE_S) as client,
        AsyncClient(at.url, at.token, patience_s=0.0) as events,
    ):
        bridge = Bridge(client, events, command, _say)

        def stop(number: int) -> None:
            came.append(number)
            if len(came) > 1:
                client.stop()
                return
            _say("no new match begins; Ctrl-C again ends at once, and running matches time out")
            client.finish()

        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:  # Windows has no signal handlers of event loops
            signal.signal(number, lambda number, frame: loop.call_soon_threadsafe(stop, number))
        try:
            await bridge.play(matches=matches, find=find, on_finished=_show)
        except UselessProgram as why:
            _say(str(why))
            return REFUSED
    return status_after(came[-1]) if len(came) > 1 else 0


def _say(text: str) -> None:
    echo(f"kozyr: {text}", err=True)


def _show(finished: Finished) -> None:
    words: dict[str, Any] = {"match": finished.match, "ending": finished.ending}
    if finished.get("places"):
        seat = finished.seat
        words |= {"place": finished.places[seat], "score": finished.scores[seat]}
    show(dict(finished), "  ".join(f"{name} {value}" for name, value in words.items()))
