"""The program after `--` that plays the user's bot, and commands that start it.

The program reads turns and writes moves, and `kozyr connect` plays with it. With `--client` it is a client of the API,
which gets the address of its service and its token in the environment.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Final

import click

from kozyr import systems
from kozyr.cli.errors import AWAY, fail

PROGRAM: Final = "kozyr.program"
_LEAVING_S: Final = 5.0
"""How long a program may take to end after SIGTERM, in seconds."""


class TakesProgram(click.Command):
    """A command whose words after `--` are a program. `program_of` returns them."""

    needs_program = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before the first `--`. Raise `click.UsageError` for a program that is not there, or a
        `--client` without one."""
        at = args.index("--") if "--" in args else len(args)
        program = ctx.meta[PROGRAM] = tuple(args[at + 1 :])
        if program and shutil.which(program[0]) is None and not ctx.resilient_parsing:
            raise click.UsageError(f"{program[0]!r} is not a program that can be run", ctx)
        rest = super().parse_args(ctx, args[:at])
        if self.needs_program and not program and not ctx.resilient_parsing:
            example = f"`{ctx.command_path} -- python my_bot.py`"
            raise click.UsageError(f"the program is missing: put its command after --, as in {example}", ctx)
        if ctx.params.get("client") and not program:
            raise click.UsageError("--client needs the command of the client after --", ctx)
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the parts of the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


class NeedsProgram(TakesProgram):
    """The same, if the program must be given."""

    needs_program = True


def program_of(ctx: click.Context) -> tuple[str, ...]:
    """Return the program that the user gave after `--`, or nothing."""
    words: tuple[str, ...] = ctx.meta.get(PROGRAM, ())
    return words


client_option: Final = click.option(
    "--client",
    is_flag=True,
    help="COMMAND is a client of the API: it finds KOZYR_URL and KOZYR_TOKEN in its environment.",
)


def bot_command(ctx: click.Context, *, client: bool) -> tuple[str, ...]:
    """Return the command that starts the user's bot: a `client` itself, or `kozyr connect` with the program. Return
    nothing without a program."""
    program = program_of(ctx)
    return program if client or not program else (sys.executable, "-m", "kozyr", "connect", "--", *program)


@contextlib.contextmanager
def running(command: Sequence[str], *, url: str, token: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """Run a bot, if a command was given, and end it afterwards. Its output goes to our standard error.

    The bot gets `KOZYR_URL` and `KOZYR_TOKEN`. Signals go to its process group, because `go run` and `npm start` run
    the bot in a process of its own. Ends this command with status 2 if the program can't be started.
    """
    if not command:
        yield None
        return
    environment = {**os.environ, "KOZYR_URL": url, "KOZYR_TOKEN": token}
    try:
        process = systems.start(command, env=environment, stdout=sys.stderr)
    except OSError as why:
        fail(f"{command[0]} could not be started: {why}", AWAY)
    try:
        yield process
    finally:
        systems.end(process, _LEAVING_S)
