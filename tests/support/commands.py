"""The commands of `kozyr`, with those of all installed distributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import click

from kozyr.cli.groups import DeferredCommand
from kozyr.cli.main import main

NAMES: Final = main.list_commands(click.Context(main))
COMMANDS: Final = {name: main.commands[name] for name in NAMES}


def leaves(
    group: Mapping[str, click.Command] = COMMANDS, *before: str
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command that is no group, with its words."""
    for name, found in group.items():
        command = found.load() if isinstance(found, DeferredCommand) else found
        if isinstance(command, click.Group):
            yield from leaves(command.commands, *before, name)
        else:
            yield (*before, name), command
