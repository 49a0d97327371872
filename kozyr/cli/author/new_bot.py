"""`kozyr new-bot`: write a starter project."""

from __future__ import annotations

import difflib
import shlex
import shutil
from pathlib import Path

import click

from kozyr.cli.errors import AWAY, fail
from kozyr.starters.writing import STARTERS, StarterError, write_starter
from kozyr.terminal import echo


def _language(ctx: click.Context, param: click.Parameter, given: str) -> str:
    """Return the name of a language for its name or alias. Raise `click.BadParameter` with the nearest name."""
    aliases = {alias: name for name, starter in STARTERS.items() for alias in (name, *starter.aliases)}
    if given.lower() not in aliases:
        near = difflib.get_close_matches(given.lower(), aliases, 1, 0.55)
        hint = f"; did you mean {aliases[near[0]]}?" if near else f", only for {', '.join(STARTERS)}"
        raise click.BadParameter(f"there is no starter for {given!r}{hint}", ctx, param)
    return aliases[given.lower()]


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in STARTERS if name.startswith(incomplete)]


@click.command()
@click.argument("language", callback=_language, shell_complete=_complete, metavar="LANG")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def new_bot(language: str, folder: Path) -> None:
    """Write a bot in LANG into the new folder DIR.

    LANG is python, typescript, go, rust, java or cpp. The project has a bot, and a README with the commands that play a
    first match, which are printed too. In Python, TypeScript and Go it has a test and the source of the client; in the
    other languages the bot plays through `kozyr connect`. Nothing is overwritten.

    \b
    Example:
      kozyr new-bot go my-bot
    """
    try:
        commands = write_starter(language, folder)
    except StarterError as why:
        fail(str(why), AWAY)
    starter = STARTERS[language]
    echo(f"{folder} has a bot in {starter.title}. These commands play a first match:", "")
    echo(f"cd {shlex.quote(str(folder))}", *commands.splitlines())
    missing = [tool for tool in starter.tools if shutil.which(tool) is None]
    if missing:
        are = "it is" if len(missing) == 1 else "they are"
        echo("", f"kozyr: install {' and '.join(missing)} first: {are} not on your PATH", err=True)
