"""The commands of `kozyr`, with those of all installed distributions."""

from __future__ import annotations

from typing import Final

import click

from kozyr.cli.main import main

NAMES: Final = main.list_commands(click.Context(main))
COMMANDS: Final = {name: main.commands[name] for name in NAMES}
