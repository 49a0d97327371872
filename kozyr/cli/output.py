"""What commands print: the option `--json`, and a result as JSON or for people.

The commands of the server import this module before gevent patches anything, so it must not import the rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

import click

from kozyr.terminal import echo

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A decorator that adds an option or an argument to a command."""


def together(*options: Option) -> Option:
    """Return options as one decorator, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_JSON: Final = "kozyr.json"


def json_option(meaning: str) -> Option:
    """Return the option `--json`. `wants_json` and `show` obey it."""

    def note(ctx: click.Context, _: click.Parameter, given: bool) -> None:
        ctx.meta[_JSON] = given

    return click.option("--json", is_flag=True, expose_value=False, callback=note, help=meaning)


as_json = json_option("Print a JSON document in one line.")
"""The option `--json` of every command that prints a result."""


def wants_json() -> bool:
    """Return whether the command that runs got `--json`."""
    return bool(click.get_current_context().meta.get(_JSON))


def show(document: Any, *parts: Any) -> None:
    """Print a document as JSON, or what says the same for people: lines, tables, or lists of them."""
    if wants_json():
        echo(json.dumps(document, ensure_ascii=False))
        return
    for part in parts:
        if isinstance(part, str):
            echo(part)
        elif isinstance(part, Iterable):
            show(document, *part)
        else:
            from kozyr.console import console

            console().print(part)
